// A task graph: its nodes, edges and memory, and the counts of its present run.
//
// Nodes are numbered from 0 and lie in slabs, each twice as large as the one before, so a few instructions find the
// node of a number and no node ever moves. Arrays of successors and callables lie in an arena of blocks. clear() keeps
// slabs and blocks. A node takes 64 bytes (the slabs have at most twice that, but the pages of the unused part are
// never touched), and 4 bytes for each edge if it has more than two.
#pragma once

#include <charm/detail/graph_node.hpp>
#include <charm/task_graph.hpp>

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace charm::task_dag {
struct GraphRun;
}

namespace charm::detail {

class GraphState {
 public:
  GraphState() = default;
  GraphState(const GraphState&) = delete;
  GraphState& operator=(const GraphState&) = delete;
  ~GraphState();

  // ---- building ----

  GraphNode* begin_node(const GraphNodeType& type);
  std::uint32_t end_node(const GraphNode& node) noexcept;
  /// \param alignment a power of 2. The memory stays until the graph is cleared.
  void* memory(std::size_t bytes, std::size_t alignment);
  void add_edge(std::uint32_t from, std::uint32_t to);
  /// Ends the callables and forgets nodes and edges; keeps the memory.
  void clear() noexcept;

  [[nodiscard]] GraphNode* at(std::uint32_t index) const noexcept {
    const auto slab = static_cast<std::size_t>(std::bit_width(index + first_slab) - 1 - first_slab_bits);
    return slabs_[slab].get() + (index + first_slab - (first_slab << slab));
  }
  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }
  [[nodiscard]] std::uint64_t edges() const noexcept { return edges_; }
  [[nodiscard]] std::uint32_t generation() const noexcept { return generation_; }
  [[nodiscard]] std::size_t memory_bytes() const noexcept { return bytes_; }
  /// The number of a node of this graph; looks through the slabs.
  [[nodiscard]] std::uint32_t index_of(const GraphNode& node) const noexcept;
  /// "'name'" or "#number".
  [[nodiscard]] std::string called(std::uint32_t index) const;
  /// "task graph 'name'" or "a task graph".
  [[nodiscard]] std::string called() const;
  /// Whether the graph has not changed since the last call of prepare().
  [[nodiscard]] bool prepared() const noexcept { return prepared_; }

  /// The graph within a dynamic node or module.
  [[nodiscard]] static NestedGraph& nested(const GraphNode& node) noexcept {
    return **std::launder(reinterpret_cast<NestedGraph* const*>(node.storage));
  }
  /// A node that runs all of `other`.
  std::uint32_t compose(GraphState& other);
  /// Calls `function` of a dynamic node, with the graph that it fills.
  void call_dynamic(GraphNode& node);
  void must_not_run(const char* what) const;

  std::string name;
  std::unordered_map<std::uint32_t, std::string> names;

  // ---- running ----

  /// Finds the nodes that are first, and cycles. Does nothing if the graph has not changed since the last call.
  /// \throws Error (bad_input).
  void prepare();
  /// Calls `function(width)` for every level: nodes without predecessors, then those that have only these, and so on.
  /// Nodes after conditional edges alone are in the first. The graph is prepared and does not run.
  template <class F>
  void for_levels(F&& function) noexcept {
    GraphNode* level = nullptr;
    for (std::uint32_t i = 0; i < size_; ++i) {
      if (at(i)->predecessors == 0) {
        at(i)->next = level;
        level = at(i);
      }
    }
    while (level != nullptr) {
      std::uint32_t width = 0;
      GraphNode* below = nullptr;
      for (; level != nullptr; level = level->next, ++width) lower_after(*level, below);
      function(width);
      level = below;
    }
    restore_counts();
  }
  /// Claims the graph for a run, so that it can neither be changed nor run a second time. \throws Error (bad_input).
  void claim();
  [[nodiscard]] bool claimed() const noexcept { return claimed_.load(std::memory_order_acquire); }
  /// Restores `pending` if a run may have changed it (counts are whole between runs), and sets `left`. \param parent
  /// the node that contains this graph; null if there is none.
  void begin(task_dag::GraphRun& run, GraphNode* parent) noexcept;
  /// The run has ended; the graph may be changed again.
  void end() noexcept;
  /// The same where finalize() has dropped the run.
  void dropped() noexcept;
  /// Cancels the run, if there is one.
  void cancel() noexcept;
  [[nodiscard]] const std::vector<std::uint32_t>& sources() const noexcept { return sources_; }

  task_dag::GraphRun* run = nullptr;
  GraphNode* parent = nullptr;
  bool counted =
      true;  // `left` is the nodes that have not ended; else the chains of nodes that have not (graph_run.cpp)
  alignas(64) std::atomic<std::int64_t> left{0};

  GraphSchedule schedule = GraphSchedule::stream;
  GraphSchedule last_schedule = GraphSchedule::stream;
  std::shared_ptr<const GraphSelector> selector;  // null: the default one
  GraphSchedule choice = GraphSchedule::stream;   // of the selector, the last time it was asked
  std::uint64_t automatic_runs = 0;               // since the graph or the selector was changed

 private:
  static constexpr std::uint32_t first_slab_bits = 4;
  static constexpr std::uint32_t first_slab = 1U << first_slab_bits;
  static constexpr std::uint32_t most_nodes = UINT32_MAX - first_slab;
  struct FreeNodes {
    void operator()(GraphNode* nodes) const noexcept { ::operator delete(nodes, std::align_val_t{64}); }
  };
  struct FreeBlock {
    void operator()(std::byte* block) const noexcept { ::operator delete(block, std::align_val_t{64}); }
  };
  struct Block {
    std::unique_ptr<std::byte, FreeBlock> memory;
    std::size_t bytes;
  };
  void destroy_callables() noexcept;
  [[nodiscard]] bool contains(const GraphState& other) const;
  void find_cycle();
  void restore_counts() noexcept;
  /// Lowers `pending` of the nodes after this one, and adds those that nothing else comes before to the list.
  void lower_after(const GraphNode& node, GraphNode*& list) const noexcept;

  std::array<std::unique_ptr<GraphNode, FreeNodes>, 29> slabs_;
  std::vector<Block> blocks_;
  std::size_t block_ = 0;  // that is being filled
  std::size_t used_ = 0;   // bytes of it
  std::size_t bytes_ = 0;
  std::uint32_t size_ = 0;
  std::uint32_t generation_ = 0;
  std::uint64_t edges_ = 0;
  bool forward_ = true;      // all edges lead to nodes with higher numbers, so that there is no cycle
  bool conditions_ = false;  // some edges are conditional
  bool destroys_ = false;    // some nodes own what has to be destroyed
  bool prepared_ = true;
  bool spoilt_ = false;  // a run was dropped on its way
  std::atomic<bool> claimed_{false};
  std::vector<std::uint32_t> sources_;
  std::vector<std::uint32_t> modules_;
  std::mutex run_mutex_;  // so that the run that cancel() finds does not end meanwhile
};

}  // namespace charm::detail
