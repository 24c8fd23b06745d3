// A runtime: its workers, their places, and the pool of idle fibers. A process has one, and one more for each of its
// arenas (sched/run/arenas.hpp).
#pragma once

#include <charm/machine.hpp>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "base/settings.hpp"
#include "binding/masks.hpp"
#include "memory/by_traffic.hpp"
#include "os/threads/handed_on.hpp"
#include "placement/placement.hpp"
#include "sched/control/steering.hpp"
#include "sched/debug/gdb_layout.hpp"
#include "sched/debug/stack_overflow.hpp"
#include "sched/run/ending.hpp"
#include "sched/run/family.hpp"
#include "sched/run/gate.hpp"
#include "sched/run/loan.hpp"
#include "sched/run/places.hpp"
#include "sched/run/searchers.hpp"
#include "sched/run/stack_pools.hpp"
#include "sched/run/worker.hpp"
#include "sched/wait/waits.hpp"
#include "stealing/steal_policy.hpp"
#include "trace/recorder.hpp"

namespace charm::sched {

/// With chiplet and node, ready tasks that do not fit into a worker's own queue go to the queue that the chiplet or
/// node shares.
using binding::Bind;

class Sharing;

class Runtime {
 public:
  /// \param cpus, source where cpus and measurements come from; null: the machine that this is. Tests have their own.
  explicit Runtime(const Config& config, std::unique_ptr<os::CpuWatch> cpus = nullptr,
                   std::unique_ptr<counters::Source> source = nullptr);
  /// What a runtime is made of.
  struct Plan {
    base::Settings settings;
    Machine machine;
    placement::Placement placement;
    // Of an arena:
    Runtime* main = nullptr;  // the runtime of the process
    CpuSet given;             // the cpus that it was made for
    CpuSet cpus;              // those of them that it may use now
    CoreTurns::Rank rank = 1;
    int first_number = 0;  // of its workers
  };
  /// An arena's.
  Runtime(Plan plan, std::shared_ptr<detail::ArenaState> arena);
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  /// For threads that know that the runtime will not end meanwhile: its own, and the thread that will end it. Others
  /// hold a Visit.
  /// \throws Error (not_running).
  static Runtime& get();
  static Gate gate;

  // Fixed when the workers start, so that all may read it.
  Runtime& main;  // itself, but for an arena's
  const base::Settings settings;
  const Machine machine;
  const placement::Placement placement;
  std::vector<std::unique_ptr<Worker>> workers;
  Places places;
  std::unique_ptr<Steering> steering;

  Waits waits;    // rare: waits, time limits, the end of waits
  Family family;  // of the main runtime; rare: arenas come and go

  // Read by every searching worker, written rarely: the line of its own keeps it apart from what is written often.
  alignas(64) Ending ending;
  Searchers searchers;
  Loan loan;          // of worker 0
  StackPools stacks;  // rare: each worker keeps a few fibers

  [[nodiscard]] bool is_main() const noexcept { return this == &main; }
  [[nodiscard]] bool shares_cores() const noexcept { return family.count.load(std::memory_order_acquire) > 0; }
  /// Null but for an arena's.
  [[nodiscard]] const std::shared_ptr<detail::ArenaState>& arena() const noexcept { return arena_; }
  [[nodiscard]] const os::TickClock& clock() const noexcept { return clock_; }
  /// Of the main runtime: what the thread that called init() hands on to threads.
  [[nodiscard]] const os::HandedOn& came_with() const noexcept { return came_with_; }
  [[nodiscard]] const stealing::StealPolicy& stealing_policy() const noexcept { return stealing_policy_; }
  /// Null unless the setting trace names a file.
  [[nodiscard]] trace::Recorder* recorder() const noexcept { return recorder_.get(); }
  /// Null if the runtime leases no cores.
  [[nodiscard]] Sharing* sharing() const noexcept { return sharing_.get(); }

