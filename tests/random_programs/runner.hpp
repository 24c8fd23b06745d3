// Runs a random program on the runtime: each kind of node starts its children in another way and collects what they
// return or throw.
#pragma once

#include <charm/charm.hpp>

#include <vector>

#include "random_programs/program.hpp"
#include "random_programs/watchdog.hpp"

namespace random_programs {

class Runner {
 public:
  /// \param to_workers whether programs send tasks to certain workers. Not where a worker's thread may be blocked.
  explicit Runner(Watchdog& watchdog, bool to_workers = true) : watchdog_(watchdog), to_workers_(to_workers) {}

  /// In a task. \throws NodeError.
  std::uint64_t run(const Node& node);
  /// In a task or outside of tasks.
  Outcome outcome(const Node& node) noexcept;

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

  Watchdog& watchdog_;
  const bool to_workers_;
};

/// Two tasks that cannot end unless two workers run them beside each other: the first keeps its worker, without leaving
/// it, until another worker has run the second. So an idle worker that does not find the second one is a hang. At most
/// one such pair is under way at a time; where another is, nothing is done.
/// \param holders further workers that are kept meanwhile; the runtime has at least `holders` + 2.
/// \param asleep whether all others shall have gone to sleep before the second task appears.
void meet(int holders, bool asleep);

}  // namespace random_programs
