// A node of a task graph, and the memory of a graph (charm/task_graph.hpp has the interface).
//
// A node is one cache line. Successors are numbers of nodes, two of them in the node itself, so that chains and
// wavefronts need no memory besides their nodes; further ones are in an array of the graph's arena. A callable of at
// most a pointer's size is in the node, others are in the arena.
//
// Invariants
// - Counts are whole between runs: While a graph does not run, `pending` equals `predecessors` in every node. Graphs
//   with conditional edges, and those whose last run was dropped by finalize(), are exceptions; run() restores their
//   counts before it begins.
// - Queued once for each run: A node is queued once for each time that it is to run: the predecessor whose arrival
//   makes `pending` 0 queues it. Nodes with conditional edges to them have a bit in `pending` from then until they have
//   run, so that a condition cannot queue a node that is queued or running already.
#pragma once

#include <charm/detail/job.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace charm {
class subgraph;
class task_graph;
}  // namespace charm

namespace charm::detail {

class GraphState;
struct GraphNode;

/// What is known about a node's callable.
struct GraphNodeType {
  enum class Kind : std::uint8_t { work, condition, dynamic, module };
  Kind kind;
  /// Calls it. \param dynamic of a dynamic node: where it puts its tasks. \return of a condition: what it returned.
  std::int64_t (*call)(GraphNode& node, subgraph* dynamic);
  void (*destroy)(GraphNode& node) noexcept;  // null: nothing to destroy
};

struct alignas(64) GraphNode : Job {
  static constexpr std::uint32_t queued = 1U << 31U;  // in `pending` (queued once for each run)
  enum Flags : std::uint8_t { chosen = 1 };

  GraphNode(Run start, const GraphNodeType& t, GraphState& graph) noexcept : Job(start), type(&t), owner(&graph) {}

  const GraphNodeType* type;
  GraphState* owner;
  GraphNode* next = nullptr;  // in a list of ready nodes
  union {
    std::uint32_t few[2];  // successors, where there are at most two
    std::uint32_t* many;
  };
  std::atomic<std::uint32_t> pending{0};  // arrivals until it may run
  std::uint32_t predecessors = 0;         // by edges that are not conditional
  std::uint32_t successor_count = 0;
  std::uint16_t kind = 0;
  std::uint8_t flags = 0;  // chosen: a conditional edge leads to it
  alignas(8) std::byte storage[8];

  [[nodiscard]] const std::uint32_t* successors() const noexcept { return successor_count <= 2 ? few : many; }
};
static_assert(sizeof(GraphNode) == 64);

/// Of dynamic nodes and modules, whose storage points to this: the graph within.
struct NestedGraph {
  GraphState* graph = nullptr;
};
template <class F>
struct NestedBody : NestedGraph {
  template <class G>
    requires(!std::is_same_v<std::remove_cvref_t<G>, NestedBody>)
  explicit NestedBody(G&& f) : function(std::forward<G>(f)) {}
  F function;
};

template <class F>
inline constexpr bool is_dynamic = std::is_invocable_v<F&, subgraph&>;

/// What a node's storage holds or points to.
template <class F>
using StoredCallable = std::conditional_t<is_dynamic<F>, NestedBody<F>, F>;
template <class F>
inline constexpr bool fits_node = !is_dynamic<F> && sizeof(F) <= sizeof(GraphNode::storage) && alignof(F) <= 8;

template <class F>
StoredCallable<F>& stored_in(GraphNode& node) noexcept {
  if constexpr (fits_node<F>) {
    return *std::launder(reinterpret_cast<F*>(node.storage));
  } else {
    return **std::launder(reinterpret_cast<StoredCallable<F>**>(node.storage));
  }
}

template <class F>
inline constexpr bool is_condition = [] {
  if constexpr (!is_dynamic<F> && std::is_invocable_v<F&>)
    return std::is_integral_v<std::invoke_result_t<F&>>;
  else
    return false;
}();

template <class F>
struct GraphNodeTypeOf {
  static std::int64_t call(GraphNode& node, [[maybe_unused]] subgraph* dynamic) {
    auto& stored = stored_in<F>(node);
    if constexpr (is_dynamic<F>) {
      stored.function(*dynamic);
      return 0;
    } else if constexpr (is_condition<F>) {
      return static_cast<std::int64_t>(stored());
    } else {
      static_cast<void>(stored());
      return 0;
    }
  }
  static void destroy(GraphNode& node) noexcept { std::destroy_at(&stored_in<F>(node)); }
  static constexpr GraphNodeType value{is_dynamic<F>     ? GraphNodeType::Kind::dynamic
                                       : is_condition<F> ? GraphNodeType::Kind::condition
                                                         : GraphNodeType::Kind::work,
                                       &call, std::is_trivially_destructible_v<F> ? nullptr : &destroy};
};

// The functions of src/task_dag that the header calls.

GraphState* make_graph();
void destroy_graph(GraphState* graph) noexcept;
/// Makes the node that comes next; node_made() follows once its callable is in place, and makes it a part of the graph.
/// \throws Error (bad_input) while the graph runs, or if there are 2^32 - 16 nodes.
GraphNode* new_graph_node(GraphState& graph, const GraphNodeType& type);
/// \return the node's number.
std::uint32_t node_made(GraphState& graph, const GraphNode& node) noexcept;
void* graph_memory(GraphState& graph, std::size_t bytes, std::size_t alignment);
[[nodiscard]] std::uint32_t graph_generation(const GraphState& graph) noexcept;

/// Makes a node of a callable. \return its number.
template <class F>
std::uint32_t emplace_node(GraphState& graph, F&& function) {
  using Callable = std::decay_t<F>;
  GraphNode* node = new_graph_node(graph, GraphNodeTypeOf<Callable>::value);
  if constexpr (fits_node<Callable>) {
    ::new (static_cast<void*>(node->storage)) Callable(std::forward<F>(function));
  } else {
    using Stored = StoredCallable<Callable>;
    void* memory = graph_memory(graph, sizeof(Stored), alignof(Stored));
    auto* made = ::new (memory) Stored(std::forward<F>(function));
    ::new (static_cast<void*>(node->storage)) Stored*(made);
  }
  return node_made(graph, *node);
}

}  // namespace charm::detail
