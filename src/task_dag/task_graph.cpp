// The interface of task graphs, without templates.
#include <charm/error.hpp>
#include <charm/graph_selector.hpp>
#include <charm/runtime.hpp>
#include <charm/task_graph.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "task_dag/costs.hpp"
#include "task_dag/graph_run.hpp"
#include "task_dag/graph_state.hpp"

namespace charm {

using detail::GraphNode;
using detail::GraphState;
using task_dag::GraphRun;

// ---- kinds ----

namespace {

struct Kinds {
  std::mutex mutex;
  std::vector<std::string> names{""};
};
Kinds& kinds() {
  static Kinds all;
  return all;
}

}  // namespace

task_kind::task_kind(std::string_view name) {
  Kinds& all = kinds();
  const std::lock_guard lock(all.mutex);
  const auto known = std::find(all.names.begin(), all.names.end(), name);
  if (known == all.names.end()) {
    if (all.names.size() == task_dag::Costs::most_kinds)
      throw Error(Errc::bad_input, "task kind '" + std::string(name) + "' would be the 1024th",
                  "give one name to all nodes that do the same work, however large it is");
    all.names.emplace_back(name);
    id_ = static_cast<std::uint16_t>(all.names.size() - 1);
  } else {
    id_ = static_cast<std::uint16_t>(known - all.names.begin());
  }
}

std::string task_kind::name() const {
  Kinds& all = kinds();
  const std::lock_guard lock(all.mutex);
  return all.names[id_];
}

TaskCost cost_of(task_kind kind) noexcept {
  const task_dag::Costs::Cost cost = task_dag::costs.of(static_cast<std::uint16_t>(kind.id()));
  const double ns = task_dag::ns_per_tick();
  return {cost.mean * ns, std::sqrt(cost.variance) * ns, cost.samples};
}

// ---- nodes ----

GraphNode& graph_node::node(const char* what) const {
  if (graph_ == nullptr)
    throw Error(Errc::bad_input, std::string(what) + " of a node that there is not: the handle is empty",
                "use a handle that emplace() has returned");
  if (generation_ != graph_->generation() || index_ >= graph_->size())
    throw Error(Errc::bad_input,
                std::string(what) + " of node #" + std::to_string(index_) + " of " + graph_->called() +
                    ", which is gone: the graph was cleared since",
                "use handles that emplace() has returned after clear()");
  return *graph_->at(index_);
}

void graph_node::add_edge(const graph_node& from, const graph_node& to) {
  from.node("an edge");
  to.node("an edge");
  if (from.graph_ != to.graph_)
    throw Error(Errc::bad_input,
                "an edge from node " + from.graph_->called(from.index_) + " of " + from.graph_->called() + " to node " +
                    to.graph_->called(to.index_) + " of another, " + to.graph_->called(),
                "make both nodes in one graph, or compose one graph of the other");
  from.graph_->add_edge(from.index_, to.index_);
}

graph_node& graph_node::name(std::string_view name) {
  node("the name");
  graph_->must_not_run("the name of a node");
  graph_->names[index_] = name;
  return *this;
}
std::string graph_node::name() const {
  node("the name");
  const auto named = graph_->names.find(index_);
  return named == graph_->names.end() ? "" : named->second;
}
graph_node& graph_node::kind(task_kind kind) {
  GraphNode& here = node("the kind");
  graph_->must_not_run("the kind of a node");
  here.kind = kind.id_;
  return *this;
}
task_kind graph_node::kind() const {
  task_kind kind;
  kind.id_ = node("the kind").kind;
  return kind;
}
std::size_t graph_node::index() const {
  node("the number");
  return index_;
}
std::size_t graph_node::num_predecessors() const { return node("the edges").predecessors; }
std::size_t graph_node::num_successors() const { return node("the edges").successor_count; }

// ---- building ----

graph_node graph_builder::composed_of(task_graph& other) { return {state_, state_->compose(*other.state_)}; }
std::size_t graph_builder::size() const noexcept { return state_->size(); }
std::size_t graph_builder::num_edges() const noexcept { return state_->edges(); }
graph_node graph_builder::node(std::size_t index) const {
  if (index >= state_->size())
    throw Error(
        Errc::bad_input,
        "node #" + std::to_string(index) + " of " + state_->called() + ", which has " + std::to_string(state_->size()),
        "nodes are numbered from 0 in the order in which they were made");
  return {state_, static_cast<std::uint32_t>(index)};
}

GraphState& detail::state_of(task_graph& graph) noexcept { return *graph.state_; }

task_graph::task_graph(std::string_view name) : graph_builder(detail::make_graph()) { state_->name = name; }
task_graph::~task_graph() { detail::destroy_graph(state_); }

void task_graph::clear() {
  state_->must_not_run("clear()");
  state_->clear();
}

std::size_t task_graph::memory_bytes() const noexcept { return state_->memory_bytes(); }
std::string task_graph::name() const { return state_->name; }
void task_graph::check() {
  state_->must_not_run("check()");
  state_->prepare();
}

// ---- running ----

namespace {

const GraphSelector& default_selector() {
  static const GraphSelector stream;
  return stream;
}

/// The end of a claimed graph's run, whatever happens.
struct Ends {
  explicit Ends(GraphState& g) noexcept : graph(g) {}
  ~Ends() { graph.end(); }
  Ends(const Ends&) = delete;
  Ends& operator=(const Ends&) = delete;
  GraphState& graph;
};

/// The schedule of the run that is about to begin. A selector walks over the whole graph, so it is asked before the
/// first run of a graph and before the 2nd, 4th, 8th and so on: what the runtime has measured meanwhile counts soon,
/// and the choices take a share of the time that goes to 0.
GraphSchedule schedule_of(task_graph& facade, GraphState& graph) {
  if (graph.schedule != GraphSchedule::automatic) return graph.schedule;
  if (!graph.prepared()) graph.automatic_runs = 0;
  if (std::has_single_bit(++graph.automatic_runs))
    graph.choice = (graph.selector != nullptr ? *graph.selector : default_selector()).choose(facade);
  return graph.choice;
}

/// As a task. \return whether it was not cancelled.
bool run_once(task_graph& facade, GraphState& graph, const std::stop_token& stop) {
  graph.last_schedule = schedule_of(facade, graph);
  graph.claim();
  GraphRun run(detail::this_worker()->scope);
  {
    const Ends ends(graph);
    graph.prepare();
    if (graph.size() == 0) return !stop.stop_requested();
    graph.begin(run, nullptr);
    if (stop.stop_requested()) run.cancel();
    if (graph.last_schedule == GraphSchedule::batch)
      task_dag::run_levels(graph, run);
    else
      task_dag::run_stream(graph, run);
  }
  run.scope.finish();
  return !run.cancelled.load(std::memory_order_relaxed);
}

}  // namespace

bool task_graph::run(std::stop_token stop) { return run_n(1, std::move(stop)); }

bool task_graph::run_n(std::size_t times, std::stop_token stop) {
  GraphState& graph = *state_;
  // On this thread's own stack, which stays where finalize() drops the task that runs the graph.
  std::optional<std::stop_callback<std::function<void()>>> on_stop;
  if (stop.stop_possible()) on_stop.emplace(stop, [&graph] { graph.cancel(); });
  bool began = false;
  auto all = [&] {
    began = true;
    for (std::size_t i = 0; i < times; ++i) {
      if (!run_once(*this, graph, stop)) return false;
    }
    return true;
  };
  if (detail::this_worker() != nullptr) return all();
  bool ended = false;
  try {
    return charm::run([&] {
      struct Note {
        bool& it;
        ~Note() { it = true; }
      } const note{ended};
      return all();
    });
  } catch (...) {
    if (began && !ended && graph.claimed()) graph.dropped();
    throw;
  }
}

void task_graph::cancel() noexcept { state_->cancel(); }
bool task_graph::running() const noexcept { return state_->claimed(); }

void task_graph::set_schedule(GraphSchedule schedule) {
  state_->must_not_run("the schedule");
  state_->schedule = schedule;
}
GraphSchedule task_graph::schedule() const noexcept { return state_->schedule; }
GraphSchedule task_graph::last_schedule() const noexcept { return state_->last_schedule; }

void set_selector(task_graph& graph, GraphSelector selector) {
  graph.state_->must_not_run("the selector");
  graph.state_->selector = std::make_shared<const GraphSelector>(std::move(selector));
  graph.state_->schedule = GraphSchedule::automatic;
  graph.state_->automatic_runs = 0;
}

void subgraph::join() {
  GraphState& graph = *state_;
  if (graph.size() == 0) return;
  struct Clears {
    explicit Clears(GraphState& g) noexcept : graph(g) {}
    ~Clears() { graph.clear(); }
    Clears(const Clears&) = delete;
    Clears& operator=(const Clears&) = delete;
    GraphState& graph;
  } const clears(graph);
  graph.claim();
  GraphRun run(detail::this_worker()->scope);
  {
    const Ends ends(graph);
    graph.prepare();
    graph.begin(run, nullptr);
    task_dag::run_stream(graph, run);
  }
  run.scope.finish();
}

}  // namespace charm
