// Parameters declared as data: name, default, meaning, accepted values. Those of the controllers are in
// controller_parameters.hpp; the settings' schema has a row for each of them.
#pragma once

#include <string_view>

namespace charm::base {

struct Parameter {
  std::string_view name;
  std::string_view default_value;
  std::string_view doc;
  std::string_view words;  // accepted words, separated by '|'; empty: a number that is not negative
};

/// Reads a number from 0 to 1e9, which is more than any time, count or threshold needs. \returns false for anything
/// else.
bool read_number(std::string_view text, double& value);

bool accepts(const Parameter& parameter, std::string_view value);

}  // namespace charm::base
