// The C interface of batch and stream scheduling: each call forwards to the module and turns exceptions into codes.
#include <charm/abss.h>
#include <charm/error.hpp>
#include <charm/graph_selector.hpp>
#include <charm/runtime.hpp>
#include <charm/task_graph.hpp>

#include <cstdio>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sched/run/runtime.hpp"
#include "sched/run/visit.hpp"
#include "task_dag/abss_tasks.hpp"

struct ABSS_DAG_graph {
  struct Edge {
    std::size_t from, to;
  };
  std::vector<ABSS_Function> functions;
  std::vector<Edge> edges;
  std::vector<signed char> conditional;  // by task: whether its edges are; -1: it has none yet
};

namespace {

using charm::Errc;
using charm::Error;
using charm::GraphSelector;

thread_local std::string last_abss_error;

template <class F>
int guard_abss(F&& function) noexcept {
  try {
    std::forward<F>(function)();
    return CHARM_OK;
  } catch (const Error& error) {
    last_abss_error = error.what();
    return static_cast<int>(error.code()) + 1;
  } catch (const std::exception& error) {
    last_abss_error = error.what();
  } catch (...) {
    last_abss_error = "an exception that is not a std::exception left a task";
  }
  return CHARM_UNKNOWN;
}

/// The module while it runs. Calls that use it hold `access` shared, without waiting for tasks meanwhile.
struct Abss {
  std::mutex starting;  // of init and finalize
  int users = 0;
  std::unique_ptr<charm::task_dag::AbssModule> module;
  GraphSelector selector;
  std::shared_mutex access;
  struct Known {
    std::optional<ABSS_Schedule> schedule;  // that a selector has chosen
    charm::task_kind kind;                  // by which it is timed, if it is in a graph
  };
  std::unordered_map<ABSS_Function, Known> functions;
};
Abss& abss() {
  static Abss one;
  return one;
}

charm::task_dag::AbssModule& running_module(Abss& state) {
  if (state.module == nullptr)
    throw Error(Errc::not_running, "the ABSS module is not running", "call ABSS_init() first");
  return *state.module;
}

void must_be_function(ABSS_Function function) {
  if (function == nullptr) throw Error(Errc::bad_input, "a task without a function", "give one that is not NULL");
}

void start(Abss& state, const ABSS_System_info* info) {
  charm::Config config;
  const bool joins = charm::initialized();
  if (info != nullptr && info->workers < 0)
    throw Error(Errc::bad_input, "ABSS_init() was given " + std::to_string(info->workers) + " workers",
                "give a number from 1, or 0 for one on each core");
  if (info != nullptr && info->workers > 0) config.workers = info->workers;
  if (info != nullptr && info->bind != nullptr)
    config.bind = info->bind;
  else if (!joins)
    config.bind = "chiplet";
  GraphSelector selector;
  if (info != nullptr && info->selector != nullptr) selector = GraphSelector::from(info->selector);
  charm::init(config);
  try {
    const charm::sched::Visit visit;
    charm::sched::Runtime& runtime = *visit;
    auto made = std::make_unique<charm::task_dag::AbssModule>(
        runtime.main, runtime.main.settings.bind == charm::sched::Bind::chiplet);
    const std::lock_guard lock(state.access);
    state.module = std::move(made);
    state.selector = std::move(selector);
    state.functions.clear();
  } catch (...) {
    charm::finalize();
    throw;
  }
}

/// \param schedule if it is given by the caller.
int add_task(ABSS_Function function, void* params, int tag, std::optional<ABSS_Schedule> schedule) noexcept {
  return guard_abss([&] {
    must_be_function(function);
    Abss& state = abss();
    charm::task_dag::AbssModule& module = running_module(state);
    charm::task_kind kind;
    {
      const std::shared_lock lock(state.access);
      if (const auto known = state.functions.find(function); known != state.functions.end()) {
        kind = known->second.kind;
        if (!schedule) schedule = known->second.schedule;
      }
    }
    module.add(function, params, tag, schedule.value_or(charm::task_dag::AbssModule::inherited()),
               static_cast<std::uint16_t>(kind.id()));
  });
}

/// The kind of the nodes of a graph that run the function; NULL is kind 0. Kinds are few: functions beyond are kind 0,
/// too.
charm::task_kind kind_of(Abss& state, ABSS_Function function) {
  if (function == nullptr) return {};
  const std::lock_guard lock(state.access);
  Abss::Known& known = state.functions[function];
  if (known.kind.id() == 0) {
    char name[32];
    std::snprintf(name, sizeof name, "function %p", reinterpret_cast<void*>(function));
    try {
      known.kind = charm::task_kind(name);
    } catch (const Error&) {
      return {};
    }
  }
  return known.kind;
}

}  // namespace

