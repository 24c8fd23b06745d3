#include "tools/compare/printed_time.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace charm::compare {
namespace {

std::regex compiled(const std::string& pattern) {
  try {
    std::regex regex(pattern);
    if (regex.mark_count() == 0) {
      throw Error(Errc::bad_config, "--metric: '" + pattern + "' has no group that the number would be in",
                  "put it in parentheses, as in 'Time in seconds *= *([0-9.]+)'");
    }
    return regex;
  } catch (const std::regex_error& error) {
    throw Error(Errc::bad_config, "--metric: '" + pattern + "' is no regular expression: " + error.what(),
                "write one, as in 'Time: *([0-9.]+)'");
  }
}

}  // namespace

PrintedTime::PrintedTime(const std::string& pattern, bool rate)
    : pattern_(pattern), regex_(compiled(pattern)), rate_(rate) {}

double PrintedTime::seconds_in(const std::string& written, const std::string& name) const {
  std::string number;
  for (std::sregex_iterator at(written.begin(), written.end(), regex_), end; at != end; ++at) number = (*at)[1].str();
  if (number.empty()) {
    throw Error(Errc::bad_input, "--metric: '" + name + "' printed nothing that matches '" + pattern_ + "'",
                "run it alone, and look at what it prints");
  }
  std::string plain = number;
  plain.erase(std::remove(plain.begin(), plain.end(), ','), plain.end());  // "645,897"
  char* rest = nullptr;
  const double value = std::strtod(plain.c_str(), &rest);
  if (rest == plain.c_str() || *rest != '\0' || !std::isfinite(value) || value <= 0) {
    throw Error(Errc::bad_input, "--metric: '" + number + "', which '" + name + "' printed, is no number above 0",
                "let the pattern's group match the number alone");
  }
  return rate_ ? 1 / value : value;
}

}  // namespace charm::compare
