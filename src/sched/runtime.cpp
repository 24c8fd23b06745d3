// The runtime from init() to finalize(): machine, placement, threads; lending worker 0.
#include "sched/runtime.hpp"

#include <charm/error.hpp>
#include <charm/runtime.hpp>

#include <algorithm>
#include <chrono>
#include <pthread.h>
#include <set>
#include <string>

#include "base/notices.hpp"
#include "controller/policy.hpp"
#include "os/membarrier.hpp"
#include "os/punctual.hpp"
#include "sched/crowding.hpp"
#include "sched/request.hpp"
#include "sched/sharing.hpp"
#include "sched/stack_overflow.hpp"
#include "sched/tracing.hpp"
#include "topology/discovery.hpp"

namespace charm::sched {

std::atomic<Runtime*> Runtime::current{nullptr};

namespace {

std::int64_t steady_ns() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch()).count();
}

Bind bind_mode(const std::string& word) {
  return word == "chiplet" ? Bind::chiplet : word == "node" ? Bind::node : word == "none" ? Bind::none : Bind::core;
}

Machine find_machine(const base::Settings& settings) { return topology::discover(settings.topology, settings.profile); }

/// The chiplets that a worker may ever sit on, whatever happens to the allowed cpus: all, or none (-1) where nobody is
/// bound.
std::vector<int> reachable_chiplets(const Machine& machine, const placement::Placement& placement) {
  std::set<int> chiplets;
  for (const auto& level : placement.seats) {
    for (const Seat& seat : level) chiplets.insert(seat.chiplet);
  }
  if (*chiplets.rbegin() >= 0) {
    for (const Chiplet& chiplet : machine.chiplets) chiplets.insert(chiplet.id);
  }
  return {chiplets.begin(), chiplets.end()};
}

}  // namespace

Runtime& Runtime::get() {
  Runtime* runtime = instance();
  if (runtime == nullptr) throw Error(Errc::not_running, "the runtime is not running", "call charm::init() first");
  return *runtime;
}

Runtime::Runtime(const Config& config, std::unique_ptr<os::CpuWatch> cpus, std::unique_ptr<counters::Source> source)
    : settings(base::resolve(config)),
      machine(find_machine(settings)),
      bind(bind_mode(settings.bind)),
      placement(controller::placement_for(controller::spec_of(settings), machine, request_for(machine, settings))),
      field(machine, reachable_chiplets(machine, placement)),
      board(field.groups(), static_cast<int>(placement.start().size())),
      stealing_policy(stealing::policies().back()),
      timers(*this, machine.chiplets.size()),
      deadlock(*this),
      spares(std::make_unique<Spares>(*this, static_cast<std::size_t>(settings.blocking_threads))) {
  forget_crowding();
  if (const Crowding seen = crowding_at_start(machine, placement, bind != Bind::none); !seen.reason.empty())
    report_crowding(seen, steady_ns());
  if (!os::register_heavy_barrier()) {
    base::notice("membarrier",
                 "membarrier(2) is not available; every fork is published at once, which costs some speed");
  }
  const std::vector<Seat>& seats = placement.start();
  for (std::size_t n = 0; n < machine.nodes.size(); ++n) nodes.push_back(std::make_unique<NodeQueue>());
  for (std::size_t n = 0; n < machine.nodes.size() + 1; ++n) {
    pools_.push_back(std::make_unique<FiberPool>());
    pools_.back()->node = static_cast<int>(n) - 1;
  }
  for (int g = 0; g < field.groups(); ++g) {
    groups.push_back(std::make_unique<Group>(field.chiplet(g), seats.size()));
    group_by_chiplet_.resize(std::max(group_by_chiplet_.size(), static_cast<std::size_t>(field.chiplet(g)) + 2), -1);
    group_by_chiplet_[static_cast<std::size_t>(field.chiplet(g) + 1)] = g;
  }
  for (const Core& core : machine.cores) {
    std::vector<int>& near = nodes[static_cast<std::size_t>(core.node)]->groups;
    const int group = group_of(core.chiplet);
    if (group >= 0 && std::find(near.begin(), near.end(), group) == near.end()) near.push_back(group);
  }

  for (std::size_t i = 0; i < seats.size(); ++i) {
    auto worker = std::make_unique<Worker>();
    worker->id = static_cast<int>(i);
    worker->runtime = this;
    worker->random = static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15ULL + 1;
    if (!os::has_heavy_barrier()) worker->deque.always_publish();
    worker->seat = seats[i];
    join_node(*worker, seats[i].node);
    join_group(*worker, group_of(seats[i].chiplet));
    workers.push_back(std::move(worker));
  }
  record();

  if (!cpus && machine.is_live()) cpus = os::live_cpu_watch();
  const bool bound = cpus != nullptr;
  steering = std::make_unique<Steering>(*this, std::move(cpus), std::move(source));
  current.store(this, std::memory_order_release);
  install_overflow_report();
  for (auto& worker : workers) {
    worker->thread = std::thread([worker = worker.get()] {
      std::string name = "charm-" + std::to_string(worker->id);
      pthread_setname_np(pthread_self(), name.c_str());
      os::wake_me_punctually();
      SignalStack signal_stack;
      worker->main();
    });
  }
  if (!bound) return;
  try {
    sharing = Sharing::start(settings, machine, static_cast<int>(workers.size()), *steering);
  } catch (const Error& error) {
    base::notice("share", std::string("the machine is not shared by leases: ") + error.what());
  }
}