extern "C" {

int ABSS_init(const ABSS_System_info* info) {
  return guard_abss([&] {
    Abss& state = abss();
    const std::lock_guard lock(state.starting);
    if (state.users == 0) {
      start(state, info);
    } else if (info != nullptr) {
      const std::string wanted = info->selector != nullptr ? info->selector : state.selector.description();
      if (wanted != state.selector.description())
        throw Error(
            Errc::bad_config,
            "the ABSS module runs with the selector '" + state.selector.description() + "', not '" + wanted + "'",
            "give the same, or NULL");
      charm::Config config;
      if (info->workers > 0) config.workers = info->workers;
      if (info->bind != nullptr) config.bind = info->bind;
      charm::init(config);  // checks them
      charm::finalize();
    }
    ++state.users;
  });
}

int ABSS_finalize(ABSS_Shutdown mode) {
  return guard_abss([&] {
    if (mode != ABSS_SHUTDOWN_WAIT && mode != ABSS_SHUTDOWN_CANCEL)
      throw Error(Errc::bad_input, "ABSS_finalize() was given mode " + std::to_string(mode),
                  "give ABSS_SHUTDOWN_WAIT or ABSS_SHUTDOWN_CANCEL");
    Abss& state = abss();
    if (charm::worker_id() >= 0)
      throw Error(Errc::not_running, "ABSS_finalize() was called inside a task, which it would wait for",
                  "call it outside of tasks");
    const std::lock_guard lock(state.starting);
    running_module(state);
    if (--state.users > 0) return;
    state.module->end(mode == ABSS_SHUTDOWN_CANCEL);
    charm::finalize();
    const std::lock_guard ending(state.access);
    state.module.reset();
  });
}

ABSS_DAG ABSS_DAG_create(void) {
  ABSS_DAG made = nullptr;
  guard_abss([&] { made = new ABSS_DAG_graph; });
  return made;
}

long ABSS_DAG_node(ABSS_DAG dag, ABSS_Function function) {
  long number = -1;
  guard_abss([&] {
    if (dag == nullptr) throw Error(Errc::bad_input, "a task of a graph that is NULL", "use ABSS_DAG_create()");
    dag->conditional.push_back(-1);
    dag->functions.push_back(function);
    number = static_cast<long>(dag->functions.size()) - 1;
  });
  return number;
}

int ABSS_DAG_edge(ABSS_DAG dag, long from, long to, int conditional) {
  return guard_abss([&] {
    if (dag == nullptr) throw Error(Errc::bad_input, "an edge of a graph that is NULL", "use ABSS_DAG_create()");
    const auto count = static_cast<long>(dag->functions.size());
    for (const long end : {from, to}) {
      if (end < 0 || end >= count)
        throw Error(Errc::bad_input,
                    "an edge from or to task " + std::to_string(end) + " of a graph with " + std::to_string(count),
                    "use numbers that ABSS_DAG_node() has returned");
    }
    signed char& known = dag->conditional[static_cast<std::size_t>(from)];
    const auto now = static_cast<signed char>(conditional != 0);
    if (known >= 0 && known != now)
      throw Error(Errc::bad_input,
                  "task " + std::to_string(from) + " has edges that are conditional and others that are not",
                  "put a task of its own before the conditional ones");
    dag->edges.push_back({static_cast<std::size_t>(from), static_cast<std::size_t>(to)});
    known = now;
  });
}

void ABSS_DAG_destroy(ABSS_DAG dag) { delete dag; }

int ABSS_selector(ABSS_Function function, ABSS_DAG dag, ABSS_Schedule* chosen) {
  return guard_abss([&] {
    must_be_function(function);
    if (dag == nullptr) throw Error(Errc::bad_input, "ABSS_selector() without a graph", "use ABSS_DAG_create()");
    Abss& state = abss();
    const GraphSelector selector = [&] {
      const std::shared_lock lock(state.access);
      running_module(state);
      return state.selector;
    }();
    charm::task_graph graph("of ABSS_selector()");
    for (std::size_t i = 0; i < dag->functions.size(); ++i) {
      charm::graph_node node = dag->conditional[i] == 1 ? graph.emplace([] { return 0; }) : graph.emplace([] {});
      node.kind(kind_of(state, dag->functions[i]));
    }
    for (const ABSS_DAG_graph::Edge& edge : dag->edges) graph.node(edge.from).precede(graph.node(edge.to));
    graph.check();  // also where the selector does not look at it
    const ABSS_Schedule schedule = selector.choose(graph) == charm::GraphSchedule::batch ? ABSS_BATCH : ABSS_STREAM;
    const std::lock_guard lock(state.access);
    state.functions[function].schedule = schedule;
    if (chosen != nullptr) *chosen = schedule;
  });
}

int ABSS_addtask(ABSS_Function function, void* params, int tag) { return add_task(function, params, tag, {}); }
int ABSS_AddTask(ABSS_Function function, void* params, int tag) { return add_task(function, params, tag, {}); }
int ABSS_BatchAddTask(ABSS_Function function, void* params, int tag) {
  return add_task(function, params, tag, ABSS_BATCH);
}
int ABSS_StreamAddTask(ABSS_Function function, void* params, int tag) {
  return add_task(function, params, tag, ABSS_STREAM);
}
int ABSS_barrier(int tag) {
  return guard_abss([&] { running_module(abss()).barrier(tag); });
}
int ABSS_Barrier(int tag) { return ABSS_barrier(tag); }

const char* ABSS_error(void) { return last_abss_error.c_str(); }

}  // extern "C"
