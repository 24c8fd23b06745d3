// The runtime from init() to finalize(): machine, placement, threads; lending worker 0; the pool of idle fibers.
#include "sched/runtime.hpp"

#include <charm/detail/ticks.hpp>
#include <charm/detail/wait_list.hpp>
#include <charm/runtime.hpp>
#include <charm/stats.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <pthread.h>
#include <string>

#include "base/notices.hpp"
#include "os/affinity.hpp"
#include "os/membarrier.hpp"
#include "os/punctual.hpp"
#include "placement/policy.hpp"
#include "sched/crowding.hpp"
#include "sched/stack_overflow.hpp"

namespace charm::sched {

std::atomic<Runtime*> Runtime::current{nullptr};

namespace {

Bind bind_mode(const std::string& word) {
  return word == "chiplet" ? Bind::chiplet : word == "node" ? Bind::node : word == "none" ? Bind::none : Bind::core;
}

Machine find_machine(const base::Settings& settings) {
  return settings.topology.empty() ? Machine::discover() : Machine::from(settings.topology);
}

placement::Placement place(const Machine& machine, const base::Settings& settings) {
  placement::Request request;
  request.workers = settings.workers;
  if (request.workers == 0) {
    request.workers = static_cast<int>(machine.cores.size());
    if (machine.cpu_quota > 0)
      request.workers = std::min(request.workers, std::max(1, static_cast<int>(std::ceil(machine.cpu_quota))));
  } else if (machine.cpu_quota > 0 && request.workers > std::ceil(machine.cpu_quota)) {
    base::notice("quota", std::to_string(request.workers) + " workers share a cgroup quota of " +
                              std::to_string(machine.cpu_quota) + " cpus and will be throttled");
  }
  request.sockets = settings.sockets == "balance" ? placement::SocketOrder::balance : placement::SocketOrder::fill;
  request.spread = settings.spread;
  request.smt = settings.smt;
  request.share_cores = settings.share_cores;
  return placement::policy(settings.policy).place(machine, request);
}

}  // namespace

Runtime& Runtime::get() {
  Runtime* runtime = instance();
  if (runtime == nullptr) throw Error(Errc::not_running, "the runtime is not running", "call charm::init() first");
  return *runtime;
}

Runtime::Runtime(const Config& config)
    : settings(base::resolve(config)),
      machine(find_machine(settings)),
      bind(bind_mode(settings.bind)),
      start_ns(detail::steady_now()),
      start_ticks(detail::ticks()),
      placement(place(machine, settings)),
      timers(*this, machine.chiplets.size()),
      deadlock(*this),
      spares(std::make_unique<Spares>(*this, static_cast<std::size_t>(settings.blocking_threads))) {
  forget_crowding();
  if (std::string reason = crowding_reason(machine, placement, bind != Bind::none); !reason.empty())
    report_crowding(reason);
  if (!os::register_heavy_barrier()) {
    base::notice("membarrier",
                 "membarrier(2) is not available; every fork is published at once, which costs some speed");
  }
  const std::vector<Seat>& seats = placement.start();
  for (std::size_t n = 0; n < machine.nodes.size(); ++n) node_inboxes.push_back(std::make_unique<LockedQueue>());
  for (std::size_t n = 0; n < machine.nodes.size() + 1; ++n) {
    pools_.push_back(std::make_unique<FiberPool>());
    pools_.back()->node = static_cast<int>(n) - 1;
  }

  std::map<int, Group*> by_chiplet;
  for (std::size_t i = 0; i < seats.size(); ++i) {
    auto worker = std::make_unique<Worker>();
    worker->id = static_cast<int>(i);
    worker->runtime = this;
    worker->seat = seats[i];
    worker->random = static_cast<std::uint32_t>(i) * 2654435761U + 1;
    if (!os::has_heavy_barrier()) worker->deque.always_publish();
    Group*& group = by_chiplet[seats[i].chiplet];
    if (group == nullptr) {
      groups.push_back(std::make_unique<Group>());
      group = groups.back().get();
      group->chiplet = seats[i].chiplet;
    }
    worker->group = group;
    group->members.push_back(worker.get());
    workers.push_back(std::move(worker));
  }
  for (auto& worker : workers) make_rings(*worker);

  current.store(this, std::memory_order_release);
  install_overflow_report();
  for (auto& worker : workers) {
    worker->thread = std::thread([this, worker = worker.get()] {
      std::string name = "charm-" + std::to_string(worker->id);
      pthread_setname_np(pthread_self(), name.c_str());
      if (std::vector<int> cpus = cpus_of(worker->seat); !cpus.empty() && !os::bind_this_thread(cpus)) {
        base::notice("bind",
                     "the kernel refused to bind a worker to cpu " + std::to_string(worker->seat.cpu) + "; it floats");
      }
      os::wake_me_punctually();
      SignalStack signal_stack;
      worker->main();
    });
  }
}

/// The other workers in rings of equal distance, nearest first.
void Runtime::make_rings(Worker& worker) {
  std::map<double, Worker::Ring> rings;
  for (auto& other : workers) {
    if (other.get() == &worker) continue;
    bool placed = worker.seat.core >= 0 && other->seat.core >= 0;
    double distance = placed ? machine.distance(worker.seat.core, other->seat.core) : 1;
    Worker::Ring& ring = rings[distance];
    ring.victims.push_back(other.get());
    ring.steals = worker.seat.chiplet == other->seat.chiplet ? &Tally::steals_chiplet
                  : worker.seat.node == other->seat.node     ? &Tally::steals_node
                                                             : &Tally::steals_far;
  }
  for (auto& [distance, ring] : rings) worker.rings.push_back(std::move(ring));
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
  if (home_bound_ && home_ == std::this_thread::get_id()) os::bind_this_thread(home_cpus_);
}

void Runtime::stop() {
  stopping.store(true, std::memory_order_seq_cst);
  for (auto& worker : workers) wake(*worker);
  for (auto& worker : workers) worker->thread.join();
  spares.reset();
}

std::vector<int> Runtime::cpus_of_node(int node) const {
  if (!machine.is_live()) return {};
  if (node < 0) return machine.allowed_cpus;
  std::vector<int> cpus;
  for (const Core& core : machine.cores) {
    if (core.node == node) cpus.insert(cpus.end(), core.siblings.begin(), core.siblings.end());
  }
  return cpus;
}

std::vector<int> Runtime::cpus_of(const Seat& seat) const {
  if (!machine.is_live() || seat.cpu < 0) return {};
  switch (bind) {
    case Bind::core:
      return {seat.cpu};
    case Bind::node:
      return cpus_of_node(seat.node);
    case Bind::chiplet: {
      std::vector<int> cpus;
      for (const Core& core : machine.cores) {
        if (core.chiplet == seat.chiplet) cpus.insert(cpus.end(), core.siblings.begin(), core.siblings.end());
      }
      return cpus;
    }
    case Bind::none:
      break;
  }
  return {};
}

void Runtime::set_guest(fiber::Fiber* fiber) noexcept {
  guest_.store(fiber, std::memory_order_seq_cst);
  if (fiber != nullptr) return;
  while (guest_is_read_.load(std::memory_order_seq_cst)) std::this_thread::yield();  // it is about to go
}

Worker* Runtime::borrow() noexcept {
  if (home_ != std::this_thread::get_id() || !settings.lend_caller) return nullptr;
  Worker& worker = *workers[0];
  Worker::Slot expected = Worker::Slot::parked;
  if (!worker.slot.compare_exchange_strong(expected, Worker::Slot::lent, std::memory_order_seq_cst)) return nullptr;
  worker.group->sleeping.fetch_sub(1, std::memory_order_relaxed);
  sleeping.fetch_sub(1, std::memory_order_relaxed);
  if (!home_prepared_) {  // once: some system calls a run() would be too many
    home_prepared_ = true;
    home_signal_stack_ = std::make_unique<SignalStack>();
    if (std::vector<int> cpus = cpus_of(worker.seat); !cpus.empty()) {
      home_cpus_ = os::allowed_cpus();
      home_bound_ = os::bind_this_thread(cpus);
    }
  }
  worker.busy.store(true, std::memory_order_relaxed);
  detail::worker_of_thread = &worker;
  return &worker;
}

void Runtime::give_back(Worker& worker) noexcept {
  detail::worker_of_thread = nullptr;
  worker.current = nullptr;
  worker.busy.store(false, std::memory_order_relaxed);
  bool more = worker.handoff != nullptr || !worker.deque.empty() || !worker.inbox.empty() || !worker.ready.empty();
  worker.group->sleeping.fetch_add(1, std::memory_order_relaxed);
  sleeping.fetch_add(1, std::memory_order_relaxed);
  worker.slot.store(Worker::Slot::parked, std::memory_order_seq_cst);
  if (more || worker.inbox.arrived() || timers.pending())
    wake(worker);  // its own thread goes on with what was left
}

fiber::Fiber* Runtime::take_fiber(int node) noexcept {
  FiberPool& fibers = pool(node);
  {
    std::lock_guard lock(fibers.mutex);
    if (!fibers.idle.empty()) {
      fiber::Fiber* fiber = fibers.idle.back();
      fibers.idle.pop_back();
      return fiber;
    }
  }
  try {
    const auto home = static_cast<std::size_t>(node);
    const bool placed = node >= 0 && machine.is_live() && machine.nodes.size() > 1 && bind != Bind::none;
    fiber::Fiber* fiber = fiber::create(settings.stack_bytes, loop, placed ? machine.nodes[home].os_index : -1);
    fiber->home = node;
    fiber->card.id = next_task_id_.fetch_add(1, std::memory_order_relaxed);
    std::lock_guard lock(fibers.mutex);
    fibers.all.insert(fiber);
    ++fibers.made;
    fibers.most = std::max(fibers.most, fibers.all.size());
    return fiber;
  } catch (const std::exception& error) {
    // A waiting task needs a stack to leave its worker to; there is no way on without one.
    std::fprintf(stderr, "charm: %s\n", error.what());
    std::abort();
  }
}

std::vector<StackPoolStats> Runtime::stack_pools() const {
  std::vector<StackPoolStats> all;
  for (const auto& fibers : pools_) {
    std::lock_guard lock(fibers->mutex);
    if (fibers->made == 0) continue;
    const std::uint64_t stacks = fibers->all.size();
    all.push_back({fibers->node, stacks, fibers->idle.size(), fibers->most, fibers->made, stacks * settings.stack_bytes});
  }
  return all;
}

void Runtime::give_fiber(fiber::Fiber* fiber) noexcept {
  FiberPool& fibers = pool(fiber->home);
  std::lock_guard lock(fibers.mutex);
  if (fibers.idle.size() < most_idle_fibers) return fibers.idle.push_back(fiber);
  fibers.all.erase(fiber);
  fiber::destroy(fiber);
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

std::vector<Seat> seats() { return Runtime::get().placement.start(); }

WorkerStats Stats::total() const {
  WorkerStats sum;
  for (const WorkerStats& w : workers) {
    sum.jobs += w.jobs;
    sum.steals_chiplet += w.steals_chiplet;
    sum.steals_node += w.steals_node;
    sum.steals_far += w.steals_far;
    sum.lost_races += w.lost_races;
    sum.suspensions += w.suspensions;
    sum.exposures += w.exposures;
    sum.parks += w.parks;
  }
  return sum;
}

Stats stats() {
  Runtime& runtime = Runtime::get();
  Stats stats;
  for (auto& worker : runtime.workers) {
    const sched::Tally& t = worker->tally;
    stats.workers.push_back(
        {t.jobs, t.steals_chiplet, t.steals_node, t.steals_far, t.lost_races, t.suspensions, t.exposures, t.parks});
  }
  stats.stack_pools = runtime.stack_pools();
  for (const StackPoolStats& pool : stats.stack_pools) stats.stacks += pool.stacks;
  stats.spare_threads = runtime.spares->threads();
  stats.oversubscribed = sched::crowded();
  stats.notices = base::notices();
  return stats;
}

}  // namespace charm
