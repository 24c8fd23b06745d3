// std::pmr resources on chosen nodes: any standard container, on the node that its program chooses.
#pragma once

#include <charm/id_set.hpp>
#include <charm/page_block.hpp>

#include <cstddef>
#include <memory_resource>
#include <vector>

namespace charm {
namespace detail {

/// Allocates whole pages; the pools of a memory_resource are made of them.
class PageResource : public std::pmr::memory_resource {
 public:
  /// \param nodes none: first touch; one: on it; several: pages alternate over them.
  /// \throws Error (bad_input) if there is no such node, (not_running).
  PageResource(const NodeSet& nodes, MemoryOptions options);

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* pointer, std::size_t bytes, std::size_t alignment) override;
  [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }
  // The system's numbers of the nodes; none where nothing can be placed. Memory is asked for when the runtime does not
  // run any more, too: pools do when a thread ends that has used them, and containers may live longer.
  std::vector<int> numbers_;
  MemoryOptions options_;
};

}  // namespace detail

/// A std::pmr::memory_resource whose memory lies on chosen nodes. Any thread may use it. Small blocks come from pools,
/// so that one page holds many. Large blocks are pages of their own, which return to the system when they are freed;
/// the pools return when the resource is destroyed. Containers must not outlive it. It may outlive the runtime, and
/// goes on to place what is asked for.
class memory_resource : public std::pmr::memory_resource {
 public:
  /// Each page lies on the node of the thread that touches it first.
  explicit memory_resource(MemoryOptions options = {}) : pages_({}, options) {}
  /// Memory lies on the node of a worker or chiplet, or on that node. \param where on_worker, on_chiplet, on_node, or a
  /// worker's number. \throws Error: bad_input, not_running.
  template <class Where>
    requires requires(Where where) { detail::target(where); }
  explicit memory_resource(Where where, MemoryOptions options = {})
      : pages_({detail::node_of_target(detail::target(where))}, options) {}
  /// The nodes that have workers, for the next constructor. \throws Error (not_running).
  static NodeSet all_nodes() { return detail::nodes_with_workers(); }
  /// Pages alternate over `nodes` (ids of Machine::nodes). \throws Error (bad_input) if there is no such node.
  explicit memory_resource(const NodeSet& nodes, MemoryOptions options = {}) : pages_(nodes, options) {}

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override { return pools_.allocate(bytes, alignment); }
  void do_deallocate(void* pointer, std::size_t bytes, std::size_t alignment) override {
    pools_.deallocate(pointer, bytes, alignment);
  }
  [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }

  detail::PageResource pages_;
  std::pmr::synchronized_pool_resource pools_{&pages_};
};

}  // namespace charm
