// A run of a task graph: what its workers share, and the chain of nodes that one of them runs.
//
// A worker runs a chain: a node, one of the successors that this has made ready, and so on. It gives the other
// successors to its deque (stream), from where thieves take them, or to the list of the next level (batch).
//
// - Count what is left: a graph without conditional edges has ended when all of its nodes have: `left` is their number,
//   and a chain subtracts those that it has run when it ends or goes on in another graph, not one by one. With
//   conditional edges it is not known how many nodes will run; `left` then counts chains, raised before a node is given
//   away.
// - The worker that makes `left` 0 continues with the node that contains the graph, or completes the run, and accesses
//   nothing of the graph or the run afterwards.
// - Overflow is not forgotten: nodes that do not fit into a full deque go to the run's list. A chain looks there before
//   it ends, while it still counts in `left` (so the run exists); so does a chain that has added to the list. So no
//   node is forgotten.
#pragma once

#include <charm/detail/cancel_scope.hpp>
#include <charm/detail/completion.hpp>
#include <charm/detail/graph_node.hpp>

#include <atomic>
#include <cstdint>
#include <mutex>

namespace charm::task_dag {

using detail::GraphNode;
using detail::GraphState;

/// The function of a node as a job: runs the chain that begins with it.
void start_of_node(detail::Job* job) noexcept;

struct GraphRun {
  explicit GraphRun(const detail::CancelScope* outer) noexcept : scope(outer) {}
  void cancel() noexcept {
    cancelled.store(true, std::memory_order_relaxed);
    scope.cancel();
  }

  detail::FailScope scope;
  detail::Completion done;
  std::atomic<bool> cancelled{false};  // by cancel() or a stop token

  // Overflow is not forgotten.
  void spill(GraphNode& node) noexcept;
  GraphNode* unspill() noexcept;

 private:
  std::atomic<bool> spilled_{false};
  std::mutex mutex_;
  GraphNode* first_ = nullptr;
};

/// A list of ready nodes, in the order in which they came.
struct NodeList {
  GraphNode* first = nullptr;
  GraphNode* last = nullptr;
  std::int64_t count = 0;
  void append(GraphNode& node) noexcept;
  void append(NodeList& other) noexcept;
  /// Takes the first `most` nodes.
  NodeList take(std::int64_t most) noexcept;
};

/// What one worker runs at a stretch.
class Chain {
 public:
  explicit Chain(GraphRun& run) noexcept : run_(run) {}

  /// Runs the nodes of a stream that begin with `first`, and those that this worker has in its deque.
  /// \param may_leave whether it may give what is left back to the scheduler after a while.
  /// \return whether this has ended the run: then done.complete() is to follow, as the last act.
  bool stream(GraphNode* first, bool may_leave) noexcept;
  /// Runs all nodes of a part of a level, and adds the nodes that become ready to `next`.
  void batch(NodeList part, NodeList& next) noexcept;
  /// Adds the first nodes of a graph to the deque, but for one, which it returns.
  GraphNode* begin(GraphState& graph) noexcept;
  /// Adds the first nodes of a graph to a list.
  void gather(GraphState& graph, NodeList& list) noexcept;

 private:
  void run(GraphNode& node) noexcept;
  void call(GraphNode& node);
  bool enter(GraphState& graph, GraphNode& parent);
  void finish(GraphNode& node, std::int64_t choice) noexcept;
  void ready(GraphNode& node) noexcept;
  bool arrive(GraphNode& node) noexcept;
  void choose(GraphNode& node) noexcept;
  void count_in(GraphState& graph) noexcept;
  bool settle() noexcept;
  GraphNode* from_deque() noexcept;

  GraphRun& run_;
  GraphNode* next_ = nullptr;
  NodeList* gathered_ = nullptr;  // of a batch
  GraphState* graph_ = nullptr;   // whose `left` is to be lowered by ended_
  std::int64_t ended_ = 0;
};

/// Run a graph that was begun, and wait for its end. run_levels() \throws std::bad_alloc before any node has run.
void run_stream(GraphState& graph, GraphRun& run);
void run_levels(GraphState& graph, GraphRun& run);

}  // namespace charm::task_dag
