#include "base/parameter.hpp"

#include <charconv>

namespace charm::base {

bool read_number(std::string_view text, double& value) {
  constexpr double largest = 1e9;  // fits an int
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= 0 && value <= largest;
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

}  // namespace charm::base
