#include "controller/parameters.hpp"

#include <charm/error.hpp>

#include <charconv>
#include <set>

namespace charm::controller {
namespace {

/// Up to 1e9, which is more than any time, count or threshold needs, and fits an int. \returns false for anything else.
bool read_number(std::string_view text, double& value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= 0 && value <= 1e9;
}

bool accepts(const Parameter& parameter, std::string_view value) {
  double number = 0;
  if (parameter.words.empty()) return read_number(value, number);
  std::string_view words = parameter.words;
  while (!words.empty()) {
    auto bar = words.find('|');
    if (words.substr(0, bar) == value) return true;
    words = bar == std::string_view::npos ? "" : words.substr(bar + 1);
  }
  return false;
}

}  // namespace

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
    if (!accepts(*found, value)) {
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
  read_number(word(name), value);
  return value;
}

const std::string& Parameters::word(std::string_view name) const { return values_.find(name)->second; }

}  // namespace charm::controller
