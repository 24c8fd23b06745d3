// Choices: enums that people write as words, in settings and on command lines. Each has one table of words, from which
// they are read, printed, and listed in errors and help. The table of an enum E is an overload of choices(), beside E:
//
//   constexpr auto choices(E) { return std::array{Choice{E::some, "some"}, Choice{E::all, "all"}}; }
#pragma once

#include <charm/error.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace charm::base {

template <class E>
struct Choice {
  E value;
  std::string_view word;
};

/// The choice that a word names; nothing where it names none.
template <class E>
std::optional<E> choice_named(std::string_view word) {
  for (const Choice<E>& each : choices(E{})) {
    if (each.word == word) return each.value;
  }
  return std::nullopt;
}

/// The word of a choice.
template <class E>
std::string_view word_of(E value) {
  for (const Choice<E>& each : choices(value)) {
    if (each.value == value) return each.word;
  }
  return "?";
}

/// All words, in the order of the table.
template <class E>
std::vector<std::string> words_of() {
  std::vector<std::string> words;
  for (const Choice<E>& each : choices(E{})) words.emplace_back(each.word);
  return words;
}

/// "core, chiplet, node or none".
std::string any_of_words(const std::vector<std::string>& words);

/// \param whose names the setting or option in the error. \throws Error (bad_config) that lists the words.
template <class E>
E parse_choice(std::string_view word, std::string_view whose) {
  if (const auto value = choice_named<E>(word)) return *value;
  throw Error(Errc::bad_config, std::string(whose) + " = '" + std::string(word) + "' is not usable",
              "give " + any_of_words(words_of<E>()));
}

}  // namespace charm::base
