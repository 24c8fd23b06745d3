#include "tools/compare/counting_cost.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/format.hpp"

namespace charm::compare {
namespace {

constexpr double dear_from = 0.01;  // what a threshold of one percent, the usual one, would see

double least_wall(const std::vector<os::ChildResult>& runs) {
  double least = runs.front().wall_s;
  for (const auto& run : runs) least = std::min(least, run.wall_s);
  return least;
}

}  // namespace

double counting_cost(const std::vector<os::ChildResult>& counted, const std::vector<os::ChildResult>& plain) {
  if (counted.empty() || plain.empty()) return 0;
  return std::max(0.0, least_wall(counted) - least_wall(plain));
}

std::string too_dear(double cost, double shortest) {
  if (!(shortest > 0) || cost <= dear_from * shortest) return "";
  return fmt::format(
      "counting adds {} to each start, {} of the shortest program's time; that would change what is measured",
      base::format_seconds(cost), base::format_percent(cost / shortest));
}

}  // namespace charm::compare
