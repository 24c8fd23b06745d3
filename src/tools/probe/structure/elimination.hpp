// Stage 9: assigns rows by elimination. A row that is known to be far from all chiplets but one belongs to that one.
#pragma once

#include "tools/probe/structure/distances.hpp"

namespace charm::probe {

/// Assigns each row without a group to the one chiplet that it was never measured with, if that chiplet has fewer rows
/// than usual. \return how many were assigned.
int place_unmeasured_rows(const LatencyMatrix& matrix, Partition& chiplets);

}  // namespace charm::probe
