#include "workloads/olap/answers.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include <fmt/format.h>

namespace charm::workloads {
namespace {

std::vector<std::string> fields_of(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<double> number_in(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

/// A published answer has an empty field for NULL.
bool same_field(const std::string& found, const std::string& right) {
  if (found == right || (found == "NULL" && right.empty())) return true;
  const auto x = number_in(found);
  const auto y = number_in(right);
  return x && y && std::fabs(*x - *y) <= 1e-6 * std::max(std::fabs(*x), std::fabs(*y));
}

bool same_row(const AnswerRow& a, const AnswerRow& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), same_field);
}

std::string joined(const AnswerRow& row) { return fmt::format("{}", fmt::join(row, "|")); }

}  // namespace

AnswerRows rows_of(const std::string& answer) {
  AnswerRows rows;
  const auto lines = fields_of(answer.substr(0, answer.size() - (answer.ends_with('\n') ? 1 : 0)), '\n');
  for (std::size_t i = 1; i < lines.size(); ++i) rows.push_back(fields_of(lines[i], '|'));
  return rows;
}

std::string difference(AnswerRows found, AnswerRows right) {
  if (found.size() != right.size())
    return fmt::format("{} row{} where {} are right", found.size(), found.size() == 1 ? "" : "s", right.size());
  const auto first = std::mismatch(found.begin(), found.end(), right.begin(), same_row);
  if (first.first == found.end()) return {};
  const std::string complaint = fmt::format("row {} is {} and should be {}", first.first - found.begin() + 1,
                                            joined(*first.first), joined(*first.second));
  std::sort(found.begin(), found.end());
  std::sort(right.begin(), right.end());
  return std::equal(found.begin(), found.end(), right.begin(), same_row) ? "" : complaint;
}

}  // namespace charm::workloads
