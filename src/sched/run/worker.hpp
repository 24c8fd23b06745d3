// A worker: one thread on one core, its queues, and the fiber that it runs at the moment.
//
// A worker is not the same as its thread. While the thread that called init() waits in the runtime (run, parallel_for
// ...), worker 0 is lent to it: that thread is then the guest, and `slot` says which of the two threads runs the
// worker (sched/run/worker_slot.hpp). That thread is "the owner" in the comments of the queues. Both threads may sleep
// in the worker: the worker's thread while the guest or nobody has the slot, the guest while it has the slot and finds
// no work.
#pragma once

#include <charm/detail/worker.hpp>
#include <charm/placement.hpp>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "base/random.hpp"
#include "fiber/fiber.hpp"
#include "fiber/stack_cache.hpp"
#include "sched/control/core_turns.hpp"
#include "sched/run/bound_limits.hpp"
#include "sched/run/error_number.hpp"
#include "sched/run/exceptions.hpp"
#include "sched/run/inbox.hpp"
#include "sched/run/ready_queue.hpp"
#include "sched/run/work_times.hpp"
#include "sched/run/worker_slot.hpp"
#include "stealing/work_flags.hpp"
#include "trace/track.hpp"

namespace charm::sched {

class Meter;
class Runtime;
struct Group;

/// Plain counters of one worker; written by its owner, read by any thread.
struct Tally {
  using Count = std::atomic<std::uint64_t>;
  Count jobs{0}, steals_chiplet{0}, steals_node{0}, steals_far{0}, lost_races{0}, suspensions{0}, parks{0}, wakes{0},
      exposures{0}, resumptions{0}, migrations{0};
  static void add(Count& count) noexcept {
    count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
};

class Worker : public detail::WorkerBase {
 public:
  Runtime* runtime = nullptr;

  // Owner only.
  fiber::Fiber* current = nullptr;   // the fiber that runs
  fiber::StackCache further_stacks;  // for deep recursion
  trace::Track* track = nullptr;     // null unless the run is recorded (sched/debug/tracing.hpp)
  const os::TickClock* clock = nullptr;
  Meter* meter = nullptr;          // counts its work; null: there is no controller
  CoreTurns::Contender contender;  // whether it has its core, where arenas share cores (sched/control/core_turns.hpp)

  // Hot and shared: any thread. Each of the queues, and the slot with what follows it, begins a cache line.
  Inbox inbox;
  ReadyQueue ready;
  alignas(64) WorkerSlot slot;
  LeavesJobs leaves_jobs;
  std::atomic<bool> reserved{false};  // for a part of a batch that will be sent to it (src/task_dag)
  // Written by the owner, read rarely by others: reports.
  alignas(64) Tally tally;
  WorkTimes times;

  // ---- the owner ----

  // Where it is. Other workers know its place from the work flags.
  [[nodiscard]] const WorkerCore& worker_core() const noexcept { return worker_core_; }
  [[nodiscard]] Group& group() const noexcept { return *group_; }
  [[nodiscard]] stealing::Place place() const noexcept { return place_; }
  /// errno of the thread that has the worker.
  [[nodiscard]] int& error_number() const noexcept { return *error_number_; }
  [[nodiscard]] BoundLimits& bound_limits() noexcept { return bound_limits_; }
  /// The own stack of the worker's thread.
  [[nodiscard]] fiber::Fiber& native() noexcept { return native_; }
  /// Continues this fiber next, before anything else. \return false where another is to be continued next.
  bool continue_next(fiber::Fiber& fiber) noexcept {
    if (handoff_ != nullptr) return false;
    handoff_ = &fiber;
    return true;
  }
  /// The next search of the own queues begins with the shared queues.
  void look_around() noexcept { look_around_ = true; }
  /// The time on its clock at which it last looked at others' jobs, or was lent, or woke up.
  [[nodiscard]] std::uint64_t looked_at_others() const noexcept { return looked_at_others_; }
  /// Whether 10 us have passed since this last said so.
  [[nodiscard]] bool looks_at_timers(std::uint64_t ticks) noexcept;
  /// See charm::yield().
  void yield() noexcept;

  // ---- any thread ----

  /// The node and the cpu of its core, and the group of its place, perhaps a moment old; the node -1: unknown.
  [[nodiscard]] int node(std::memory_order order = std::memory_order_relaxed) const noexcept {
    return node_.load(order);
  }
  [[nodiscard]] int cpu() const noexcept { return cpu_.load(std::memory_order_relaxed); }
  [[nodiscard]] int home_group(std::memory_order order = std::memory_order_relaxed) const noexcept {
    return home_group_.load(order);
  }
  /// `current`, for lists of tasks.
  [[nodiscard]] const fiber::Fiber* shown() const noexcept { return shown_.load(std::memory_order_relaxed); }

  /// The main function of the worker's thread.
  void main() noexcept;

  /// Called by a thread that has taken the worker.
  void taken_by_this_thread() noexcept;

  /// The next job to run; nullptr when the runtime stops.
  detail::Job* find_job() noexcept;

  /// Leaves the running fiber for a loop fiber, or for `to`, which is ready; `after` decides when it becomes ready
  /// again. Without a reason it only lets others run.
  void suspend(fiber::After after, void* argument, const detail::WaitReason& reason = {detail::Wait::nothing},
               fiber::Fiber* to = nullptr) noexcept;

  /// Continues a task that was suspended. \param limit, top of the stack that it is on. \param task, left for the
  /// recording: the task that was recorded as suspended, and the worker that it left.
  void resumed(const fiber::Fiber& fiber, const std::byte* limit, const std::byte* top, std::uint64_t task,
               int left) noexcept;

