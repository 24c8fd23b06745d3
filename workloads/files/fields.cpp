#include "workloads/files/fields.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "workloads/files/text.hpp"

namespace charm::workloads {
namespace {

/// std::from_chars() takes no plus sign.
std::string_view without_plus(std::string_view field) {
  if (field.size() > 1 && field.front() == '+' && field[1] != '-' && field[1] != '+') field.remove_prefix(1);
  return field;
}

}  // namespace

std::optional<FieldError> read_whole(std::string_view field, const char* kind, std::int64_t lowest,
                                     std::int64_t highest, std::int64_t& value) {
  const std::string_view digits = without_plus(field);
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool number = error != std::errc::invalid_argument && end == field.data() + field.size();
  if (number && error == std::errc() && value >= lowest && value <= highest) return {};
  FieldError wrong{field.data(), {}, fmt::format("use whole numbers from {} to {}", lowest, highest)};
  if (field.empty()) {
    wrong.what = fmt::format("the line ends before the {}", kind);
    wrong.remedy = "the file is truncated or has another format: " + wrong.remedy;
  } else if (!number) {
    wrong.what = fmt::format("{} {} is not a whole number", kind, shown(field));
  } else if (field.front() == '-') {
    wrong.what = fmt::format("{} {} is negative", kind, field.substr(0, 40));
  } else {
    wrong.what = fmt::format("{} {} is out of range", kind, field.substr(0, 40));
  }
  return wrong;
}

std::optional<double> number_in(std::string_view field) {
  const std::string_view digits = without_plus(field);
  double value = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (parsed.ec == std::errc() && parsed.ptr == digits.data() + digits.size())
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
  // Rare: a number of Fortran, or one too small or too large for a double, which strtod() tells apart.
  std::string text(digits);
  if (text.empty() || text.find_first_not_of("0123456789.+-eEdD") != std::string::npos) return {};
  std::replace_if(text.begin(), text.end(), [](char c) { return c == 'd' || c == 'D'; }, 'e');
  const auto again = std::from_chars(text.data(), text.data() + text.size(), value);
  if (again.ptr != text.data() + text.size()) return {};
  if (again.ec == std::errc::result_out_of_range) value = std::strtod(text.c_str(), nullptr);
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::optional<FieldError> read_number(std::string_view field, const char* kind, double& value) {
  if (const auto number = number_in(field)) {
    value = *number;
    return {};
  }
  return FieldError{field.data(), fmt::format("{} {} is not a finite number", kind, shown(field)),
                    "use decimal numbers"};
}

}  // namespace charm::workloads
