// Stage 11: how sure a level is. A level that was found is right if every item is in its group and if no group hides
// groups of its own; "no level" is right if the measurement could have shown one. Both need the noise of the
// measurement, which is taken from rows that ought to look alike.
//
// Calibrated on generated machines (bench/probe/calibrate_clustering): of what is said with at least 0.8, 98 % are
// right; with at least 0.95, 99.5 %.
#pragma once

#include "probe/selection.hpp"

namespace charm::probe {

/// What a matrix of distances shows beyond its levels.
struct Evidence {
  int items = 0;
  double noise = 0;     ///< sigma of a log latency, from the differences between nearest rows
  double hidden = 0;    ///< unexplained spread below the median within groups, beyond the noise
  double spread = 0;    ///< by how much log latencies of one row within its group differ, for nine of ten
  double errors = 0;    ///< how many items are expected to be in a wrong group, from the noise of the medians
  double coverage = 1;  ///< share of the pairs that are known
};
Evidence evidence_for(const Distances& d, const Level& level);

double confidence_in(const Selection& selection, const Evidence& evidence);

/// How sure it is that every core has one thread, where no level of siblings was found.
double confidence_in_no_siblings(const Distances& d, const Selection& selection, const Evidence& evidence);

}  // namespace charm::probe
