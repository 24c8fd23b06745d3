#include "tools/sim/spec.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <charconv>
#include <sstream>

namespace charm::sim {

Arguments::Arguments(const std::string& what, std::span<const Parameter> known, std::string_view text) {
  std::string names;
  for (const auto& parameter : known) {
    values_.emplace(parameter.name, parameter.default_value);
    names += (names.empty() ? "" : ", ") + std::string(parameter.name);
  }
  while (!text.empty()) {
    const auto comma = text.find(',');
    const std::string_view item = text.substr(0, comma);
    text = comma == std::string_view::npos ? "" : text.substr(comma + 1);
    const auto equals = item.find('=');
    const std::string name(item.substr(0, equals));
    const auto at = values_.find(name);
    if (at == values_.end()) {
      throw Error(Errc::bad_config, what + " has no parameter '" + name + "'",
                  names.empty() ? "it takes none" : "it takes name=value with " + names);
    }
    const std::string_view value = equals == std::string_view::npos ? "" : item.substr(equals + 1);
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), at->second);
    const Parameter& parameter =
        *std::find_if(known.begin(), known.end(), [&](const Parameter& p) { return p.name == name; });
    if (error != std::errc() || end != value.data() + value.size() ||
        !(at->second >= parameter.least && at->second <= parameter.most)) {
      std::ostringstream range;
      range << "give a number from " << parameter.least << " to " << parameter.most;
      throw Error(Errc::bad_config, what + ": " + name + " = '" + std::string(value) + "' is not usable", range.str());
    }
  }
}

std::string_view spec_name(std::string_view spec) { return spec.substr(0, spec.find(':')); }

std::string_view spec_arguments(std::string_view spec) {
  const auto colon = spec.find(':');
  return colon == std::string_view::npos ? "" : spec.substr(colon + 1);
}

std::vector<std::string> split_specs(std::string_view text) {
  std::vector<std::string> out;
  while (true) {
    const auto comma = text.find(',');
    const std::string_view piece = text.substr(0, comma);
    const bool argument = piece.find('=') != std::string_view::npos && piece.find(':') == std::string_view::npos;
    if (argument && !out.empty()) {
      out.back() += "," + std::string(piece);
    } else {
      out.emplace_back(piece);
    }
    if (comma == std::string_view::npos) return out;
    text = text.substr(comma + 1);
  }
}

}  // namespace charm::sim
