#include "base/mistyped.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>

namespace charm::base {
namespace {

constexpr std::size_t most_differences = 2;
constexpr std::size_t characters_for_each = 4;  // a shorter word may be meant as it is

/// Levenshtein's distance.
std::size_t differences(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t before = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = before + (a[i] == b[j] ? 0 : 1);
      before = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest_name(const std::string& word, const std::vector<std::string>& known) {
  std::string nearest;
  std::size_t least = std::min(most_differences, word.size() / characters_for_each) + 1;
  for (const std::string& name : known) {
    const std::size_t between = differences(word, name);
    if (between >= least) continue;
    least = between;
    nearest = name;
  }
  return nearest;
}

std::vector<Mistyped> mistyped_variables(const char* const* variables, const std::vector<std::string>& known) {
  constexpr std::string_view prefix = "CHARM_";
  std::vector<std::string> endings;
  for (const std::string& name : known) endings.push_back(name.substr(prefix.size()));
  std::vector<Mistyped> found;
  for (; variables != nullptr && *variables != nullptr; ++variables) {
    const std::string_view entry = *variables;
    if (!entry.starts_with(prefix)) continue;
    const std::string name(entry.substr(0, entry.find('=')));
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string meant = nearest_name(name.substr(prefix.size()), endings);
    if (!meant.empty()) found.push_back({name, std::string(prefix) + meant});
  }
  return found;
}

}  // namespace charm::base
