// Arrays placed on the nodes of a NUMA machine (ARCAS §4, CHARM §4.6): near one place, interleaved over all nodes,
// partitioned among the workers, replicated on every node.
//
// Elements begin as zero bytes, and their pages cost nothing until they are touched. Element types must therefore be
// trivial; for other types use containers with a charm::memory_resource. If the kernel places nothing, all four are
// plain arrays.
#pragma once

#include <charm/id_set.hpp>
#include <charm/page_block.hpp>
#include <charm/runtime.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace charm {

/// A half-open range of elements.
struct PartRange {
  std::size_t first = 0;                                                    ///< index of the first element
  std::size_t last = 0;                                                     ///< index behind the last one
  [[nodiscard]] std::size_t size() const noexcept { return last - first; }  ///< number of elements
};
/// Part `part` of `parts` when [0, size) is split evenly. Parts differ by one element at most, and the earlier ones are
/// the larger. The static schedule has the same ranges, in the order of the chiplets, where all cores are of one kind.
[[nodiscard]] constexpr PartRange part_of(std::size_t size, std::size_t part, std::size_t parts) noexcept {
  const std::size_t each = size / parts;
  const std::size_t more = size % parts;
  const std::size_t first = part * each + (std::min)(part, more);
  return {first, first + each + (part < more ? 1 : 0)};
}

namespace detail {

/// What near, interleaved and partitioned have in common: elements in one block.
template <class T>
class PlacedArray {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>,
                "elements begin as zero bytes and end without a destructor; use a container with a memory_resource");

 public:
  using value_type = T;

  /// Number of elements.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] T* data() noexcept { return data_; }
  [[nodiscard]] const T* data() const noexcept { return data_; }
  T& operator[](std::size_t i) noexcept { return data_[i]; }
  const T& operator[](std::size_t i) const noexcept { return data_[i]; }
  T* begin() noexcept { return data_; }
  T* end() noexcept { return data_ + size_; }
  const T* begin() const noexcept { return data_; }
  const T* end() const noexcept { return data_ + size_; }
  [[nodiscard]] std::span<T> span() noexcept { return {data_, size_}; }
  [[nodiscard]] std::span<const T> span() const noexcept { return {data_, size_}; }
  /// Whether the kernel accepted the placement.
  [[nodiscard]] bool placed() const noexcept { return block_.placed(); }

