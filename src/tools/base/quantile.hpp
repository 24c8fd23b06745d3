// Medians and quantiles. For measurements that can only be disturbed in one direction there are other rules:
// tools/probe/measuring/samples.hpp and tools/probe/structure/distances.hpp have them.
#pragma once

#include <vector>

namespace charm::base {

/// The value below which a share `q` (0 to 1) of the values lies, interpolated between the two nearest; 0 if there are
/// none.
double quantile(std::vector<double> values, double q);

/// The median; for an even number of values the mean of the two in the middle; 0 if there are none.
double median(std::vector<double> values);

}  // namespace charm::base
