#include "task_dag/graph_run.hpp"

#include <charm/detail/deque.hpp>
#include <charm/detail/loop.hpp>
#include <charm/detail/scheduler.hpp>
#include <charm/detail/stack_room.hpp>
#include <charm/detail/worker.hpp>
#include <charm/error.hpp>

#include <utility>

#include "task_dag/costs.hpp"
#include "task_dag/graph_state.hpp"

namespace charm::task_dag {

using detail::Deque;
using detail::GraphNodeType;
using detail::this_worker;
using detail::WorkerBase;
using Kind = GraphNodeType::Kind;

namespace {

constexpr int nodes_at_a_stretch = 256;  // of a chain that the scheduler has begun, before others have their turn

/// For the controller: the nodes of all graphs are one kind of work.
const void* kind_of_work() noexcept { return reinterpret_cast<const void*>(&start_of_node); }

}  // namespace

void GraphRun::spill(GraphNode& node) noexcept {
  const std::lock_guard lock(mutex_);
  node.next = first_;
  first_ = &node;
  spilled_.store(true, std::memory_order_release);
}

GraphNode* GraphRun::unspill() noexcept {
  if (!spilled_.load(std::memory_order_acquire)) return nullptr;
  const std::lock_guard lock(mutex_);
  GraphNode* node = first_;
  if (node == nullptr) return nullptr;
  first_ = node->next;
  if (first_ == nullptr) spilled_.store(false, std::memory_order_relaxed);
  return node;
}

void NodeList::append(GraphNode& node) noexcept {
  node.next = nullptr;
  (first == nullptr ? first : last->next) = &node;
  last = &node;
  ++count;
}

void NodeList::append(NodeList& other) noexcept {
  if (other.first == nullptr) return;
  (first == nullptr ? first : last->next) = other.first;
  last = other.last;
  count += other.count;
  other = {};
}

NodeList NodeList::take(std::int64_t most) noexcept {
  NodeList part{first, first, 1};
  while (part.count < most) {
    part.last = part.last->next;
    ++part.count;
  }
  first = part.last->next;
  count -= part.count;
  part.last->next = nullptr;
  return part;
}

void start_of_node(detail::Job* job) noexcept {
  auto* node = static_cast<GraphNode*>(job);
  GraphRun& run = *node->owner->run;
  bool last;
  {
    const detail::WithScope within(&run.scope);
    last = Chain(run).stream(node, true);
  }
  if (last) run.done.complete(true);
}

void Chain::count_in(GraphState& graph) noexcept {
  if (graph_ == &graph) return;
  // Nothing of the former graph can end with this: the chain has a node in it or within it.
  if (graph_ != nullptr && ended_ != 0) graph_->left.fetch_sub(ended_, std::memory_order_acq_rel);
  ended_ = 0;
  graph_ = &graph;
}

/// Subtracts what the chain has run. \return whether that was the end of the run; the end of a graph within a node
/// finishes that node, and `next_` may be set.
bool Chain::settle() noexcept {
  while (graph_ != nullptr && ended_ != 0) {
    GraphState& graph = *graph_;
    const std::int64_t ended = std::exchange(ended_, 0);
    graph_ = nullptr;
    GraphNode* parent = graph.parent;
    if (graph.left.fetch_sub(ended, std::memory_order_acq_rel) != ended) return false;
    if (parent == nullptr) return true;
    graph.end();
    finish(*parent, 0);
    if (next_ != nullptr) return false;  // the rest is subtracted later
  }
  return false;
}

bool Chain::arrive(GraphNode& node) noexcept {
  if ((node.flags & GraphNode::chosen) == 0) [[likely]] {
    // A count of 1 is this arrival's own; a store that nobody reads is left out.
    if (node.pending.load(std::memory_order_acquire) == 1) return true;
    return node.pending.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
  if ((node.pending.fetch_sub(1, std::memory_order_acq_rel) & ~GraphNode::queued) != 1) return false;
  choose(node);
  return false;
}

/// Queues a node that a conditional edge leads to, unless it is queued or runs (queued once for each run,
/// charm/detail/graph_node.hpp).
void Chain::choose(GraphNode& node) noexcept {
  if ((node.pending.fetch_or(GraphNode::queued, std::memory_order_acq_rel) & GraphNode::queued) == 0)
    return ready(node);
  try {
    throw Error(Errc::bad_input,
                "node " + node.owner->called(node.owner->index_of(node)) + " of " + node.owner->called() +
                    " was started by an edge while it was running or about to run",
                "let a conditional edge lead only to nodes that nothing else starts at the same time");
  } catch (...) {
    run_.scope.fail();
  }
}

void Chain::ready(GraphNode& node) noexcept {
  if (gathered_ != nullptr) return gathered_->append(node);
  if (next_ == nullptr) {
    next_ = &node;
    return;
  }
  if (!node.owner->counted) node.owner->left.fetch_add(1, std::memory_order_relaxed);  // count what is left
  if (this_worker()->deque.push(&node) == Deque::full) [[unlikely]]
    run_.spill(node);
}

void Chain::finish(GraphNode& node, std::int64_t choice) noexcept {
  GraphState& graph = *node.owner;
  count_in(graph);
  node.pending.store(node.predecessors, std::memory_order_relaxed);
  const std::uint32_t* successors = node.successors();
  const std::uint32_t count = node.successor_count;
  if (!graph.counted) [[unlikely]] {
    // The node's own chain goes on with a successor, or ends here. In a batch every node is a chain.
    const std::int64_t before = gathered_ != nullptr ? gathered_->count : 0;
    if (node.type->kind != Kind::condition) {
      for (std::uint32_t e = 0; e < count; ++e) {
        GraphNode& after = *graph.at(successors[e]);
        if (arrive(after)) ready(after);
      }
    } else if (choice >= 0 && choice < std::int64_t{count} && !run_.scope.cancelled()) {
      choose(*graph.at(successors[choice]));
    }
    if (gathered_ != nullptr)
      ended_ += 1 - (gathered_->count - before);
    else if (next_ == nullptr)
      ++ended_;
    return;
  }
  ++ended_;
  for (std::uint32_t e = 0; e < count; ++e) {
    GraphNode& after = *graph.at(successors[e]);
    if (arrive(after)) ready(after);
  }
}

GraphNode* Chain::begin(GraphState& graph) noexcept {
  if (!graph.counted && gathered_ == nullptr)
    graph.left.store(1, std::memory_order_relaxed);  // ready() counts the others
  for (const std::uint32_t source : graph.sources()) ready(*graph.at(source));
  return std::exchange(next_, nullptr);
}

/// Begins the graph within a node. \return false if it is empty. \throws Error (bad_input).
bool Chain::enter(GraphState& graph, GraphNode& parent) {
  if (graph.size() == 0) return false;
  graph.claim();
  try {
    graph.prepare();
  } catch (...) {
    graph.end();
    throw;
  }
  graph.begin(run_, &parent);
  next_ = begin(graph);
  return true;
}

/// Runs a node, all but its end if that comes later. \throws what its callable throws.
void Chain::call(GraphNode& node) {
  GraphState& graph = *node.owner;
  switch (node.type->kind) {
    case Kind::work:
      node.type->call(node, nullptr);
      break;
    case Kind::condition: {
      const std::int64_t choice = node.type->call(node, nullptr);
      return finish(node, choice);
    }
    case Kind::dynamic:
      graph.call_dynamic(node);
      [[fallthrough]];
    case Kind::module:
      if (enter(*GraphState::nested(node).graph, node)) return;
      break;
  }
  finish(node, 0);
}

void Chain::run(GraphNode& node) noexcept {
  if (run_.scope.cancelled()) [[unlikely]]
    return finish(node, -1);
  try {
    if (node.type->kind == Kind::work) [[likely]] {
      const Timed timed(node.kind, &node);
      node.type->call(node, nullptr);
    } else {
      return call(node);
    }
  } catch (...) {
    run_.scope.fail();
    return finish(node, -1);
  }
  finish(node, 0);
}

/// The newest node of this run in the worker's deque, if that is the newest of all that is there.
GraphNode* Chain::from_deque() noexcept {
  WorkerBase* worker = this_worker();
  if (worker->deque.empty()) return nullptr;
  worker->deque.answer();
  const auto [job, flat, lost] = worker->deque.pop_any();
  if (job == nullptr) return nullptr;
  if (job->run == start_of_node) {
    auto* node = static_cast<GraphNode*>(job);
    if (node->owner->run == &run_) return node;
  }
  if (worker->deque.push(job, flat) == Deque::full) job->run(job);
  return nullptr;
}

bool Chain::stream(GraphNode* first, bool may_leave) noexcept {
  detail::LoopCount work;
  GraphNode* node = first;
  for (int stretch = nodes_at_a_stretch;;) {
    run(*node);
    work.add(1);
    work.boundary(kind_of_work());
    node = std::exchange(next_, nullptr);
    if (node == nullptr) {
      GraphNode* other = run_.unspill();
      if (other == nullptr) other = from_deque();
      if (other != nullptr && other->owner == graph_) {
        node = other;
      } else {
        if (settle()) {
          work.finish(kind_of_work());
          return true;
        }
        node = std::exchange(next_, nullptr);
        if (node == nullptr)
          node = other;
        else if (other != nullptr && this_worker()->deque.push(other) == Deque::full)
          run_.spill(*other);
        if (node == nullptr) {
          work.finish(kind_of_work());
          return false;
        }
      }
    }
    if (may_leave && --stretch <= 0) {
      stretch = nodes_at_a_stretch;
      settle();  // before others may run `node`; no graph ends here, since it has not run
      if (this_worker()->deque.push(node) != Deque::full) {
        work.finish(kind_of_work());
        return false;
      }
    }
  }
}

void Chain::batch(NodeList part, NodeList& next) noexcept {
  detail::LoopCount work;
  gathered_ = &next;
  for (GraphNode* node = part.first; node != nullptr;) {
    GraphNode* following = node->next;  // the node may be gathered again
    if (node->owner != graph_) settle();
    run(*node);
    work.add(1);
    work.boundary(kind_of_work());
    this_worker()->deque.answer();
    node = following;
  }
  settle();
  work.finish(kind_of_work());
}

void Chain::gather(GraphState& graph, NodeList& list) noexcept {
  gathered_ = &list;
  begin(graph);
}

void run_stream(GraphState& graph, GraphRun& run) {
  detail::with_stack_room(this_worker(), [&] {
    bool last;
    {
      const detail::WithScope within(&run.scope);
      Chain chain(run);
      GraphNode* first = chain.begin(graph);
      last = chain.stream(first, false);
    }
    if (last) run.done.complete();
  });
  run.done.wait({detail::Wait::group, &graph});
}

}  // namespace charm::task_dag