  /// Called when a sleeping worker could take new work: wakes one near `from` unless a worker there is searching
  /// already.
  void notify(const Worker* from) noexcept {
    if (places.flags.any(stealing::Flag::asleep)) [[unlikely]]
      wake_near(from->place().group);
  }
  /// Wakes this worker if it is parked. \return whether it was.
  bool wake(Worker& worker) noexcept;
  /// Wakes all workers, so that they notice a change.
  void wake_all() noexcept;
  /// Whether a worker sleeps or may sleep, by the work flags, or rests.
  [[nodiscard]] bool anybody_asleep() const noexcept;
  /// Makes a parked worker check its time limits again, and park again. \return whether it is parked.
  bool ring(Worker& worker) noexcept;
  void post(Worker& worker, ListedJob* job) noexcept;
  /// Posts a job for any worker, but wakes one of this chiplet first.
  void post_near(int chiplet, ListedJob* job) noexcept;
  /// Posts a job for any worker.
  void post_anywhere(ListedJob* job) noexcept;
  [[nodiscard]] bool anybody_searches() const noexcept;
  void wake_anybody() noexcept;
  /// Called if there is no heavy barrier (any more): reports it, and makes every owner publish its pushes from now on.
  void without_heavy_barrier() noexcept;
  /// Posts a job for a worker of a group, or of a node. \return false if it has no worker; then nothing was posted.
  bool post_group(int group, ListedJob* job) noexcept;
  bool post_node(int node, ListedJob* job) noexcept;
  /// Moves the jobs of an inbox without members to the runtime's inbox (no inbox without members).
  template <class Queue>
  void abandon(Queue& queue) noexcept {
    while (ListedJob* job = queue.pop()) post_anywhere(job);
  }

  // The parts of taking a core (placing.cpp).
  void join_group(Worker& worker, int group);
  void leave_group(stealing::Place place) noexcept;
  void join_node(Worker& worker, int node) noexcept;
  void leave_node(int node) noexcept;

  /// Whether this is the end (sched/run/termination.cpp). \param with_family of the main runtime and all arenas; else
  /// of this one alone.
  [[nodiscard]] bool nothing_left(bool with_family) noexcept;
  [[nodiscard]] bool queues_are_empty() noexcept;
  /// Whether a task is suspended; to be asked where all workers are idle.
  [[nodiscard]] bool has_tasks() noexcept;
  [[nodiscard]] bool is_to_end_alone() noexcept;
  void end_alone() noexcept;
  void end_family() noexcept;

  /// Called in the child of a fork(): forgets the parent's runtime, and that threads were starting, ending or visiting
  /// it.
  /// \return that runtime, or nullptr.
  static Runtime* abandon() noexcept;

  /// Lends worker 0 to the calling thread, if that is the thread that called init() and the worker is free. During a
  /// visit; the runtime stays until the worker is given back.
  Worker* borrow() noexcept;
  void give_back(Worker& worker) noexcept;

  /// Called by worker 0's guest when nothing is left to do: detaches the guest from the event that it waits for, so
  /// that its thread goes on and gives the worker back. \return the stack on which to continue.
  fiber::Fiber& send_guest_back(Worker& worker) noexcept;

  /// A new fiber whose stack is on the node. \throws Error (system), std::bad_alloc.
  fiber::Fiber* make_fiber(int node);
  /// A fiber whose stack is on the node, an idle one if there is one. Ends the program where there is no memory.
  fiber::Fiber* take_fiber(int node) noexcept;
  /// The malloc's weights, if the setting home asks for them and some are published; else null.
  std::shared_ptr<const memory::WeightPage> weights_in_force();

 private:
  const CharmGdbEntry* const gdb_layout_ = charm_gdb_layout;  // makes the linker keep the table in static programs
  memory::PublishedWeights published_weights_;
  struct Unstarted {};
  Runtime(Unstarted, Plan plan, std::shared_ptr<detail::ArenaState> arena, std::unique_ptr<os::CpuWatch> cpus,
          std::unique_ptr<counters::Source> source);
  static Plan plan_of(const Config& config);
  void make_ready_to_end() noexcept;
  void join() noexcept;
  void look_around_after_loan(Worker& worker) noexcept;
  void make_workers(const Plan& plan);
  void record();
  void start();
  void wake_near(int home) noexcept;
  /// Wakes one sleeping worker of the group that `wanted` accepts. \return whether there was one.
  enum class Wake { preferred, any };
  template <class F>
  bool wake_one_of(int group, F&& wanted, Wake which = Wake::any) noexcept;
  [[nodiscard]] bool wakes_last(const Worker& worker, int callers_cpu) const noexcept;
  /// Wakes one of the workers that `wanted` accepts, if all of these rest, because no other worker serves their inbox.
  template <class F>
  void wake_resting(F&& wanted) noexcept;
  void wake_resting_in(int group) noexcept;
  void wake_resting_on(int node) noexcept;

  const std::shared_ptr<detail::ArenaState> arena_;
  const os::TickClock clock_;
  const os::HandedOn came_with_ = os::handed_on();
  const stealing::StealPolicy& stealing_policy_;
  std::unique_ptr<trace::Recorder> recorder_;
  std::unique_ptr<Sharing> sharing_;
  std::atomic<std::uint64_t> next_task_id_{1};
  std::unique_ptr<SignalStack> home_signal_stack_;
};

}  // namespace charm::sched
