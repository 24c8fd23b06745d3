#include "sched/run/arenas.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <utility>

#include "base/notices.hpp"
#include "binding/generation.hpp"
#include "binding/masks.hpp"
#include "binding/request.hpp"
#include "placement/bins.hpp"
#include "placement/restrict.hpp"
#include "sched/debug/delays.hpp"
#include "sched/run/visit.hpp"
#include "sched/run/worker_numbers.hpp"

namespace charm::sched {

using detail::ArenaState;

namespace {

constinit std::mutex mutex_of_arenas;

std::string called(const std::string& name) { return name.empty() ? "an arena" : "arena '" + name + "'"; }

/// The cpus of what was asked for. \param given gets all of them. \return those that may be used now.
/// \throws Error (bad_input).
CpuSet cpus_of(const ArenaOptions& options, const Runtime& main, const std::string& who, CpuSet& given) {
  const Machine& machine = main.machine;
  if ((!options.chiplets.empty() || !options.cores.empty() || !options.kinds.empty()) &&
      main.placement.start().front().cpu < 0)
    throw Error(Errc::bad_input,
                who + " was given chiplets, cores or kinds, but the policy '" + main.settings.policy +
                    "' binds no worker to a core",
                "give a number of workers only, or start the runtime with another policy");
  const auto check = [&](const char* what, const auto& ids, std::size_t count) {
    for (const int id : ids) {
      if (id >= 0 && static_cast<std::size_t>(id) < count) continue;
      throw Error(Errc::bad_input, who + " was given " + what + " " + std::to_string(id) + ", which there is not",
                  "the machine has " + std::to_string(count) + " that the process may use, numbered from 0");
    }
  };
  check("chiplet", options.chiplets, machine.chiplets.size());
  check("core", options.cores, machine.cores.size());
  CpuSet cpus;
  for (const Core& core : machine.cores) {
    if (!options.chiplets.empty() && !options.chiplets.contains(core.chiplet)) continue;
    if (!options.cores.empty() && !options.cores.contains(core.id)) continue;
    const auto& kinds = options.kinds;
    if (!kinds.empty() && std::find(kinds.begin(), kinds.end(), core.kind) == kinds.end()) continue;
    cpus |= core.siblings;
  }
  given = cpus;
  CpuSet allowed = main.steering->allowed_cpus();
  if (allowed.empty()) allowed = machine.allowed_cpus;  // a machine on paper
  cpus &= allowed;
  if (cpus.empty())
    throw Error(Errc::bad_input, who + " was given cores of which the process may use none now",
                "give cores that lie on the chiplets and are of the kinds, if several are given, and on the cpus " +
                    allowed.to_text());
  return cpus;
}

/// \throws Error.
Runtime::Plan plan_of(const ArenaOptions& options, Runtime& main, const std::string& who) {
  Runtime::Plan plan;
  plan.main = &main;
  plan.cpus = cpus_of(options, main, who, plan.given);
  plan.settings = main.settings;
  base::Settings& settings = plan.settings;
  settings.policy = main.placement.start().front().cpu < 0 ? "os" : "local";
  settings.spread = 0;
  settings.width = base::Width::full;
  if (settings.smt == base::Smt::automatic) settings.smt = base::Smt::off;
  settings.lend_caller = false;
  settings.trace.clear();
  settings.decision_file = false;
  settings.counters = {base::Counters::none, ""};
  settings.share = {base::Share::off, ""};

  const int most = static_cast<int>(main.workers.size());
  if (options.workers < 0 || options.workers > most)
    throw Error(
        Errc::bad_input, who + " was to have " + std::to_string(options.workers) + " workers",
        "give 1 to " + std::to_string(most) + ", as many as the runtime has, or 0 for one on each of its cores");
  const Machine there = placement::restricted(main.machine, plan.cpus);
  const int room = placement::capacity(there, settings.counts_siblings());
  if (options.workers > room && !settings.share_cores)
    throw Error(
        Errc::bad_input,
        who + " was to have " + std::to_string(options.workers) + " workers on " + std::to_string(room) + " cores",
        "give it more cores, or start the runtime with the setting share_cores");
  settings.workers = options.workers > 0 ? options.workers : std::min(room, most);
  placement::Request request = binding::placement_request(settings);
  request.workers = settings.workers;
  const std::vector<WorkerCore>& start = main.placement.start();
  plan.placement = binding::make_generation({main.machine, settings.policy, request, plan.cpus, {}, start}).placement;
  plan.machine = main.machine;
  plan.rank = static_cast<CoreTurns::Rank>(options.priority);
  std::vector<NumberRange> taken;
  for (const auto& other : main.family.arenas) taken.push_back({other->first_number, other->workers});
  plan.first_number = first_free_number(std::move(taken), most, settings.workers, detail::worker_numbers);
  if (plan.first_number < 0)
    throw Error(Errc::too_many_workers,
                who + " was to have " + std::to_string(settings.workers) +
                    " workers, and the process would have more than " + std::to_string(detail::worker_numbers) +
                    " in all its arenas",
                "end arenas that are not needed, or give each fewer workers");
  return plan;
}

}  // namespace

std::mutex& arenas_mutex() noexcept { return mutex_of_arenas; }

void forget_arenas(Runtime& main) noexcept {
  for (const auto& state : main.family.arenas) {
    state->open.store(nullptr, std::memory_order_relaxed);
    state->runtime.store(nullptr, std::memory_order_relaxed);
    state->marked = true;
  }
}

}  // namespace charm::sched

