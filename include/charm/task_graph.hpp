// Task graphs: tasks and the order among them, built once and run any number of times.
//
// Users of Taskflow find emplace, precede, succeed, composed_of, subflows (subgraph) and condition tasks; users of
// oneTBB's flow graph find make_edge and cancel. docs/task-graphs.md has examples of all of them, and says what is
// different. A graph runs on the same workers as all other tasks; the code is in src/task_dag.
#pragma once

#include <charm/detail/graph_node.hpp>
#include <charm/error.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <stop_token>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace charm {

class GraphSelector;
class task_graph;
namespace detail {
GraphState& state_of(task_graph& graph) noexcept;
}

/// How the ready nodes of a graph come to the workers (docs/task-graphs.md).
enum class GraphSchedule : std::uint8_t {
  stream,     ///< each node is queued at once on the worker that made it ready; idle workers steal it
  batch,      ///< all nodes that are ready together are divided evenly among idle workers, level by level
  automatic,  ///< as the graph's selector chooses before each run (charm/graph_selector.hpp)
};

/// A kind of node, for costs: nodes of one kind do about the same work. Kind 0 is that of nodes that were given none.
class task_kind {
 public:
  constexpr task_kind() noexcept = default;
  /// The kind of that name; the same name gives the same kind. \throws Error (bad_input) for the 1024th name.
  explicit task_kind(std::string_view name);
  /// From 0.
  [[nodiscard]] int id() const noexcept { return id_; }
  /// As it was given; empty for kind 0.
  [[nodiscard]] std::string name() const;
  /// Whether both are one kind.
  friend bool operator==(task_kind, task_kind) = default;

 private:
  friend class graph_node;
  std::uint16_t id_ = 0;
};

/// What the runtime has measured of a kind of node: the time of a sample of them, in all graphs.
struct TaskCost {
  double mean_ns = 0;         ///< exponentially weighted mean, in nanoseconds; 0 before the first sample
  double deviation_ns = 0;    ///< standard deviation, weighted in the same way
  std::uint64_t samples = 0;  ///< nodes that were timed
};
/// The cost of a kind as measured so far.
[[nodiscard]] TaskCost cost_of(task_kind kind) noexcept;

/// A handle of a node. It is valid until the graph is cleared or destroyed, and moves with the graph. The functions
/// throw Error (bad_input) for an empty handle, one from before clear(), nodes of another graph, and while the graph
/// runs.
class graph_node {
 public:
  /// An empty handle.
  constexpr graph_node() noexcept = default;

  /// Makes these nodes run after this one. If this node is a condition the edges are conditional: when it returns i,
  /// the i-th edge (from 0, in the order of the calls) starts its node at once, whatever else that node waits for, and
  /// the others do nothing. If there is no such edge, nothing starts.
  template <class... Nodes>
  graph_node& precede(const Nodes&... later) {
    (add_edge(*this, later), ...);
    return *this;
  }
  /// Makes this node run after these.
  template <class... Nodes>
  graph_node& succeed(const Nodes&... earlier) {
    (add_edge(earlier, *this), ...);
    return *this;
  }

  /// Names the node, for errors and dump().
  graph_node& name(std::string_view name);
  /// Its name; empty if it has none.
  [[nodiscard]] std::string name() const;
  /// Sets its kind.
  graph_node& kind(task_kind kind);
  /// Its kind.
  [[nodiscard]] task_kind kind() const;
  /// Its number: nodes are numbered from 0 in the order in which they were made.
  [[nodiscard]] std::size_t index() const;
  /// Number of edges to it, conditional ones not counted.
  [[nodiscard]] std::size_t num_predecessors() const;
  /// Number of edges from it.
  [[nodiscard]] std::size_t num_successors() const;
  /// Whether the handle is empty.
  [[nodiscard]] bool empty() const noexcept { return graph_ == nullptr; }
  /// Whether both are handles of one node, or empty.
  friend bool operator==(const graph_node&, const graph_node&) = default;

 private:
  friend class graph_builder;
  graph_node(detail::GraphState* graph, std::uint32_t index) noexcept
      : graph_(graph), index_(index), generation_(detail::graph_generation(*graph)) {}
  static void add_edge(const graph_node& from, const graph_node& to);
  detail::GraphNode& node(const char* what) const;

  detail::GraphState* graph_ = nullptr;
  std::uint32_t index_ = 0;
  std::uint32_t generation_ = 0;
};

/// Makes `to` run after `from`, as from.precede(to).
inline void make_edge(graph_node from, const graph_node& to) { from.precede(to); }

/// What task_graph and subgraph have in common: making nodes.
class graph_builder {
 public:
  graph_builder(const graph_builder&) = delete;
  graph_builder& operator=(const graph_builder&) = delete;

