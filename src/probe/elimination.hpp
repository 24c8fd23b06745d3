// What a matrix does not show because rows or pairs are missing, found by elimination. A row that was measured to be
// far from all chiplets but one belongs to that one; in a chiplet where everybody else has SMT siblings, threads
// without are each other's.
#pragma once

#include "probe/clustering.hpp"

namespace charm::probe {

/// Gives rows that stand alone to the only chiplet that they were never measured with and that is a row short of what
/// is usual. Returns how many.
int place_lost_rows(const LatencyMatrix& matrix, Partition& chiplets);

struct Siblings {
  int inferred = 0;  // threads that were given a core
  double sure = 1;   // factor for the level's confidence
};

/// Joins single threads of `cores` where `chiplets` leave one way to do so, or where one way explains the measurements
/// to third parties best.
Siblings infer_siblings(const LatencyMatrix& matrix, Partition& cores, const Partition& chiplets);

}  // namespace charm::probe