  /// Notes that `to` will be the running fiber; the switch follows.
  void enter(fiber::Fiber* to) noexcept {
    current = to;
    shown_.store(to, std::memory_order_relaxed);
    to->card.state.store(fiber::TaskCard::State::running, std::memory_order_relaxed);
    stack_top = to->stack.base + to->stack.bytes;
    stack_limit = to->stack.base + to->stack.bytes / 4;  // the last quarter is for calls that do not fork
  }

  /// Puts a job behind those that are ready; if the queue is full, into the queue that the workers share by `bind`.
  void push_ready(ListedJob* job) noexcept;

  fiber::Fiber* take_fiber() noexcept;
  void give_fiber(fiber::Fiber* fiber) noexcept;

  /// Moves the worker to another core of the placement: it leaves its group, taking along its deque, its ready fibers
  /// and its own inbox, and joins the other's. To be called on the worker's own thread between two jobs (any task of it
  /// will do). Steering calls it, and binds the thread. No thread waits for it.
  /// \throws Error (bad_input) for a chiplet that has no core of the placement.
  void move_to(const WorkerCore& to);

  /// Sets the flag that this worker has work, if it is not set already.
  void advertise() noexcept;

  /// Called between two jobs, often enough.
  void watch_others() noexcept;

  /// Between two jobs or chunks, where arenas share cores: leaves the core to a worker that goes first, and waits for
  /// it.
  void share_core() noexcept;

 private:
  friend class Runtime;
  friend struct GdbLayout;
  friend struct WorkerTest;
  detail::Job* own_job() noexcept;
  detail::Job* near_job() noexcept;
  detail::Job* sent_job() noexcept;
  detail::Job* shared_job() noexcept;
  struct Search;
  detail::Job* search() noexcept;
  Search begin_search() noexcept;
  detail::Job* look_once(unsigned round, bool leaves, bool resting) noexcept;
  void sleep_in(Search& search) noexcept;
  void end_search(const Search& search, const detail::Job* job) noexcept;
  detail::Job* steal(bool ready_too) noexcept;
  detail::Job* steal_from(stealing::Place place, bool ready_too) noexcept;
  void ask_for_work(unsigned attempt) noexcept;
  stealing::Place somebody_busy(bool far) noexcept;
  bool expose(stealing::Place from, Worker& victim) noexcept;
  detail::Job* others_job() noexcept;
  [[nodiscard]] bool surplus_searcher() const noexcept;
  [[nodiscard]] bool near_inboxes_arrived() const noexcept;
  [[nodiscard]] bool inboxes_arrived() const noexcept;
  [[nodiscard]] bool rests() const noexcept;
  [[nodiscard]] bool another_is_free() const noexcept;
  bool leaves_to_others() noexcept;
  void take_again() noexcept;
  [[nodiscard]] bool shows_work() const noexcept;
  bool stay_until_the_end() noexcept;
  [[nodiscard]] bool has_work() const noexcept;
  [[nodiscard]] bool neighbours_show_work() const noexcept;
  [[nodiscard]] bool others_have_work() const noexcept;
  void poke_the_busy(int group_index, bool all) noexcept;
  void park(unsigned fruitless) noexcept;
  struct Sleep;
  Sleep announce_sleep(unsigned fruitless) noexcept;
  bool last_search(Sleep& sleep) noexcept;
  void sleep_until_woken(Sleep& sleep) noexcept;
  std::int64_t sleep_limit(Sleep& sleep, bool ours) noexcept;
  void return_from(Sleep& sleep) noexcept;
  void leave_lookout(const void* sleep) noexcept;
  void take_turn() noexcept;
  std::uint64_t next_random() noexcept { return base::next_random(random_); }

  // Owner only.
  alignas(64) WorkerCore worker_core_;
  Group* group_ = nullptr;
  stealing::Place place_;
  fiber::Fiber native_;
  fiber::Fiber* handoff_ = nullptr;  // see continue_next()
  fiber::Fiber* free_fibers_ = nullptr;
  int free_count_ = 0;
  std::uint32_t tick_ = 0;  // counts searches of the own queues; decides which is first, so only these count
  std::uint32_t yields_ = 0;
  BoundLimits bound_limits_;
  bool has_searched_ = false;     // so that it is busy from its first job on, and not before
  bool look_around_ = false;      // the next search of the own queues begins with the shared queues
  bool look_at_others_ = false;   // and continues with those of other workers
  Handling* handling_ = nullptr;  // exception state of the thread that has the worker
  int* error_number_ = nullptr;
  std::uint64_t last_timer_look_ = 0;
  std::uint64_t looked_at_others_ = 0;
  stealing::Place asked_lately_;  // the worker that it asked for work then
  std::uint64_t random_ = 0;
  std::thread thread_;

  // Written by the owner, read by any thread.
  alignas(64) std::atomic<const fiber::Fiber*> shown_{nullptr};
  std::atomic<int> node_{-1};
  std::atomic<int> cpu_{-1};
  std::atomic<int> home_group_{0};
};

inline Worker* this_worker() noexcept { return static_cast<Worker*>(detail::this_worker()); }

/// The function of every loop fiber: find a job, run it, for ever.
void loop() noexcept;

/// Puts a fiber that can go on into a queue where a worker finds it. `next`: the caller is about to return to its loop.
void make_ready(fiber::Fiber* fiber, bool next) noexcept;

}  // namespace charm::sched
