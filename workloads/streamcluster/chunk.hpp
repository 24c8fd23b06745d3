// The points of the chunk that is being clustered, in memory of their own, as PARSEC has them in a buffer. All loops of
// a search go over one chunk, so a chunk's rows have to be divided over the nodes as these loops are, and not the rows
// of the whole stream. The rows are SHOAL's arrays (S. Kaestle et al., USENIX ATC 2015; CHARM §5.4): partitioned, or
// with a copy on every node that has workers. Interleaved arrays, or those on one node, are the stream's own, which is
// spread like that already; so they are if all workers are on one node. Large arrays ask for huge pages.
#pragma once

#include <vector>

#include "workloads/array.hpp"
#include "workloads/streamcluster/blocks.hpp"
#include "workloads/streamcluster/points.hpp"

namespace charm::workloads {

class ChunkRows {
 public:
  /// For chunks of up to \p most points.
  ChunkRows(BlockLoop& loop, Index most, Index dimensions);

  /// The points from `first` on, valid until the next call. Weights stay where they are.
  Points load(BlockLoop& loop, const Points& stream, Index first, Index count);

  /// How many copies of the rows there are; none if the stream's own are used.
  [[nodiscard]] std::size_t copies() const { return copies_.size(); }

 private:
  std::vector<Array<float>> copies_;
  std::vector<const float*> of_worker_;  // the nearest copy; empty if there is one at most
};

}  // namespace charm::workloads
