#include "tools/cli/suggestion.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace charm::cli {
namespace {

/// Optimal string alignment: Levenshtein's distance with exchanges of neighbours (F. J. Damerau 1964).
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> rows(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) rows[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      rows[i][j] = std::min({rows[i - 1][j] + 1, rows[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        rows[i][j] = std::min(rows[i][j], rows[i - 2][j - 2] + 1);
    }
  }
  return rows[a.size()][b.size()];
}

std::string without_dashes(const std::string& word) {
  const auto first = word.find_first_not_of('-');
  return first == std::string::npos ? "" : word.substr(first);
}

constexpr std::size_t most_suggestions = 3;

/// Those for which `fits` is true, as "a, b or c"; empty if they are too many.
template <class Fits>
std::string those(const std::vector<std::string>& known, Fits fits) {
  std::vector<std::string> words;
  std::copy_if(known.begin(), known.end(), std::back_inserter(words), fits);
  if (words.size() > most_suggestions) return "";
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  return text;
}

}  // namespace

std::string suggestion(const std::string& word, const std::vector<std::string>& known) {
  const std::string bare = without_dashes(word.substr(0, word.find('=')));
  if (bare.size() < 2) return "";
  std::string begin = those(known, [&](const std::string& name) { return without_dashes(name).starts_with(bare); });
  if (!begin.empty()) return begin;
  const std::size_t most = (bare.size() + 1) / 3;
  std::size_t least = most + 1;
  for (const std::string& name : known) least = std::min(least, distance(bare, without_dashes(name)));
  if (least > most) return "";
  return those(known, [&](const std::string& name) { return distance(bare, without_dashes(name)) == least; });
}

std::vector<std::string> names_there(const CLI::App& app, const std::string& word) {
  const CLI::App* innermost = &app;
  while (!innermost->get_subcommands().empty()) innermost = innermost->get_subcommands().back();
  std::vector<std::string> names;
  if (word.starts_with("-")) {
    for (const CLI::Option* option : innermost->get_options()) {
      if (option->get_group().empty()) continue;
      for (const auto& name : option->get_lnames()) names.push_back("--" + name);
    }
  }
  for (const CLI::App* sub : innermost->get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(sub->get_name());
  return names;
}

}  // namespace charm::cli
