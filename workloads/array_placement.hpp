// Places the arrays of a workload on a machine with several NUMA nodes. A kernel says how it uses an array (in parts,
// as its loops split it, or all of it by all workers), the user says how memory is to be spread, and ArrayPlacement
// combines the two; the pages are charm::PageBlock's. Source: CHARM §4.6, ARCAS §4. Invariant: parts are those of
// for_parts() (executor/parts.hpp), so that a loop over an array runs where its pages lie. If all workers are on one
// node, and on runtimes that do not say where their workers are, an array is a plain one.
#pragma once

#include <charm/id_set.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/array.hpp"
#include "workloads/names.hpp"

namespace charm::workloads {

/// How the memory of a workload is spread over the nodes that have workers.
enum class Memory : std::uint8_t {
  touched,      ///< a page lies where it is touched first
  near,         ///< everything on the node of worker 0
  interleaved,  ///< page by page in turns
  partitioned,  ///< arrays that loops visit: in the parts of the loops; arrays that all use at random: pages alternate
  replicated    ///< the same, and a copy of the graph on every node
};

/// \throws Error (bad_config) for a name that there is not.
Memory memory_named(std::string_view name);

class ArrayPlacement {
 public:
  /// Pages lie where they are touched first.
  ArrayPlacement() = default;
  /// \param node_of_worker ids of Machine::nodes, by worker. \param order workers as loops hand parts to them.
  ArrayPlacement(Memory choice, std::vector<int> node_of_worker, const std::vector<int>& order);

  /// Whether arrays are placed at all.
  [[nodiscard]] bool several() const { return !node_of_part_.empty(); }
  /// Whether loops have a reason to run where their parts lie.
  [[nodiscard]] bool in_parts() const { return several() && choice_ >= Memory::partitioned; }
  [[nodiscard]] bool replicated() const { return several() && choice_ == Memory::replicated; }
  [[nodiscard]] std::size_t parts() const { return node_of_part_.size(); }
  /// Nodes that have workers; empty if nothing is placed.
  [[nodiscard]] const NodeSet& nodes() const { return nodes_; }
  /// The node of a worker when this was made; -1 where nothing is placed.
  [[nodiscard]] int node_of(int worker) const {
    return several() ? node_of_worker_[static_cast<std::size_t>(worker)] : -1;
  }
  /// The first index of every part of [0, size), and size.
  [[nodiscard]] std::vector<std::int64_t> bounds(std::int64_t size) const;
  /// The runs of an array in parts with the given bounds: whole pages, each where most of it belongs.
  [[nodiscard]] std::vector<PageRun> runs(std::span<const std::int64_t> bounds, std::size_t element_bytes) const;

  /// Makes an array that loops visit in parts, by index.
  template <class T>
  [[nodiscard]] Array<T> split(std::int64_t size) const {
    return in_parts() ? split<T>(bounds(size)) : shared<T>(size);
  }
  /// The same for parts of any size, such as the lists of a range of vertices.
  template <class T>
  [[nodiscard]] Array<T> split(std::span<const std::int64_t> bounds) const {
    if (!in_parts()) return shared<T>(bounds.back());
    return Array<T>(bounds.back(), PageBlock(bytes<T>(bounds.back()), runs(bounds, sizeof(T)), options));
  }
  /// Makes an array that all workers use at any index.
  template <class T>
  [[nodiscard]] Array<T> shared(std::int64_t size) const {
    if (!several()) return Array<T>(size);
    const bool one = choice_ == Memory::near;
    return Array<T>(size, PageBlock(bytes<T>(size), one ? NodeSet{node_of_worker_[0]} : nodes_, options));
  }
  /// All on one node.
  template <class T>
  [[nodiscard]] static Array<T> on(int node, std::int64_t size) {
    return Array<T>(size, PageBlock(bytes<T>(size), on_node{node}, options));
  }

 private:
  static constexpr MemoryOptions options{.huge = HugePages::advised};
  template <class T>
  static std::size_t bytes(std::int64_t size) {
    return static_cast<std::size_t>(size) * sizeof(T);
  }

  Memory choice_ = Memory::touched;
  std::vector<int> node_of_worker_;
  std::vector<int> node_of_part_;
  NodeSet nodes_;
};

}  // namespace charm::workloads
