// A controller's parameters: each policy declares its own by name, default and meaning; a user sets them as text
// ("tick=0.1,expand=0.05"). Parameters that the policy does not know are errors.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace charm::controller {

struct Parameter {
  std::string_view name;
  std::string_view default_value;
  std::string_view doc;
  std::string_view words;  // accepted words, separated by '|'; empty: a number from 0 to 1e9
};

class Parameters {
 public:
  /// \throws Error (bad_config) that names the parameter, the value and what is accepted.
  Parameters(std::string_view policy, std::span<const Parameter> known, std::string_view text);

  [[nodiscard]] double number(std::string_view name) const;
  [[nodiscard]] int count(std::string_view name) const { return static_cast<int>(number(name)); }
  [[nodiscard]] const std::string& word(std::string_view name) const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace charm::controller
