// Kinds of option values, so that every command rejects bad ones with the same words and completion knows what to
// offer.
#pragma once

#include <string>
#include <vector>

#include "base/choice.hpp"
#include "tools/cli/cli11.hpp"

namespace charm::cli {

/// The option takes one of `words`. Help shows them and completion offers them.
CLI::Option* one_of(CLI::Option* option, const std::vector<std::string>& words);

/// An option whose words are those of a choice (base/choice.hpp), which becomes `value`.
template <class E>
CLI::Option* choice_option(CLI::App& app, const std::string& names, E& value, const std::string& help) {
  CLI::Option* option = app.add_option_function<std::string>(
      names, [&value](const std::string& word) { value = base::choice_named<E>(word).value_or(value); }, help);
  return one_of(option, base::words_of<E>());
}

/// The option takes a comma-separated list out of `words`, without repeats; read it with `split_list`.
CLI::Option* some_of(CLI::Option* option, const std::vector<std::string>& words);

/// The option takes a number in [low, high]; "nan" is refused.
CLI::Option* number_within(CLI::Option* option, double low, double high);

/// The option takes a number of MiB in [low, high], or a size: "512K", "8M", "1.5G", "2T", also as "8MiB" or "8MB".
CLI::Option* mebibytes_within(CLI::Option* option, double low, double high);

/// The option takes a whole number in [low, high].
CLI::Option* whole_number(CLI::Option* option, long long low, long long high);

/// The option takes a name that is not empty, so that an unset variable in a script is an error.
CLI::Option* not_empty(CLI::Option* option);

/// The option takes a file's path.
CLI::Option* file_path(CLI::Option* option);

/// The positional argument takes the id of a process.
CLI::Option* process_id(CLI::Option* option);

/// The parts of a list such as "bfs,pr".
std::vector<std::string> split_list(const std::string& text);

/// The words that an option accepts; empty if it does not take one of a fixed set.
std::vector<std::string> accepted_words(const CLI::Option& option);
bool takes_file(const CLI::Option& option);
bool takes_process(const CLI::Option& option);

}  // namespace charm::cli
