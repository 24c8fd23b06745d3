// Finds the first nodes of a graph before it runs, and checks that it has no cycle.
//
// If every edge leads to a node that was made later there is no cycle, and most programs build their graphs like that.
// Other graphs are sorted topologically (Kahn 1962), with `pending` as the count of edges; the nodes that are left over
// are in cycles or after them. Edges from conditions are left out, because loops over them are allowed.
#include <charm/error.hpp>

#include <algorithm>

#include "task_dag/graph_run.hpp"
#include "task_dag/graph_state.hpp"

namespace charm::detail {

void GraphState::prepare() {
  for (const std::uint32_t module : modules_) nested(*at(module)).graph->prepare();
  if (prepared_) return;
  sources_.clear();
  for (std::uint32_t i = 0; i < size_; ++i) {
    const GraphNode& node = *at(i);
    if (node.predecessors == 0 && (node.flags & GraphNode::chosen) == 0) sources_.push_back(i);
  }
  if (!forward_) find_cycle();
  if (size_ > 0 && sources_.empty())
    throw Error(Errc::bad_input, called() + " has no node that can be the first: conditional edges lead to all of them",
                "make a node that precedes the one to begin with");
  prepared_ = true;
}

void GraphState::restore_counts() noexcept {
  for (std::uint32_t i = 0; i < size_; ++i) {
    GraphNode& node = *at(i);
    node.pending.store(node.predecessors, std::memory_order_relaxed);
  }
  spoilt_ = false;
}

void GraphState::lower_after(const GraphNode& node, GraphNode*& list) const noexcept {
  if (node.type->kind == GraphNodeType::Kind::condition) return;
  for (std::uint32_t e = 0; e < node.successor_count; ++e) {
    GraphNode& after = *at(node.successors()[e]);
    const std::uint32_t others = after.pending.load(std::memory_order_relaxed) - 1;
    after.pending.store(others, std::memory_order_relaxed);
    if (others != 0) continue;
    after.next = list;
    list = &after;
  }
}

void GraphState::find_cycle() {
  restore_counts();
  GraphNode* stack = nullptr;
  for (std::uint32_t i = 0; i < size_; ++i) {
    if (at(i)->predecessors != 0) continue;
    at(i)->next = stack;
    stack = at(i);
  }
  std::uint32_t sorted = 0;
  for (; stack != nullptr; ++sorted) {
    const GraphNode& first = *stack;
    stack = first.next;
    lower_after(first, stack);
  }
  if (sorted == size_) return restore_counts();

  // Each node that is left has a predecessor that is left: going back from any one ends in a cycle.
  std::vector<std::uint32_t> before(size_, UINT32_MAX);
  std::uint32_t node = UINT32_MAX;
  for (std::uint32_t i = 0; i < size_; ++i) {
    const GraphNode& from = *at(i);
    if (from.pending.load(std::memory_order_relaxed) == 0) continue;
    node = i;
    if (from.type->kind == GraphNodeType::Kind::condition) continue;
    for (std::uint32_t e = 0; e < from.successor_count; ++e) before[from.successors()[e]] = i;
  }
  restore_counts();
  std::vector<bool> seen(size_, false);
  for (; !seen[node]; node = before[node]) seen[node] = true;
  std::vector<std::uint32_t> cycle{node};
  for (std::uint32_t i = before[node]; i != node; i = before[i]) cycle.push_back(i);
  std::reverse(cycle.begin(), cycle.end());
  std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
  constexpr std::size_t shown = 8;
  std::string path;
  for (std::size_t i = 0; i < std::min(shown, cycle.size()); ++i) path += called(cycle[i]) + " -> ";
  if (cycle.size() > shown) path += "... (" + std::to_string(cycle.size()) + " nodes) -> ";
  throw Error(Errc::bad_input, called() + " has a cycle: " + path + called(cycle.front()),
              "remove one of these edges, or make it conditional");
}

void GraphState::claim() {
  if (claimed_.exchange(true, std::memory_order_acquire))
    throw Error(Errc::bad_input, called() + " runs already", "wait until run() has returned, or make a second graph");
}

void GraphState::begin(task_dag::GraphRun& present, GraphNode* within) noexcept {
  if (spoilt_ || conditions_) restore_counts();
  parent = within;
  counted = !conditions_;
  left.store(counted ? std::int64_t{size_} : static_cast<std::int64_t>(sources_.size()), std::memory_order_relaxed);
  const std::lock_guard lock(run_mutex_);
  run = &present;
}

void GraphState::end() noexcept {
  {
    const std::lock_guard lock(run_mutex_);
    run = nullptr;
  }
  claimed_.store(false, std::memory_order_release);
}

void GraphState::cancel() noexcept {
  const std::lock_guard lock(run_mutex_);
  if (run != nullptr) run->cancel();
}

void GraphState::dropped() noexcept {
  spoilt_ = true;
  for (const std::uint32_t module : modules_) nested(*at(module)).graph->dropped();
  end();
}

}  // namespace charm::detail
