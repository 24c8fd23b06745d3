// Memory in whole pages on chosen nodes: the basis of near, interleaved, partitioned and replicated arrays, and the
// query where pages really lie.
#pragma once

#include <charm/call.hpp>
#include <charm/id_set.hpp>
#include <charm/page_options.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace charm {

/// A place for what all workers use: the nodes that have workers, in turn, or as the setting `home` says.
struct over_workers {};

/// Zeroed pages that cost nothing until they are touched. If a node is full, or the process may not use it, pages come
/// from another node: memory is never refused because of its place. If the kernel refuses to place memory at all
/// (containers without the system calls), that is reported once.
class PageBlock {
 public:
  PageBlock() = default;
  /// Each page lies on the node of the thread that touches it first. \throws Error (system) if there is not that much
  /// address space.
  explicit PageBlock(std::size_t bytes, MemoryOptions options = {});
  /// All pages lie on one node. \throws Error: system; not_running without a runtime; bad_input if there is no such
  /// node.
  PageBlock(std::size_t bytes, on_node node, MemoryOptions options = {});
  /// Pages alternate over the nodes that have workers; with the setting home = traffic they are spread by the weights
  /// of the malloc (docs/malloc.md), or alternate where none are published, which is reported once. \throws Error as
  /// above.
  PageBlock(std::size_t bytes, over_workers everyone, MemoryOptions options = {});
  /// Pages alternate over `nodes`. \throws Error as above.
  PageBlock(std::size_t bytes, const NodeSet& nodes, MemoryOptions options = {});
  /// The pages of each run lie on its node; pages in no run lie where they are touched first. \throws Error as above.
  PageBlock(std::size_t bytes, const std::vector<PageRun>& runs, MemoryOptions options = {});
  /// The other one is empty afterwards.
  PageBlock(PageBlock&& other) noexcept { swap(other); }
  /// The other one is empty afterwards; the pages that this one had are given back.
  PageBlock& operator=(PageBlock&& other) noexcept {
    PageBlock taken(std::move(other));
    swap(taken);
    return *this;
  }
  PageBlock(const PageBlock&) = delete;
  PageBlock& operator=(const PageBlock&) = delete;
  ~PageBlock() { release(); }

  /// The first byte; page-aligned.
  [[nodiscard]] void* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }  ///< a number of whole pages, as many as needed
  /// Whether the kernel accepted the placement; false if none was asked for.
  [[nodiscard]] bool placed() const noexcept { return placed_; }
  /// Gives the pages behind the first `bytes` back to the system.
  void shrink(std::size_t bytes) noexcept;
  /// Exchanges two blocks.
  void swap(PageBlock& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(unit_, other.unit_);
    std::swap(placed_, other.placed_);
  }

 private:
  void release() noexcept;

  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t unit_ = 0;  // // the length is a multiple of this
  bool placed_ = false;
};

/// The node (id of Machine::nodes) on which the page of `address` lies; -1 if the page has not been touched, or the
/// kernel does not say. Takes about a microsecond. \throws Error (not_running).
[[nodiscard]] int node_of(const void* address);

/// How the pages of [data, data + bytes) are spread over the nodes. \throws Error (not_running).
[[nodiscard]] PageCensus page_census(const void* data, std::size_t bytes);

/// Bytes that the process can still allocate without swapping: the memory that the kernel calls available, but no more
/// than the limits of its cgroups leave; 0 if neither is known.
[[nodiscard]] std::uint64_t available_memory();

namespace detail {
/// Id of the node that a destination's memory is on. \throws Error: bad_input, not_running.
int node_of_target(Target target);
/// The nodes that have workers; all with cpus if workers are not bound. \throws Error
/// (not_running).
NodeSet nodes_with_workers();
/// Id of the node of every worker; workers that are not bound are assigned evenly to the nodes with cpus.
/// \throws Error (not_running).
std::vector<int> nodes_of_workers();
/// Id of the node that the calling thread runs on, in [0, Machine::nodes). \throws Error (not_running).
int current_node();
std::size_t page_bytes() noexcept;
std::size_t huge_page_bytes() noexcept;
}  // namespace detail

}  // namespace charm
