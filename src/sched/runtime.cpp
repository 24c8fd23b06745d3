// The runtime from init() to finalize(): machine, placement, threads; lending worker 0; the pool of idle fibers.
#include "sched/runtime.hpp"

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
#include "placement/policy.hpp"
#include "topology/discovery.hpp"

namespace charm::sched {

std::atomic<Runtime*> Runtime::current{nullptr};

namespace {

Machine find_machine(const base::Settings& settings) {
  return topology::discover(settings.topology, settings.profile);
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
    : settings(base::resolve(config)), machine(find_machine(settings)), placement(place(machine, settings)) {
  if (!os::register_heavy_barrier()) {
    base::notice("membarrier",
                 "membarrier(2) is not available; every fork is published at once, which costs some speed");
  }
  const std::vector<Seat>& seats = placement.start();
  for (std::size_t n = 0; n < machine.nodes.size(); ++n) node_inboxes.push_back(std::make_unique<LockedQueue>());
  for (std::size_t n = 0; n < machine.nodes.size() + 1; ++n) pools_.push_back(std::make_unique<FiberPool>());

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

  bool bind = machine.is_live();
  current.store(this, std::memory_order_release);
  for (auto& worker : workers) {
    worker->thread = std::thread([worker = worker.get(), bind] {
      std::string name = "charm-" + std::to_string(worker->id);
      pthread_setname_np(pthread_self(), name.c_str());
      if (bind && worker->seat.cpu >= 0 && !os::bind_this_thread({worker->seat.cpu})) {
        base::notice("bind",
                     "the kernel refused to bind a worker to cpu " + std::to_string(worker->seat.cpu) + "; it floats");
      }
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
  current.store(nullptr, std::memory_order_release);
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
}

Worker* Runtime::borrow() noexcept {
  if (home_ != std::this_thread::get_id()) return nullptr;
  Worker& worker = *workers[0];
  Worker::Slot expected = Worker::Slot::parked;
  if (!worker.slot.compare_exchange_strong(expected, Worker::Slot::lent, std::memory_order_seq_cst)) return nullptr;
  worker.group->sleeping.fetch_sub(1, std::memory_order_relaxed);
  sleeping.fetch_sub(1, std::memory_order_relaxed);
  if (!home_bound_ && machine.is_live() && worker.seat.cpu >= 0) {  // once: two system calls a run() would be too many
    home_cpus_ = os::allowed_cpus();
    home_bound_ = os::bind_this_thread({worker.seat.cpu});
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
  if (more || worker.inbox.arrived()) wake(worker);  // its own thread goes on with what was left
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
    fiber::Fiber* fiber = fiber::create(settings.stack_bytes, loop);
    std::lock_guard lock(fibers.mutex);
    fibers.all.insert(fiber);
    return fiber;
  } catch (const std::exception& error) {
    // A waiting task needs a stack to leave its worker to; there is no way on without one.
    std::fprintf(stderr, "charm: %s\n", error.what());
    std::abort();
  }
}

std::uint64_t Runtime::stacks() const {
  std::uint64_t count = 0;
  for (const auto& fibers : pools_) {
    std::lock_guard lock(fibers->mutex);
    count += fibers->all.size();
  }
  return count;
}

void Runtime::give_fiber(fiber::Fiber* fiber, int node) noexcept {
  FiberPool& fibers = pool(node);
  std::lock_guard lock(fibers.mutex);
  bool plenty = fibers.idle.size() >= most_idle_fibers;
  // One that was made on another node stays in that node's books, so it is kept, whatever their number.
  if (plenty && fibers.all.erase(fiber) == 1) return fiber::destroy(fiber);
  fibers.idle.push_back(fiber);
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
  stats.stacks = runtime.stacks();
  stats.notices = base::notices();
  return stats;
}

}  // namespace charm
