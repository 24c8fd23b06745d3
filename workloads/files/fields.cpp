#include "workloads/files/fields.hpp"

#include <fmt/format.h>

#include "workloads/files/text.hpp"

namespace charm::workloads {

std::optional<FieldError> read_whole(std::string_view field, const char* kind, std::int64_t lowest,
                                     std::int64_t highest, std::int64_t& value) {
  auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
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

std::optional<FieldError> read_number(std::string_view field, double& value) {
  auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error == std::errc() && end == field.data() + field.size() && std::isfinite(value)) return {};
  return FieldError{field.data(), fmt::format("weight {} is not a finite number", shown(field)), "use decimal numbers"};
}

}  // namespace charm::workloads
