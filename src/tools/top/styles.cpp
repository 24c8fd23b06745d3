#include "tools/top/styles.hpp"

#include <cmath>
#include <cstddef>

namespace charm::top {

std::string short_number(double value) {
  if (!std::isfinite(value) || value < 0) return "?";
  static constexpr std::array<const char*, 5> units = {"", "k", "M", "G", "T"};
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < units.size()) {
    value /= 1000;
    ++unit;
  }
  return format(unit > 0 && value < 9.95 ? "%.1f%s" : "%.0f%s", value, units[unit]);
}

}  // namespace charm::top