  /// Makes a node that calls `function`, which may be movable only. What it is called with and returns decides what
  /// the node is:
  /// - `void()`: a task
  /// - an integer or bool from `()`: a condition, which chooses which of its successors runs next
  /// - `void(charm::subgraph&)`: a task that makes further tasks when it runs; its successors wait for these, too.
  /// \throws Error (bad_input) while the graph runs; std::bad_alloc, and what copying `function` throws, after which
  /// the graph is as before.
  template <class F>
    requires std::is_invocable_v<std::decay_t<F>&> || std::is_invocable_v<std::decay_t<F>&, subgraph&>
  graph_node emplace(F&& function);
  /// The same for several functions: `auto [a, b] = graph.emplace([] {}, [] {})`.
  template <class F, class G, class... Rest>
  auto emplace(F&& first, G&& second, Rest&&... rest) {
    graph_node one = emplace(std::forward<F>(first));
    graph_node two = emplace(std::forward<G>(second));
    return std::tuple<graph_node, graph_node, decltype(static_cast<void>(rest), graph_node())...>{
        one, two, emplace(std::forward<Rest>(rest))...};
  }
  /// Makes a node that runs all of another graph, which is not copied: it must exist, and must not be changed, as long
  /// as this one may run. Two nodes of one graph may be composed of the same other if one runs after the other.
  /// \throws Error (bad_input) if `other` is, or contains, this graph.
  graph_node composed_of(task_graph& other);

  /// Number of nodes.
  [[nodiscard]] std::size_t size() const noexcept;
  /// Whether there are no nodes.
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  /// The node of that number. \throws Error (bad_input) if there is none.
  [[nodiscard]] graph_node node(std::size_t index) const;
  /// Number of edges.
  [[nodiscard]] std::size_t num_edges() const noexcept;

 protected:
  /// Of a graph that exists.
  explicit graph_builder(detail::GraphState* state) noexcept : state_(state) {}
  ~graph_builder() = default;
  /// Null in a graph that was moved from.
  detail::GraphState* state_;
};

/// The tasks that a node makes when it runs. They run when its function has returned, or in join().
class subgraph : public graph_builder {
 public:
  /// Runs what has been made so far and waits for it; afterwards the subgraph is empty, and more may be made.
  /// \throws what the first task that failed has thrown; Error (cancelled).
  void join();

 private:
  friend struct detail::GraphNode;
  friend class detail::GraphState;
  explicit subgraph(detail::GraphState* state) noexcept : graph_builder(state) {}
};

/// A graph of tasks. Building it is for one thread at a time. While it runs it cannot be changed, and cannot be run a
/// second time: run() says so and nothing is lost.
///
/// The first exception that leaves a node ends the run: nodes that have not started are skipped, and run() rethrows it.
/// The graph can then be run again. A run belongs to the task group or loop of the task that calls run(): when that is
/// cancelled, the run is, too. Loops and groups within nodes belong to the run.
class task_graph : public graph_builder {
 public:
  /// An empty graph. \param name for errors and dump().
  explicit task_graph(std::string_view name = {});
  /// Handles of nodes move along. The other graph can only be assigned to and destroyed afterwards.
  task_graph(task_graph&& other) noexcept : graph_builder(std::exchange(other.state_, nullptr)) {}
  /// Exchanges the two graphs.
  task_graph& operator=(task_graph&& other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  /// The graph must not run.
  ~task_graph();

  /// Removes all nodes and keeps the memory for new ones. \throws Error (bad_input) while the graph runs.
  void clear();

  /// Runs every node once, each after all of its predecessors, and returns when all have ended. The calling task takes
  /// part, and may be suspended (docs/suspension.md); other threads sleep. \param stop cancels the run, as cancel().
  /// \return false if the run was cancelled, so that nodes were skipped.
  /// \throws the first exception of a node; Error: bad_input for a cycle (naming it), for a graph in which no node can
  /// be the first, if the graph runs already; cancelled if a group or loop around the call was cancelled; not_running.
  bool run(std::stop_token stop = {});
  /// Runs it `times` times, one after the other, until one is cancelled. \return as run().
  bool run_n(std::size_t times, std::stop_token stop = {});
  /// Runs it, and again until `done()` is true. \return as run().
  template <class P>
  bool run_until(P&& done, const std::stop_token& stop = {}) {
    do {
      if (!run(stop)) return false;
    } while (!done());
    return true;
  }

  /// Makes the present run skip the nodes that have not started. Any thread may call it, nodes included. Without a run
  /// it does nothing.
  void cancel() noexcept;
  /// Whether it runs.
  [[nodiscard]] bool running() const noexcept;

  /// How its nodes are scheduled; GraphSchedule::stream for a new graph. \throws Error (bad_input) while it runs.
  void set_schedule(GraphSchedule schedule);
  /// As it was set.
  [[nodiscard]] GraphSchedule schedule() const noexcept;
  /// The schedule of the last run, stream or batch.
  [[nodiscard]] GraphSchedule last_schedule() const noexcept;

  /// Checks for cycles, as run() does. \throws Error (bad_input).
  void check();
  /// Bytes of memory that the graph has.
  [[nodiscard]] std::size_t memory_bytes() const noexcept;
  /// Writes the graph in the language of Graphviz: conditional edges are dashed and have the number that chooses them,
  /// graphs that nodes are composed of are clusters.
  void dump(std::ostream& out) const;
  /// The same as text.
  [[nodiscard]] std::string dump() const;
  /// The name of the graph.
  [[nodiscard]] std::string name() const;

 private:
  friend class graph_builder;
  friend struct GraphFeatures;
  friend void set_selector(task_graph& graph, GraphSelector selector);
  friend detail::GraphState& detail::state_of(task_graph& graph) noexcept;
};

template <class F>
  requires std::is_invocable_v<std::decay_t<F>&> || std::is_invocable_v<std::decay_t<F>&, subgraph&>
graph_node graph_builder::emplace(F&& function) {
  return {state_, detail::emplace_node(*state_, std::forward<F>(function))};
}

}  // namespace charm
