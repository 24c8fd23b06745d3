// Curves as SVG for reports: some series over a few x values, drawn at equal distances.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace charm::cli {

struct CurveSeries {
  std::string name;
  std::vector<std::pair<double, double>> points;
};

/// \param step draws each value as a horizontal line up to the next x, for levels over time.
std::string curves(const std::string& label, const std::vector<CurveSeries>& series, bool step = false);

}  // namespace charm::cli
