// Stage 11: the confidence in a level. A level that was found is right if every item is in its group and if no group
// contains further groups; "no level" is right if the measurement would have shown one. Both need the noise of the
// measurement, which is taken from rows that ought to look alike.
//
// Calibrated on generated machines (bench/probe/calibrate_clustering): of the answers with at least 0.8, 98 % are
// right; with at least 0.95, 99.5 %.
#pragma once

#include "tools/probe/structure/selection.hpp"

namespace charm::probe {

/// Properties of a matrix of distances, besides its levels, from which the confidence follows.
struct Evidence {
  int items = 0;
  double noise = 0;     ///< sigma of a log latency, from the differences between nearest rows
  double hidden = 0;    ///< unexplained spread below the median within groups, beyond the noise
  double spread = 0;    ///< difference of log latencies of one row within its group, not exceeded by nine of ten
  double errors = 0;    ///< number of items that are expected to be in a wrong group, from the noise of the medians
  double coverage = 1;  ///< share of the pairs that are known
};
Evidence evidence_for(const Distances& d, const Level& level);

double confidence_in(const Selection& selection, const Evidence& evidence);

/// The confidence that every core has one thread, if no level of siblings was found.
double confidence_in_no_siblings(const Distances& d, const Selection& selection, const Evidence& evidence);

}  // namespace charm::probe