 protected:
  PlacedArray() = default;
  PlacedArray(std::size_t size, PageBlock block)
      : block_(std::move(block)), data_(static_cast<T*>(block_.data())), size_(size) {}
  PlacedArray(PlacedArray&& other) noexcept { swap(other); }
  PlacedArray& operator=(PlacedArray&& other) noexcept {
    PlacedArray taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~PlacedArray() = default;
  void swap(PlacedArray& other) noexcept {
    block_.swap(other.block_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }
  /// \throws Error (bad_input) where the size does not fit a std::size_t.
  static std::size_t bytes_of(std::size_t size) {
    if (size > static_cast<std::size_t>(-1) / 2 / sizeof(T)) {
      throw Error(Errc::bad_input, "an array of " + std::to_string(size) + " elements is larger than the address space",
                  "check the size");
    }
    return size * sizeof(T);
  }

 private:
  PageBlock block_;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// The runs of an array that is split evenly among parts: whole pages, each for the part that owns most of it.
std::vector<PageRun> partition_runs(std::size_t size, std::size_t element_bytes, const std::vector<int>& node_of_part,
                                    std::size_t page);

}  // namespace detail

/// An array on the node of a worker, a chiplet or a node.
template <class T>
class near : public detail::PlacedArray<T> {
 public:
  near() = default;
  /// On the node that the calling thread runs on. \throws Error: system, bad_input, not_running.
  explicit near(std::size_t size, MemoryOptions options = {}) : near(size, on_node{detail::current_node()}, options) {}
  /// \param where on_worker, on_chiplet, on_node, or a worker's number.
  template <class Where>
    requires requires(Where where) { detail::target(where); } && (!std::is_same_v<Where, MemoryOptions>)
  near(std::size_t size, Where where, MemoryOptions options = {})
      : near(size, on_node{detail::node_of_target(detail::target(where))}, options) {}
  /// On that node. \throws Error: system, bad_input, not_running.
  near(std::size_t size, on_node where, MemoryOptions options = {})
      : detail::PlacedArray<T>(size, PageBlock(near::bytes_of(size), where, options)), node_(where.id) {}
  /// Id of the node that was asked for.
  [[nodiscard]] int node() const noexcept { return node_; }

 private:
  int node_ = -1;
};

/// An array whose pages alternate over nodes: every worker is as near to it as any other, and all memory channels
/// serve it.
template <class T>
class interleaved : public detail::PlacedArray<T> {
 public:
  interleaved() = default;
  /// Over the nodes that have workers, or by the weights of the malloc (setting home). \throws Error: system,
  /// bad_input, not_running.
  explicit interleaved(std::size_t size, MemoryOptions options = {})
      : detail::PlacedArray<T>(size, PageBlock(interleaved::bytes_of(size), over_workers{}, options)) {}
  /// Over the given nodes, also nodes without cpus. \throws Error: system, bad_input, not_running.
  interleaved(std::size_t size, const NodeSet& nodes, MemoryOptions options = {})
      : detail::PlacedArray<T>(size, PageBlock(interleaved::bytes_of(size), nodes, options)) {}
};

/// One array in as many parts as there are workers, part i on the node where worker i was when the array was made.
/// Parts are contiguous: an index means the same as in a plain array. A page on the border of two parts lies on the
/// node of the part that has more of it.
template <class T>
class partitioned : public detail::PlacedArray<T> {
 public:
  partitioned() = default;
  /// \throws Error: system, bad_input, not_running.
  explicit partitioned(std::size_t size, MemoryOptions options = {})
      : partitioned(size, detail::nodes_of_workers(), options) {}
  /// Number of parts: one for each worker.
  [[nodiscard]] std::size_t parts() const noexcept { return nodes_.size(); }
  /// The indices of a part.
  [[nodiscard]] PartRange range(std::size_t part) const noexcept { return part_of(this->size(), part, parts()); }
  /// The elements of a part.
  [[nodiscard]] std::span<T> part(std::size_t part) noexcept {
    return this->span().subspan(range(part).first, range(part).size());
  }
  /// The elements of a part.
  [[nodiscard]] std::span<const T> part(std::size_t part) const noexcept {
    return this->span().subspan(range(part).first, range(part).size());
  }
  /// Id of the node that was asked for, for a part.
  [[nodiscard]] int node(std::size_t part) const { return nodes_.at(part); }

 private:
  partitioned(std::size_t size, std::vector<int> nodes, MemoryOptions options)
      : detail::PlacedArray<T>(
            size, PageBlock(partitioned::bytes_of(size),
                            detail::partition_runs(
                                size, sizeof(T), nodes,
                                options.huge == HugePages::no ? detail::page_bytes() : detail::huge_page_bytes()),
                            options)),
        nodes_(std::move(nodes)) {}
  std::vector<int> nodes_;
};

/// A copy on every node that has workers: reading is local everywhere, writing goes to all copies. It does not protect
/// readers against a concurrent write; the program has to synchronise them.
template <class T>
class replicated {
 public:
  replicated() = default;
  /// \throws Error: system, bad_input, not_running.
  explicit replicated(std::size_t size, MemoryOptions options = {}) : size_(size) {
    for (const int node : detail::nodes_with_workers()) {
      const auto at = static_cast<std::size_t>(node);
      if (copy_of_node_.size() <= at) copy_of_node_.resize(at + 1, 0);
      copy_of_node_[at] = copies_.size();
      copies_.emplace_back(size, on_node{node}, options);
    }
  }
  /// Elements of each copy.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// Number of copies: one for each node that has workers.
  [[nodiscard]] std::size_t copies() const noexcept { return copies_.size(); }
  /// Id of the node that was asked for, for a copy.
  [[nodiscard]] int node(std::size_t copy) const { return copies_.at(copy).node(); }
  /// One of the copies, to be written.
  [[nodiscard]] std::span<T> copy(std::size_t copy) { return copies_.at(copy).span(); }
  /// One of the copies.
  [[nodiscard]] std::span<const T> copy(std::size_t copy) const { return copies_.at(copy).span(); }

  /// The copy on the node of the calling thread; on a node without workers the first copy. Takes tens of nanoseconds,
  /// so call it once before a loop. \throws Error (not_running).
  [[nodiscard]] std::span<const T> local() const {
    const auto node = static_cast<std::size_t>(detail::current_node());
    return copy(node < copy_of_node_.size() ? copy_of_node_[node] : 0);
  }
  /// Writes element `i` of every copy.
  void set(std::size_t i, const T& value) {
    for (near<T>& one : copies_) one[i] = value;
  }
  /// Calls `function(std::span<T>)` once for every copy, in turn, on the calling thread.
  template <class F>
  void write(F&& function) {
    for (near<T>& one : copies_) function(one.span());
  }
  /// Copies `values` to every copy. \throws std::length_error if the sizes differ.
  void assign(std::span<const T> values) {
    if (values.size() != size_) throw std::length_error("charm::replicated::assign: the sizes differ");
    write([&](std::span<T> one) { std::copy(values.begin(), values.end(), one.begin()); });
  }

 private:
  std::size_t size_ = 0;
  std::vector<near<T>> copies_;
  std::vector<std::size_t> copy_of_node_;  // by node id
};

}  // namespace charm
