// Memory by the published weights of the malloc (memory/weight_page.hpp): blocks that all workers use are spread by
// them, and small memory of a node lies where the malloc puts normal blocks of its threads.
#pragma once

#include <charm/id_set.hpp>
#include <charm/machine.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "memory/blocks.hpp"
#include "memory/weight_page.hpp"

namespace charm::memory {

/// The published page: of this user, else of the machine. Reads its file at most ten times a second.
class PublishedWeights {
 public:
  /// Where the malloc looks, too: CHARM_MALLOC_WEIGHTS, /dev/shm/charm-malloc-UID, /dev/shm/charm-malloc.
  PublishedWeights();
  explicit PublishedWeights(std::vector<std::string> paths) : paths_(std::move(paths)) {}

  /// Null where there is no sound one, which is reported once. On the heap: a task's stack has no room for a page.
  /// \param now_s of the monotonic clock.
  std::shared_ptr<const memory::WeightPage> page(double now_s);

 private:
  std::mutex mutex_;
  std::vector<std::string> paths_;
  std::shared_ptr<const memory::WeightPage> page_;
  double next_s_ = -1;
};

/// The mean of the weights of the nodes' cpus, by memory of the page. \param nodes ids in the machine.
std::vector<std::uint16_t> shared_weights(const memory::WeightPage& page, const Machine& machine, const NodeSet& nodes);

/// Spreads a block by weights, in layers. \return whether the kernel took all of it.
bool place_by_weights(os::PageSystem& system, const Machine* machine, const Block& block,
                      const memory::WeightPage& page, const std::vector<std::uint16_t>& weights);

/// OS number of the node for normal memory of a node's threads; `os_node` itself where the page does not say.
int normal_node(const memory::WeightPage& page, const Machine& machine, int os_node);

}  // namespace charm::memory
