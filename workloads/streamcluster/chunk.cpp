#include "workloads/streamcluster/chunk.hpp"

#include <algorithm>
#include <cstddef>

namespace charm::workloads {

ChunkRows::ChunkRows(BlockLoop& loop, Index most, Index dimensions) {
  const ArrayPlacement& placement = loop.placement();
  if (!placement.in_parts()) return;
  if (!placement.replicated()) {
    std::vector<std::int64_t> bounds = placement.bounds(most);
    for (auto& bound : bounds) bound *= dimensions;
    copies_.push_back(placement.split<float>(bounds));
    return;
  }
  for (const int node : placement.nodes()) copies_.push_back(ArrayPlacement::on<float>(node, most * dimensions));
  for (int worker = 0; worker < loop.workers(); ++worker) {
    const auto at = std::find(placement.nodes().begin(), placement.nodes().end(), placement.node_of(worker));
    of_worker_.push_back(copies_[static_cast<std::size_t>(at - placement.nodes().begin())].data());
  }
}

Points ChunkRows::load(BlockLoop& loop, const Points& stream, Index first, Index count) {
  Points chunk = stream;
  chunk.count = count;
  chunk.coordinates = stream[first];
  if (stream.weights != nullptr) chunk.weights = stream.weights + first;
  if (copies_.empty()) return chunk;
  for (auto& copy : copies_) {
    loop.run(Blocks(count), [&](Index, Index lo, Index hi) {
      std::copy_n(chunk[lo], (hi - lo) * chunk.dimensions, copy.data() + lo * chunk.dimensions);
    });
  }
  chunk.coordinates = copies_.front().data();
  chunk.of_worker = of_worker_.empty() ? nullptr : of_worker_.data();
  return chunk;
}

}  // namespace charm::workloads
