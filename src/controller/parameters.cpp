#include "controller/parameters.hpp"

#include <charm/error.hpp>

#include <set>

namespace charm::controller {
Parameters::Parameters(std::string_view policy, std::span<const Parameter> known, std::string_view text) {
  for (const Parameter& parameter : known) values_.emplace(parameter.name, parameter.default_value);
  std::set<std::string_view> given;
  while (!text.empty()) {
    auto comma = text.find(',');
    std::string_view item = text.substr(0, comma);
    text = comma == std::string_view::npos ? "" : text.substr(comma + 1);
    auto equals = item.find('=');
    std::string_view name = item.substr(0, equals),
                     value = equals == std::string_view::npos ? "" : item.substr(equals + 1);
    const Parameter* found = nullptr;
    for (const Parameter& parameter : known) found = parameter.name == name ? &parameter : found;
    if (found == nullptr) {
      std::string names;
      for (const Parameter& parameter : known) names += (names.empty() ? "" : ", ") + std::string(parameter.name);
      throw Error(Errc::bad_config,
                  "controller " + std::string(policy) + " has no parameter '" + std::string(name) + "'",
                  names.empty() ? "it takes none" : "it takes name=value with " + names);
    }
    if (!base::accepts(*found, value)) {
      throw Error(Errc::bad_config,
                  "controller " + std::string(policy) + ": " + std::string(name) + " = '" + std::string(value) +
                      "' is not usable",
                  found->words.empty() ? "give a number from 0 to 1e9" : "give one of " + std::string(found->words));
    }
    if (!given.insert(name).second) {
      throw Error(Errc::bad_config,
                  "controller " + std::string(policy) + ": " + std::string(name) +
                      " is given twice, the second time '" + std::string(value) + "'",
                  "give it once");
    }
    values_[std::string(name)] = value;
  }
}

double Parameters::number(std::string_view name) const {
  double value = 0;
  base::read_number(word(name), value);
  return value;
}

const std::string& Parameters::word(std::string_view name) const { return values_.find(name)->second; }

}  // namespace charm::controller
