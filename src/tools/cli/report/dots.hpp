// Single measurements as dots in an SVG picture, with an estimate and its interval as a line in a band. The axis covers
// the values and need not begin at 0, so that differences of a few percent can be seen.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace charm::cli {

struct DotSeries {
  std::string name;
  std::vector<std::pair<double, double>> points;
};

struct Band {
  double value = 0;
  double low = 0, high = 0;  // no band where both are 0
};

/// \param bands of each series, or none. \param reference a value with a line of its own.
std::string dots(const std::string& label, const std::vector<DotSeries>& series, const std::vector<Band>& bands,
                 std::optional<double> reference = {});

}  // namespace charm::cli
