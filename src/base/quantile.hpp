// Medians and quantiles. Where a measurement can only be disturbed to one side, other rules hold: probe/samples.hpp and
// probe/distances.hpp have theirs.
#pragma once

#include <vector>

namespace charm::base {

/// The value that a share `q` (0 to 1) of the values lies below, interpolated between the two nearest; 0 of none.
double quantile(std::vector<double> values, double q);

/// Of an even number of values, the mean of the two in the middle; 0 of none.
double median(std::vector<double> values);

}  // namespace charm::base
