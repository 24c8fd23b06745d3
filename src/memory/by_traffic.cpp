#include "memory/by_traffic.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/environment.hpp"
#include "base/notices.hpp"
#include "memory/layers.hpp"
#include "os/memory/bare.hpp"

namespace charm::memory {
namespace {

constexpr double look_again_s = 0.1;

/// The root of the page that a node's cpus belong to; -1: none.
int root_of(const memory::WeightPage& page, const Node& node) {
  for (const int cpu : node.cpus) {
    if (cpu < 0 || cpu >= static_cast<int>(memory::most_cpus)) continue;
    const std::uint8_t root = page.root_of_cpu[static_cast<std::size_t>(cpu)];
    if (root != memory::no_root) return root;
  }
  return -1;
}

}  // namespace

PublishedWeights::PublishedWeights() {
  const char* named = base::environment("CHARM_MALLOC_WEIGHTS");
  if (named != nullptr && *named != '\0') {
    paths_ = {named};
  } else {
    paths_ = {"/dev/shm/charm-malloc-" + std::to_string(os::bare::user()), "/dev/shm/charm-malloc"};
  }
}

std::shared_ptr<const memory::WeightPage> PublishedWeights::page(double now_s) {
  const std::lock_guard lock(mutex_);
  if (now_s < next_s_) return page_;
  next_s_ = now_s + look_again_s;
  for (const std::string& path : paths_) {
    const auto found = std::make_shared<memory::WeightPage>();
    if (!os::bare::read_sequenced(path.c_str(), found.get(), sizeof *found) || !is_sound(*found)) continue;
    page_ = found;
    return page_;
  }
  // What was read once stays, as in the malloc.
  if (!page_) {
    base::notice("memory: weights", "the setting home is traffic, and no usable weights are published (" +
                                        paths_.front() +
                                        "); memory lies as with home = near; write them with 'charm malloc weights "
                                        "--publish'");
  }
  return page_;
}

std::vector<std::uint16_t> shared_weights(const memory::WeightPage& page, const Machine& machine,
                                          const NodeSet& nodes) {
  std::vector<double> sums(page.memories, 0);
  for (const int id : nodes) {
    const int root = root_of(page, machine.nodes[static_cast<std::size_t>(id)]);
    if (root < 0) continue;
    const auto weights = weights_of(page, static_cast<std::size_t>(root));
    double all = 0;
    for (const std::uint16_t weight : weights) all += weight;
    for (std::size_t m = 0; all > 0 && m < sums.size(); ++m) sums[m] += weights[m] / all;
  }
  const double largest = sums.empty() ? 0 : *std::max_element(sums.begin(), sums.end());
  std::vector<std::uint16_t> shared;
  for (const double sum : sums)
    shared.push_back(largest > 0 ? static_cast<std::uint16_t>(std::lround(memory::most_weight * sum / largest))
                                 : std::uint16_t{0});
  return shared;
}

bool place_by_weights(os::PageSystem& system, const Machine* machine, const Block& block,
                      const memory::WeightPage& page, const std::vector<std::uint16_t>& weights) {
  const memory::Layers layers = memory::layers_of(weights);
  if (machine == nullptr || !machine->is_live() || block.data == nullptr || layers.count == 0) return false;
  bool all = true;
  memory::for_each_run(
      layers, block.bytes, block.touched, [&](std::size_t offset, std::size_t bytes, std::uint64_t in) {
        OsNodeSet nodes;
        for (std::size_t m = 0; m < page.memories; ++m) {
          if ((in >> m & 1U) != 0) nodes.insert(page.os_node[m]);
        }
        const auto policy = nodes.size() == 1 ? os::MemoryPolicy::preferred : os::MemoryPolicy::interleave;
        all = took(system.place(static_cast<std::byte*>(block.data) + offset, bytes, policy, nodes)) && all;
      });
  return all;
}

int normal_node(const memory::WeightPage& page, const Machine& machine, int os_node) {
  for (const Node& node : machine.nodes) {
    if (node.os_index != os_node) continue;
    const int root = root_of(page, node);
    if (root < 0 || page.normal[static_cast<std::size_t>(root)] < 0) return os_node;
    return page.os_node[static_cast<std::size_t>(page.normal[static_cast<std::size_t>(root)])];
  }
  return os_node;
}

}  // namespace charm::memory
