// A forest plot: a row for each point, with the measured interval, the published and the predicted value, on one
// logarithmic axis.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/compare/statistics.hpp"

namespace charm::evaluate {

struct ChartRow {
  std::string label;
  std::optional<compare::Ratio> measured;
  std::optional<double> published, predicted;
  std::optional<double> bound;  ///< what the claim expects it to be above or below
};

/// \param label for screen readers. \param unit of the axis; empty: ratios. \returns SVG; empty if there is nothing to
/// show.
std::string forest_plot(const std::string& label, const std::vector<ChartRow>& rows, const std::string& unit);

}  // namespace charm::evaluate
