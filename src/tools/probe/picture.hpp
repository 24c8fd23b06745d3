// Pictures of a measurement: heatmaps in the terminal, heatmaps and curves as SVG, and one self-contained page with all
// of them.
#pragma once

#include <string>

#include "tools/probe/profile.hpp"

namespace charm::probe {

struct TextStyle {
  bool ascii = false;
  bool colour = false;
  int columns = 80;
};

/// The least and the greatest measured value; 0 where there is none.
struct MatrixRange {
  double low = 0, high = 0;
};
MatrixRange range_of(const LatencyMatrix& matrix);

/// Rows and columns are folded to fit; each cell is the median of what it covers.
std::string heatmap_text(const LatencyMatrix& matrix, const std::string& unit, const TextStyle& style);

std::string heatmap_svg(const LatencyMatrix& matrix, const std::vector<int>& cpus, const std::string& title,
                        const std::string& unit);
/// A place on the curve's axis: "32 KiB", "4".
std::string x_text(const Curve& curve, double x);
std::string curve_svg(const Curve& curve);

/// Groups, heatmaps, curves and notes in words and drawings.
std::string profile_text(const Profile& profile, const TextStyle& style);
std::string clustering_text(const Clustering& clustering);
std::string profile_html(const Profile& profile);

}  // namespace charm::probe
