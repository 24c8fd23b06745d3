// The runtime from its start to its end: machine, placement, threads; lending worker 0.
#include "sched/run/runtime.hpp"

#include <charm/error.hpp>
#include <charm/runtime.hpp>

#include <algorithm>
#include <chrono>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <system_error>

#include "base/clock.hpp"
#include "base/notices.hpp"
#include "binding/request.hpp"
#include "controller/controller.hpp"
#include "os/processes/library.hpp"
#include "os/threads/affinity.hpp"
#include "os/threads/membarrier.hpp"
#include "os/threads/threads.hpp"
#include "os/threads/timer_slack.hpp"
#include "placement/kinds.hpp"
#include "sched/control/sharing.hpp"
#include "sched/debug/stack_overflow.hpp"
#include "sched/debug/tracing.hpp"
#include "sched/run/arenas.hpp"
#include "sched/run/dropping.hpp"
#include "sched/run/fork.hpp"
#include "sched/run/idle_look.hpp"
#include "sched/run/oversubscription.hpp"
#include "sched/run/visit.hpp"
#include "topology/discovery.hpp"

namespace charm::sched {

constinit Gate Runtime::gate;

namespace {

Machine find_machine(const base::Settings& settings) {
  return placement::of_kinds(topology::discover(topology::source_of(settings)), settings.kinds);
}

/// The chiplets that a worker may ever run on, whatever happens to the allowed cpus: all, or none (-1) if no worker is
/// bound.
std::vector<int> reachable_chiplets(const Machine& machine, const placement::Placement& placement) {
  std::set<int> chiplets;
  for (const auto& level : placement.worker_cores) {
    for (const WorkerCore& worker_core : level) chiplets.insert(worker_core.chiplet);
  }
  if (*chiplets.rbegin() >= 0) {
    for (const Chiplet& chiplet : machine.chiplets) chiplets.insert(chiplet.id);
  }
  return {chiplets.begin(), chiplets.end()};
}

}  // namespace

Runtime& Runtime::get() { return *Visit(); }

Runtime::Plan Runtime::plan_of(const Config& config) {
  Plan plan;
  plan.settings = base::resolve(config);
  plan.machine = find_machine(plan.settings);
  plan.placement =
      controller::placement_for(plan.settings.policy, plan.machine, binding::request_for(plan.machine, plan.settings));
  return plan;
}

// Once the members stand, the destructor ends whatever part of the threads has been started.
Runtime::Runtime(const Config& config, std::unique_ptr<os::CpuWatch> cpus, std::unique_ptr<counters::Source> source)
    : Runtime(Unstarted{}, plan_of(config), nullptr, std::move(cpus), std::move(source)) {
  start();
}

Runtime::Runtime(Plan plan, std::shared_ptr<detail::ArenaState> arena_state)
    : Runtime(Unstarted{}, std::move(plan), std::move(arena_state), nullptr, nullptr) {
  start();
}

Runtime::Runtime(Unstarted /*unused*/, Plan plan, std::shared_ptr<detail::ArenaState> arena_state,
                 std::unique_ptr<os::CpuWatch> cpus, std::unique_ptr<counters::Source> source)
    : main(plan.main != nullptr ? *plan.main : *this),
      settings(std::move(plan.settings)),
      machine(std::move(plan.machine)),
      placement(std::move(plan.placement)),
      places(machine, reachable_chiplets(machine, placement), placement.start().size()),
      waits(*this, machine.chiplets.size(), placement.start().size(),
            static_cast<std::size_t>(settings.blocking_threads)),
      family(is_main() ? machine.allowed_cpus.back() + 1 : 0),
      stacks(machine.nodes.size()),
      arena_(std::move(arena_state)),
      stealing_policy_(settings.stealing == base::Stealing::random ? stealing::policy("random")
                                                                   : stealing::policies().back()) {
  if (is_main()) {
    forget_oversubscription();
    if (const Oversubscription seen = oversubscription_at_start(machine, placement, settings.bind != Bind::none);
        !seen.reason.empty())
      report_oversubscription(seen, base::monotonic_ns());
    if (!os::register_heavy_barrier()) without_heavy_barrier();
  }
  make_workers(plan);
  record();

  if (!cpus && machine.is_live()) cpus = os::live_cpu_watch();
  std::optional<Steering::Share> share;
  if (!is_main()) share = Steering::Share{main.steering->wanted_cpus(), plan.given, plan.cpus};
  steering = std::make_unique<Steering>(*this, std::move(cpus), std::move(source), std::move(share));
  for (auto& worker : workers) worker->meter = steering->meter(*worker);
}

/// The workers at their places, without threads.
void Runtime::make_workers(const Plan& plan) {
  const std::vector<WorkerCore>& worker_cores = placement.start();
  for (std::size_t i = 0; i < worker_cores.size(); ++i) {
    auto worker = std::make_unique<Worker>();
    worker->id = static_cast<int>(i);
    worker->number = plan.first_number + worker->id;
    worker->contender.rank = plan.rank;
    worker->runtime = this;
    worker->random_ = base::mixed(i) | 1;
    if (!os::has_heavy_barrier()) worker->deque.always_publish();
    worker->worker_core_ = worker_cores[i];
    worker->cpu_ = worker_cores[i].cpu;
    join_node(*worker, worker_cores[i].node);
    join_group(*worker, places.group_of(worker_cores[i].chiplet));
    workers.push_back(std::move(worker));
  }
}

void Runtime::start() {
  if (is_main()) {
    os::keep_loaded(&gate);
    gate.announce(*this);
    install_overflow_report();
    follow_forks();
  }
  // Who makes an arena may be a worker, whose mask of one cpu and whose memory policy its threads would inherit.
  const CpuSet mask = !is_main() && steering->binds() ? main.steering->wanted_cpus() : CpuSet{};
  const std::string prefix = is_main() ? "charm-" : "charm-" + (arena_->name.empty() ? "arena" : arena_->name) + "-";
  for (auto& worker : workers) {
    try {
      worker->give_fiber(make_fiber(worker->worker_core_.node));  // here an error still finds its way to the program
      worker->thread_ = std::thread([this, worker = worker.get(), mask, prefix] {
        os::name_this_thread(prefix + std::to_string(worker->id));
        if (!mask.empty()) os::bind_this_thread(mask);
        if (!is_main()) os::hand_on(main.came_with());
        os::set_timer_slack(1);
        SignalStack signal_stack;
        worker->main();
      });
    } catch (const Error&) {
      ending.give_up();  // for those that have started
      throw;
    } catch (const std::bad_alloc&) {
      ending.give_up();
      throw Error(Errc::system,
                  "no memory for worker " + std::to_string(worker->id) + " of " + std::to_string(workers.size()),
                  "ask for fewer workers (CHARM_WORKERS), or allow the process more memory (ulimit -v)");
    } catch (const std::system_error& error) {
      ending.give_up();
      throw Error(Errc::system,
                  "no thread for worker " + std::to_string(worker->id) + " of " + std::to_string(workers.size()) +
                      ": " + error.code().message() + " (" + os::thread_limits() + ")",
                  "raise the limit that is reached, end other threads, or ask for fewer workers (CHARM_WORKERS)");
    }
  }
  if (!is_main()) return;
  if (steering->binds()) {
    try {
      sharing_ = Sharing::start(*this);
    } catch (const Error& error) {
      base::notice("share", std::string("the machine is not shared by leases: ") + error.what());
    }
  }
  if (recorder_ != nullptr) recorder_->keep();
  gate.open(*this);
}

/// Clocks, and tracks where the run is recorded.
void Runtime::record() {
  if (!settings.trace.empty()) {
    std::vector<trace::Place> tracks;
    for (auto& w : workers)
      tracks.push_back({w->id, w->worker_core_.cpu, w->worker_core_.chiplet, w->worker_core_.node});
    recorder_ = std::make_unique<trace::Recorder>(settings.trace, settings.trace_bytes, tracks, clock_);
  }
  for (auto& worker : workers) {
    worker->clock = &clock_;
    worker->times.start(clock_);
    if (recorder_ != nullptr) worker->track = &recorder_->track(worker->id);
  }
}

/// From here on nobody comes in, and what is there is finished.
void Runtime::make_ready_to_end() noexcept {
  gate.close();
  sharing_.reset();
  const std::lock_guard lock(arenas_mutex());
  for (const auto& state : family.arenas) {
    state->marked = true;
    state->open.store(nullptr, std::memory_order_seq_cst);
  }
  ending.begin();
  wake_all();
  for (const auto& state : family.arenas) {
    Runtime* runtime = state->runtime.load(std::memory_order_acquire);
    if (runtime == nullptr) continue;
    runtime->ending.begin();
    runtime->wake_all();
  }
}

void Runtime::join() noexcept {
  ending.begin();  // of an arena whose start has failed
  wake_all();
  for (auto& worker : workers) {
    if (worker->thread_.joinable()) worker->thread_.join();
  }
  loan.wait_for_end();
}

Runtime::~Runtime() {
  if (!is_main()) {
    join();
    waits.blocking.reset();
    for (fiber::Fiber* fiber : stacks.all()) fiber::destroy(fiber);
    return;
  }
  make_ready_to_end();
  join();
  // All have come to the end together, so the list stands still.
  std::vector<std::unique_ptr<Runtime>> ended;
  for (const auto& state : family.arenas) {
    if (Runtime* runtime = state->runtime.load(std::memory_order_acquire)) ended.emplace_back(runtime);
  }
  for (const auto& each : ended) each->join();
  // Until here a worker may still look whether this is the end, and so at every runtime.
  waits.blocking.reset();
  for (const auto& each : ended) each->waits.blocking.reset();
  remove_overflow_report();
  forget_oversubscription();
  std::vector<fiber::Fiber*> fibers = stacks.all();
  for (const auto& each : ended) {
    const auto more = each->stacks.all();
    fibers.insert(fibers.end(), more.begin(), more.end());
  }
  if (const std::size_t dropped = drop_tasks(*this, fibers); dropped > 0) {
    base::notice("abandoned",
                 std::to_string(dropped) + " tasks still waited for something at finalize() and were dropped");
  }
  gate.withdraw();
  {
    const std::lock_guard lock(arenas_mutex());
    for (const auto& state : family.arenas) state->runtime.store(nullptr, std::memory_order_release);
  }
  ended.clear();
  for (fiber::Fiber* fiber : stacks.all()) fiber::destroy(fiber);
  if (loan.is_home_thread()) steering->release_guest();
}

Worker* Runtime::borrow() noexcept {
  if (!loan.is_home_thread() || !settings.lend_caller) return nullptr;
  Worker& worker = *workers[0];
  if (!worker.slot.borrow()) return nullptr;
  loan.begin();
  if (shares_cores()) family.core_turns.try_take(worker.contender, worker.worker_core_.cpu);  // else beside who has it
  places.flags.clear(stealing::Flag::asleep, worker.place_);
  if (home_signal_stack_ == nullptr) home_signal_stack_ = std::make_unique<SignalStack>();
  const std::uint64_t now = tracing::state(worker, trace::State::busy);  // read once: a short run() has to be cheap
  steering->arrive(worker, now);
  places.flags.set(stealing::Flag::busy, worker.place_);
  worker.taken_by_this_thread();
  worker.looked_at_others_ = now;
  return &worker;
}

void Runtime::give_back(Worker& worker) noexcept {
  detail::worker_of_thread = nullptr;
  worker.current = nullptr;
  places.flags.clear(stealing::Flag::busy, worker.place_);
  tracing::state(worker, trace::State::parked);
  bool more = worker.handoff_ != nullptr || !worker.deque.empty() || !worker.inbox.empty() || !worker.ready.empty();
  places.flags.set(stealing::Flag::asleep, worker.place_);
  family.core_turns.leave(worker.contender);
  const Group& group = *worker.group_;  // from the next line on the worker may move to another group
  const int node = worker.worker_core_.node;
  worker.slot.give_back(worker.place_);
  if (more || worker.inbox.arrived() || !group.inbox.empty() || !places.inbox.empty() ||
      (node >= 0 && !places.node(node).empty()) || waits.timers.pending() || steering->has_news(worker) ||
      ending.has_begun()) {
    wake(worker);  // its own thread continues with the jobs that were left
  } else {
    look_around_after_loan(worker);
  }
  steering->leave_guest();
  loan.end();
}

/// Called at the end of a loan that leaves no job behind: makes the worker's own thread search for the work of
/// others before long (look around after a loan).
void Runtime::look_around_after_loan(Worker& worker) noexcept {
  switch (loan.after([this] { return places.anybody_busy(); })) {
    case Loan::Then::wake:
      wake(worker);  // it has the worker from here on: the next loan comes after its search
      break;
    case Loan::Then::ring:
      ring(worker);  // it sleeps without a limit, perhaps
      return;
    case Loan::Then::nothing:
      break;
  }
  if (idle_look.load(std::memory_order_seq_cst) != nullptr && main.family.lookout.vacant())
    ring(worker);  // it may be the one that looks for messages (one lookout)
}

fiber::Fiber& Runtime::send_guest_back(Worker& worker) noexcept {
  fiber::Fiber& guest = loan.guest();
  if (!stop_waiting(guest)) {  // woken in the last moment: it lies in the inbox of its worker
    for (ListedJob* job = worker.inbox.pop(); job != &guest; job = worker.inbox.pop()) {
    }
  }
  return guest;
}

Runtime* Runtime::abandon() noexcept {
  Runtime* parents = gate.forget();
  if (parents != nullptr) forget_arenas(*parents);
  return parents;
}

}  // namespace charm::sched

namespace charm {

int num_workers() noexcept {
  const sched::Visit runtime(std::nothrow);
  return runtime ? static_cast<int>(runtime->workers.size()) : 0;
}

const Machine& machine() { return sched::Visit()->machine; }

std::vector<WorkerCore> worker_cores() { return sched::Visit()->steering->worker_cores(); }

}  // namespace charm
