// Runs a random program on the runtime: each kind of node starts its children in another way and collects what they
// return or throw.
#pragma once

#include <charm/charm.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <vector>

#include "random_programs/program.hpp"
#include "random_programs/watchdog.hpp"

namespace random_programs {

class Runner {
 public:
  /// \param to_workers whether programs send tasks to certain workers. Not where a worker's thread may be blocked.
  explicit Runner(Watchdog& watchdog, bool to_workers = true) : watchdog_(watchdog), to_workers_(to_workers) {}
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  /// From now on finalize() may begin while programs run. It drops tasks that wait for a thread outside, so none does.
  void may_be_finalized() noexcept { may_be_finalized_ = true; }
  /// In a task. \throws NodeError.
  std::uint64_t run(const Node& node);
  /// In a task or outside of tasks.
  Outcome outcome(const Node& node) noexcept;
  /// How many nodes have run on a thread that waits for a future outside of tasks (WaitsOutside).
  [[nodiscard]] std::uint64_t strays() const noexcept { return strays_.load(); }

 private:
  using Children = std::vector<Node>;
  using Outcomes = std::vector<Outcome>;
  void start(const Node& node, const Children& children, Outcomes& outcomes);
  void fork(const Children& children, Outcomes& outcomes, std::size_t low, std::size_t high);
  void group(const Children& children, Outcomes& outcomes);
  void shared_group(const Children& children, Outcomes& outcomes);
  void failing_group(const Node& node, const Children& children, Outcomes& outcomes);
  void cancelled_group(const Children& children, Outcomes& outcomes);
  void futures(const Node& node, const Children& children, Outcomes& outcomes);
  void loop(const Node& node, const Children& children, Outcomes& outcomes);
  void calls(const Node& node, const Children& children, Outcomes& outcomes);
  void through_channel(const Node& node, const Children& children, Outcomes& outcomes);
  void under_mutex(const Children& children, Outcomes& outcomes);
  void with_condition(const Children& children, Outcomes& outcomes);
  void with_latch_and_semaphore(const Children& children, Outcomes& outcomes);
  void coroutines(const Children& children, Outcomes& outcomes);
  void detached(const Children& children, Outcomes& outcomes);
  void timed(const Children& children, Outcomes& outcomes);
  void on_all_workers(const Children& children, Outcomes& outcomes);
  void with_initialisers_that_suspend(const Node& node, const Children& children, Outcomes& outcomes);
  void after_a_cancelled_sort(const Node& node, const Children& children, Outcomes& outcomes);
  void in_overlapping_arenas(const Node& node, const Children& children, Outcomes& outcomes);
  void to_a_thread_that_waits(const Node& node, const Children& children, Outcomes& outcomes);
  void through_pipeline(const Node& node, const Children& children, Outcomes& outcomes);
  void fed(const Node& node, const Children& children, Outcomes& outcomes);
  void with_statics(const Node& node, const Children& children, Outcomes& outcomes);

  /// An arena that is counted, from before it begins until after its end.
  class Arena;
  void expect_low_number() const;

  Watchdog& watchdog_;
  const bool to_workers_;
  bool may_be_finalized_ = false;
  std::atomic<std::uint64_t> strays_{0};
  std::atomic<Arena*> kept_arena_{nullptr};
  std::atomic<int> arenas_{0};
  std::atomic<int> most_arenas_{0};   // at a time, so far
  std::atomic<int> most_workers_{0};  // of a runtime that has made arenas, so far
};

/// While it lives the calling thread, which is no worker, waits for futures, and no task may run on it: it may hold a
/// lock that the task takes, and its time limits would pass unnoticed.
class WaitsOutside {
 public:
  WaitsOutside() noexcept;
  ~WaitsOutside();
  WaitsOutside(const WaitsOutside&) = delete;
  WaitsOutside& operator=(const WaitsOutside&) = delete;
};

/// Outside of tasks, while nothing else runs: a call to `worker` waits with a time limit for a task that ends when the
/// wait has ended. The runtime has two workers at least, so the other one is free; where the caller's runs the task
/// itself, the call does not come back.
/// \return whether the wait has ended by its limit.
bool come_back(int worker);

/// By the thread that called init(), outside of tasks: two tasks meet() of which the first begins on `worker` while
/// worker 0 is lent to this thread; then the thread makes that many short loans, and none any more. So it is worker 0's
/// own thread that has to help, if there are no more than two workers.
void meet_after_loan(int worker, int loans);

/// Outside of tasks: a call to `worker` spawns groups of `size` tasks for that long, one after the other.
void spawn_for(int worker, int size, std::chrono::microseconds time);

/// Outside of tasks: a task that is not the group's adds tasks to a group one by one, each a moment after the one
/// before has run, while the group is waited for. So some come when the waiter has just been told that all are done and
/// has not gone on yet. \return how many have run.
int add_late(int tasks, std::uint64_t seed);

/// Two tasks that cannot end unless two workers run them beside each other: the first keeps its worker, without leaving
/// it, until another worker has run the second. So an idle worker that does not find the second one is a hang. At most
/// one such pair is under way at a time; where another is, nothing is done.
/// \param holders further workers that are kept meanwhile; the runtime has at least `holders` + 2.
/// \param before what the first does before the second task appears: it lets all others go to sleep, or forks
/// meanwhile, so that it has answered whoever has asked it for work.
enum class Before { at_once, asleep, forking };
void meet(int holders, Before before);

}  // namespace random_programs
