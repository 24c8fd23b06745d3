// What a program can tell the controller, and ask it: units of work, regions, decisions (CHARM §4.1-4.5).
#pragma once

#include <charm/decision.hpp>
#include <charm/detail/worker.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace charm {

namespace detail {
void add_work_outside(double units) noexcept;
}

/// Tells that `units` more of the program's work are done: edges, requests, rows. The controller then compares levels
/// by these per second, which is better than anything it can count itself. Costs an addition inside of tasks; may be
/// called from any thread. Without a runtime it does nothing.
inline void add_work(double units) noexcept {
  if (detail::WorkerCore* worker = detail::this_worker())
    worker->user_work += units;
  else
    detail::add_work_outside(units);
}

/// A part of the program with work of its own kind: from construction to destruction the controller works with what it
/// has learned in regions of this name, and the workers go to the level that was best there. Regions are for phases of
/// the whole program; where several are open the one that was opened last counts. Costs a lock, so it is not for
/// single tasks. With the setting monitor = regions nothing is decided outside of them. Without a runtime, or on a
/// machine where there is nothing to decide, it does nothing.
class [[nodiscard]] region {
 public:
  /// Begins the part. \param name parts of one name share what was learned.
  explicit region(std::string_view name);
  /// Ends it.
  ~region();
  region(const region&) = delete;
  region& operator=(const region&) = delete;

 private:
  long ticket_;
};

/// What was decided since init(), oldest first: the latest 4,096 changes of the spread and of the allowed cpus. Empty
/// where there is nothing to decide (one level, or a policy that stands still). \throws Error (not_running).
[[nodiscard]] std::vector<Decision> decisions();

/// Where the workers stood and what was seen, tick by tick, from init() until now; at most 2,048 points, of a long run
/// several ticks each. Empty where nothing is measured. \throws Error (not_running).
[[nodiscard]] std::vector<TimelinePoint> timeline();

/// Calls `listener` for each decision until finalize(), once its outcome is known. It runs on a worker between two
/// tasks, one call at a time; it must be quick, must not throw, and must not ask for decisions(). An empty function
/// ends it.
/// \throws Error (not_running).
void on_decision(std::function<void(const Decision&)> listener);

}  // namespace charm
