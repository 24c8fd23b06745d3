// Upright bars in groups, for ratios: a line marks 1.
#pragma once

#include <string>
#include <vector>

namespace charm::cli {

struct ColumnGroup {
  std::string name;            ///< below the group
  std::vector<double> values;  ///< one for each series
};

/// \param label for screen readers. \param series the bars of a group, in their order; a single one has no legend.
std::string columns(const std::string& label, const std::vector<std::string>& series,
                    const std::vector<ColumnGroup>& groups);

}  // namespace charm::cli