namespace charm::detail {

using sched::Runtime;

namespace {

[[noreturn]] void fail_ended(const ArenaState& state) {
  throw Error(Errc::not_running, sched::called(state.name) + " has ended with finalize(), or does not run here",
              "keep the runtime until the last use of the arena, and make arenas after init()");
}

}  // namespace

std::shared_ptr<ArenaState> make_arena(const ArenaOptions& options) {
  const sched::Visit visit;  // so finalize() waits for the end of this
  Runtime& main = visit->main;
  if (main.recorder() != nullptr)
    base::notice("trace-arena", "the trace in '" + main.settings.trace + "' lacks what runs in arenas; " +
                                    sched::called(options.name) + " is the first");
  auto state = std::make_shared<ArenaState>();
  state->name = options.name;
  state->priority = options.priority;
  Runtime::Plan plan;
  {
    const std::lock_guard lock(sched::arenas_mutex());
    plan = sched::plan_of(options, main, sched::called(options.name));
    state->workers = plan.settings.workers;
    state->first_number = plan.first_number;
    state->marked = main.ending.has_begun(std::memory_order_relaxed);
    main.family.arenas.push_back(state);
    main.family.count.fetch_add(1, std::memory_order_release);
  }
  try {
    auto runtime = std::make_unique<Runtime>(std::move(plan), state);
    const std::lock_guard lock(sched::arenas_mutex());
    if (state->marked) {  // finalize() has begun meanwhile
      runtime->ending.begin();
      runtime->wake_all();
    } else {
      state->open.store(runtime.get(), std::memory_order_seq_cst);
    }
    Runtime& made = *runtime;
    state->runtime.store(runtime.release(), std::memory_order_release);
    if (const auto leased = main.steering->leased()) made.steering->lease(*leased);  // it may have changed meanwhile
  } catch (const std::exception& error) {
    {
      const std::lock_guard lock(sched::arenas_mutex());
      std::erase(main.family.arenas, state);
      main.family.count.fetch_sub(1, std::memory_order_relaxed);
    }
    if (dynamic_cast<const std::bad_alloc*>(&error) == nullptr) throw;
    throw Error(Errc::system, "no memory for " + sched::called(state->name),
                "give it fewer workers, or allow the process more memory (ulimit -v)");
  }
  return state;
}

void end_arena(const std::shared_ptr<ArenaState>& state) noexcept {
  if (inside_arena(*state)) {
    base::notice("arena", sched::called(state->name) +
                              " is destroyed by one of its own tasks, which it would wait for; it lives on until "
                              "finalize()");
    return;
  }
  {
    const std::lock_guard lock(sched::arenas_mutex());
    Runtime* runtime = state->runtime.load(std::memory_order_acquire);
    if (runtime == nullptr) return;  // finalize() has ended it
    state->open.store(nullptr, std::memory_order_seq_cst);
    state->closed.store(true, std::memory_order_release);
    runtime->ending.begin();
    runtime->wake_all();
  }
  state->over.wait();
  std::unique_ptr<Runtime> runtime;
  {
    const std::lock_guard lock(sched::arenas_mutex());
    if (state->marked) return;      // finalize() ends it
    Runtime::gate.enter_unasked();  // the main runtime stays until this is done
    runtime.reset(state->runtime.exchange(nullptr, std::memory_order_acq_rel));
  }
  Runtime& main = runtime->main;
  runtime.reset();
  {
    const std::lock_guard lock(sched::arenas_mutex());
    std::erase(main.family.arenas, state);
    main.family.count.fetch_sub(1, std::memory_order_relaxed);
  }
  Runtime::gate.leave();
}

bool inside_arena(const ArenaState& state) noexcept {
  const Runtime* here = sched::runtime_of_this_thread();
  return here != nullptr && here == state.runtime.load(std::memory_order_acquire);
}

void post_to_arena(ArenaState& state, ListedJob& job) {
  // A task counts as a visitor, too: as soon as the job can be found it may run and end, and the arena be ended by
  // whoever has waited for that, while the poster is still waking a worker.
  Runtime::gate.enter_unasked();
  const bool of_family = sched::runtime_of_this_thread() != nullptr;
  Runtime* runtime = (of_family ? state.runtime : state.open).load(std::memory_order_seq_cst);
  sched::delay_between_steps();
  if (runtime != nullptr) runtime->post_anywhere(&job);
  sched::delay_between_steps();
  Runtime::gate.leave();
  if (runtime == nullptr) fail_ended(state);
}

int arena_workers(const ArenaState& state) noexcept { return state.workers; }
Priority arena_priority(const ArenaState& state) noexcept { return state.priority; }

std::vector<WorkerCore> arena_cores(const ArenaState& state) {
  const std::lock_guard lock(sched::arenas_mutex());
  const Runtime* runtime = state.runtime.load(std::memory_order_acquire);
  if (runtime == nullptr) fail_ended(state);
  return runtime->steering->worker_cores();
}

}  // namespace charm::detail
