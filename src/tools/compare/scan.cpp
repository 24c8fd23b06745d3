#include "tools/compare/scan.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include <fmt/format.h>

namespace charm::compare {
namespace {

constexpr std::size_t most_values = 1000;
constexpr const char* forms = "write --scan threads=1,2,4 or --scan n=1..8 or --scan share=0.5..2..0.5";

[[noreturn]] void refuse(const std::string& why) { throw Error(Errc::bad_input, "--scan: " + why, forms); }

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; });
}

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::size_t decimals(std::string_view text) {
  const auto point = text.find('.');
  return point == std::string_view::npos ? 0 : text.size() - point - 1;
}

/// Digits after the point are as many as the ends and the step have: 0.5..2..0.5 gives 0.5, 1.0, 1.5, 2.0.
void add_range(const std::string& text, std::vector<std::string>& values) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  for (std::size_t dots = 0; (dots = text.find("..", start)) != std::string::npos; start = dots + 2)
    parts.push_back(text.substr(start, dots - start));
  parts.push_back(text.substr(start));
  if (parts.size() > 3) refuse("'" + text + "' has more than two ends and a step");
  std::vector<double> numbers;
  std::size_t digits = 0;
  for (const std::string& part : parts) {
    const auto value = number(part);
    if (!value) refuse("'" + part + "' in '" + text + "' is not a number");
    numbers.push_back(*value);
    digits = std::max(digits, decimals(part));
  }
  const double from = numbers[0];
  const double to = numbers[1];
  const double step = parts.size() == 3 ? numbers[2] : from <= to ? 1.0 : -1.0;
  if (step == 0 || (to - from) * step < 0) refuse("'" + text + "': the step leads away from the end");
  const double steps = std::floor((to - from) / step + 1e-9);
  if (steps >= static_cast<double>(most_values)) refuse(fmt::format("'{}' has more than {} values", text, most_values));
  for (int i = 0; i <= static_cast<int>(steps); ++i) values.push_back(fmt::format("{:.{}f}", from + i * step, digits));
}

}  // namespace

Scan parse_scan(const std::string& text) {
  const auto equals = text.find('=');
  Scan scan{text.substr(0, equals), {}};
  if (equals == std::string::npos || !is_name(scan.name)) refuse("'" + text + "' does not begin with a name and '='");
  const std::string list = text.substr(equals + 1);
  for (std::size_t start = 0; start <= list.size();) {
    const auto comma = std::min(list.find(',', start), list.size());
    const std::string part = list.substr(start, comma - start);
    start = comma + 1;
    if (part.empty()) refuse("'" + text + "' has an empty value");
    // A path such as ../data is a value and no range.
    const bool range = part.find("..") != std::string::npos && part.find('/') == std::string::npos;
    if (range) {
      add_range(part, scan.values);
    } else {
      scan.values.push_back(part);
    }
  }
  for (std::size_t i = 0; i < scan.values.size(); ++i) {
    if (std::find(scan.values.begin(), scan.values.begin() + static_cast<std::ptrdiff_t>(i), scan.values[i]) !=
        scan.values.begin() + static_cast<std::ptrdiff_t>(i))
      refuse("'" + text + "' has the value '" + scan.values[i] + "' twice");
  }
  return scan;
}

std::vector<Parameters> combinations(const std::vector<Scan>& scans) {
  std::vector<Parameters> all(1);
  for (std::size_t s = 0; s < scans.size(); ++s) {
    const Scan& scan = scans[s];
    for (std::size_t other = 0; other < s; ++other) {
      if (scans[other].name == scan.name) refuse("the parameter '" + scan.name + "' is scanned twice");
    }
    if (all.size() * scan.values.size() > most_values)
      refuse(fmt::format("there are more than {} combinations", most_values));
    std::vector<Parameters> more;
    for (const Parameters& before : all) {
      for (const std::string& value : scan.values) {
        more.push_back(before);
        more.back().emplace_back(scan.name, value);
      }
    }
    all = std::move(more);
  }
  return all;
}

std::string substituted(const std::string& text, const Parameters& parameters) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const auto fits = [&](const auto& parameter) {
      const std::string word = "{" + parameter.first + "}";
      return text.compare(i, word.size(), word) == 0;
    };
    const auto parameter = text[i] == '{' ? std::find_if(parameters.begin(), parameters.end(), fits) : parameters.end();
    if (parameter == parameters.end()) {
      out += text[i++];
    } else {
      out += parameter->second;
      i += parameter->first.size() + 2;
    }
  }
  return out;
}

}  // namespace charm::compare
