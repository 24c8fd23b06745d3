// SMT siblings that a matrix does not show, because their own pair was not measured or was disturbed: found by elimination
// once the chiplets are known. In a chiplet where everybody else has siblings, threads without are each other's.
#pragma once

#include "probe/clustering.hpp"

namespace charm::probe {

struct Siblings {
  int inferred = 0;   // threads that were given a core
  double sure = 1;    // factor for the level's confidence
};

/// Joins single threads of `cores` where `chiplets` leave one way to do so, or where one way explains the measurements
/// to third parties best.
Siblings infer_siblings(const LatencyMatrix& matrix, Partition& cores, const Partition& chiplets);

}  // namespace charm::probe
