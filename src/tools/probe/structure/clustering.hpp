// Finds the structure of a machine from its core-to-core latencies alone: SMT siblings, chiplets, NUMA nodes, sockets.
//
// The stages are called in one direction, each by those after it: distances, linkage (tree of groups), level (the
// criterion), assignment and candidates (levels that a matrix may have), selection, consolidation, siblings,
// elimination, naming, confidence, and here the order in which they make up a machine.
//
// Each level is a partition of the rows that were measured, row numbers ascending, with a confidence from 0 to 1.
// Where a matrix shows no structure the level is one group (for SMT: single rows). Which groups there are is read
// from the matrix; whether groups of chiplets are to be called nodes or sockets is not in it, so those two names never
// get a confidence above 0.78 where only one such level is seen (docs/design/probe.md). CHARM §2.1, Fig. 3; OLAP on
// chiplets §2.3.
#pragma once

#include <string>
#include <vector>

#include "tools/probe/structure/distances.hpp"

namespace charm::probe {

struct Clustering {
  Partition smt;  ///< hardware threads of one core
  Partition chiplets;
  Partition nodes;
  Partition sockets;
  struct {
    double smt = 0, chiplets = 0, nodes = 0, sockets = 0;
  } confidence;
  std::vector<int> unmeasured;     ///< rows without a measurement; in no group
  std::vector<std::string> notes;  ///< what was inferred rather than seen, one sentence each
};

Clustering cluster(const LatencyMatrix& matrix);

}  // namespace charm::probe
