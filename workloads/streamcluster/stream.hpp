// Clustering of a stream of points (PARSEC's streamcluster; CHARM §5.4): each chunk is clustered on its own, the
// weighted centres of all chunks are kept, and these are clustered at the end.
#pragma once

#include <cstdint>
#include <vector>

#include "workloads/streamcluster/blocks.hpp"
#include "workloads/streamcluster/points.hpp"

namespace charm::workloads {

struct StreamOptions {
  Index chunk = 16384;  ///< points that are clustered at a time
  Index least = 10;     ///< bounds of the number of centres of a chunk, and at the end
  Index most = 20;
  Index intermediate = 1000;  ///< centres of all chunks that are kept
  std::uint64_t seed = 1;     ///< of the random decisions
};

/// The centres of a stream. Invariant: the weights add up to those of the points.
struct StreamCenters {
  std::vector<float> coordinates;  ///< row by row
  std::vector<float> weights;      ///< a centre each
  double chunk_cost = 0;           ///< sum over chunks of the points' costs
  double cost = 0;                 ///< of the kept centres for the final ones
  Index chunks = 0;
  Index candidates = 0;  ///< centres that were tried in all
};

/// \throws Error (bad_input) where the chunks have more centres than `intermediate`, and for bounds that contradict.
StreamCenters cluster_stream(BlockLoop& loop, const Points& points, const StreamOptions& options);

/// What cluster_stream checks before it begins.
void check_stream(const StreamOptions& options);

}  // namespace charm::workloads