/// Clocks, and tracks where the run is recorded.
void Runtime::record() {
  if (!settings.trace.empty()) {
    std::vector<trace::Place> places;
    for (auto& w : workers) places.push_back({w->id, w->seat.cpu, w->seat.chiplet, w->seat.node});
    recorder = std::make_unique<trace::Recorder>(settings.trace, settings.trace_bytes, places, clock);
  }
  for (auto& worker : workers) {
    worker->clock = &clock;
    worker->times.start(clock);
    if (recorder != nullptr) worker->track = &recorder->track(worker->id);
  }
}

Runtime::~Runtime() {
  stop();
  remove_overflow_report();
  current.store(nullptr, std::memory_order_release);
  forget_crowding();
  std::size_t idle_fibers = 0;
  std::size_t all_fibers = 0;
  for (auto& worker : workers) idle_fibers += static_cast<std::size_t>(worker->free_count);
  for (auto& fibers : pools_) {
    idle_fibers += fibers->idle.size();
    all_fibers += fibers->all.size();
    for (fiber::Fiber* fiber : fibers->all) fiber::destroy(fiber);
  }
  if (all_fibers > idle_fibers) {
    base::notice("abandoned", std::to_string(all_fibers - idle_fibers) +
                                  " tasks still waited for something at finalize() and were dropped");
  }
  if (home_ == std::this_thread::get_id()) steering->release_guest();
}

void Runtime::stop() {
  sharing.reset();
  stopping.store(true, std::memory_order_seq_cst);
  for (auto& worker : workers) wake(*worker);
  for (auto& worker : workers) worker->thread.join();
  spares.reset();
}

std::vector<int> Runtime::cpus_of_node(int node) const {
  if (node < 0) return machine.allowed_cpus;
  return cpus_where([node](const Core& core) { return core.node == node; });
}

std::vector<int> Runtime::cpus_of_chiplet(int chiplet) const {
  return cpus_where([chiplet](const Core& core) { return core.chiplet == chiplet; });
}

template <class F>
std::vector<int> Runtime::cpus_where(F&& wanted) const {
  std::vector<int> cpus;
  for (const Core& core : machine.cores) {
    if (wanted(core)) cpus.insert(cpus.end(), core.siblings.begin(), core.siblings.end());
  }
  std::sort(cpus.begin(), cpus.end());
  return cpus;
}

std::vector<int> Runtime::cpus_of(const Seat& seat) const {
  if (seat.cpu < 0) return {};
  switch (bind) {
    case Bind::core:
      return {seat.cpu};
    case Bind::node:
      return cpus_of_node(seat.node);
    case Bind::chiplet:
      return cpus_of_chiplet(seat.chiplet);
    case Bind::none:
      break;
  }
  return {};
}

void Runtime::set_guest(fiber::Fiber* fiber) noexcept {
  guest_.store(fiber, std::memory_order_seq_cst);
  if (fiber != nullptr) return;
  while (guest_readers_.load(std::memory_order_seq_cst) != 0) std::this_thread::yield();  // it is about to go
}

Worker* Runtime::borrow() noexcept {
  if (home_ != std::this_thread::get_id() || !settings.lend_caller) return nullptr;
  Worker& worker = *workers[0];
  Worker::State expected = worker.slot.load(std::memory_order_relaxed);
  if (expected.slot() != Worker::Slot::parked ||
      !worker.slot.compare_exchange_strong(expected, Worker::Slot::lent, std::memory_order_seq_cst))
    return nullptr;
  board.clear(stealing::Mark::asleep, worker.place);
  if (home_signal_stack_ == nullptr) home_signal_stack_ = std::make_unique<SignalStack>();
  steering->arrive(worker);
  board.set(stealing::Mark::busy, worker.place);
  tracing::state(worker, trace::State::busy);
  worker.taken_by_this_thread();
  return &worker;
}

void Runtime::give_back(Worker& worker) noexcept {
  detail::worker_of_thread = nullptr;
  worker.current = nullptr;
  board.clear(stealing::Mark::busy, worker.place);
  tracing::state(worker, trace::State::parked);
  bool more = worker.handoff != nullptr || !worker.deque.empty() || !worker.inbox.empty() || !worker.ready.empty();
  board.set(stealing::Mark::asleep, worker.place);
  const Group& group = *worker.group;  // from the next line on the worker may be on its way to another
  const int node = worker.seat.node;
  worker.slot.store({Worker::Slot::parked, worker.place}, std::memory_order_seq_cst);
  if (more || worker.inbox.arrived() || !group.inbox.empty() || !inbox.empty() ||
      (node >= 0 && !nodes[static_cast<std::size_t>(node)]->inbox.empty()) || timers.pending() ||
      steering->has_news(worker))
    wake(worker);  // its own thread goes on with what was left
}

}  // namespace charm::sched

namespace charm {

using sched::Runtime;

void init(const Config& config) {
  if (Runtime::instance() != nullptr)
    throw Error(Errc::not_running, "the runtime is running already", "call charm::finalize() first");
  new Runtime(config);  // owned by Runtime::current until finalize()
}

void finalize() {
  if (detail::this_worker() != nullptr)
    throw Error(Errc::not_running, "finalize() was called inside a task", "call it from the thread that called init()");
  delete &Runtime::get();
}

bool initialized() noexcept { return Runtime::instance() != nullptr; }

int num_workers() noexcept {
  Runtime* runtime = Runtime::instance();
  return runtime == nullptr ? 0 : static_cast<int>(runtime->workers.size());
}

const Machine& machine() { return Runtime::get().machine; }

std::vector<Seat> seats() { return Runtime::get().steering->seats(); }

}  // namespace charm
