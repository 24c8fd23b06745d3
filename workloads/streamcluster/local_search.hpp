// k-median by local search, as PARSEC's streamcluster does it (Bienia, "Benchmarking Modern Multiprocessors", 2011,
// after O'Callaghan et al., "Streaming-Data Algorithms for High-Quality Clustering", ICDE 2002). A centre costs z, each
// point costs its weight times the squared distance to its centre; z is searched for until the number of centres is
// within the bounds.
#pragma once

#include <cstdint>
#include <vector>

#include "workloads/streamcluster/blocks.hpp"
#include "workloads/streamcluster/draws.hpp"
#include "workloads/streamcluster/points.hpp"

namespace charm::workloads {

/// Points that share the centres of a clustering.
struct Clustering {
  std::vector<Index> centers;           ///< points that are centres
  std::vector<std::int32_t> center_of;  ///< by point: which of the centres
  double cost = 0;                      ///< sum over points of weight times squared distance, without z
  Index candidates = 0;                 ///< centres that were tried
};

/// \param least, most the bounds of the number of centres; fewer points than `most` are all centres. Where no z gives a
/// number within the bounds, the one nearest to them is taken, as PARSEC does.
Clustering local_search(BlockLoop& loop, const Points& points, Index least, Index most, Draws& draws);

}  // namespace charm::workloads
