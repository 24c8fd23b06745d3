// A second, plain implementation of the clustering of a stream, which answers are held to: one thread, sums in one
// piece over all points, centres named by their points, as PARSEC's program has it. It shares with the other the
// distance and the random decisions alone.
#pragma once

#include "workloads/streamcluster/stream.hpp"

namespace charm::workloads {

/// The costs and the number of final centres that cluster_stream has to find; no coordinates.
struct ReferenceCosts {
  double chunk_cost = 0;
  double cost = 0;
  Index centers = 0;
};

ReferenceCosts reference_costs(const Points& points, const StreamOptions& options);

}  // namespace charm::workloads
