// Stage 9: rows that are placed by elimination. A row that was measured to be far from all chiplets but one belongs to
// that one.
#pragma once

#include "probe/distances.hpp"

namespace charm::probe {

/// Gives rows that stand alone to the only chiplet that they were never measured with and that is a row short of what
/// is usual. Returns how many.
int place_unmeasured_rows(const LatencyMatrix& matrix, Partition& chiplets);

}  // namespace charm::probe
