// How a program informs the controller of its work and its phases, and asks for the decisions (CHARM §4.1-4.5).
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

/// Reports that `units` more of the program's work are done: edges, requests, rows. The controller then compares levels
/// of spread by units per second, which is better than anything that it can count itself. Costs an addition inside of
/// tasks; may be called from any thread. Without a runtime it does nothing.
inline void add_work(double units) noexcept {
  if (detail::WorkerBase* worker = detail::this_worker())
    worker->user_work += units;
  else
    detail::add_work_outside(units);
}

/// A part of the program with its own kind of work. From construction to destruction the controller uses what it has
/// learned in regions of this name, and the workers go to the level of spread that was best there. Regions are for
/// phases of the whole program; if several are open the one that was opened last counts. Costs a lock, so it is not for
/// single tasks. With the setting monitor = regions nothing is decided outside of regions. Without a runtime, or on a
/// machine where there is nothing to decide, it does nothing.
class [[nodiscard]] region {
 public:
  /// Begins the region. \param name regions of one name share what was learned.
  explicit region(std::string_view name);
  /// Ends the region.
  ~region();
  region(const region&) = delete;
  region& operator=(const region&) = delete;

 private:
  long ticket_;
};

/// The decisions since init(), oldest first: the latest 4,096 changes of the spread and of the allowed cpus. Empty
/// if there is nothing to decide (one level, or a policy that does not move workers). \throws Error (not_running).
[[nodiscard]] std::vector<Decision> decisions();

/// The spread of the workers and the measurements, tick by tick, from init() until now; at most 2,048 points, each of
/// several ticks in a long run. Empty if nothing is measured. \throws Error (not_running).
[[nodiscard]] std::vector<TimelinePoint> timeline();

/// Calls `listener` for each decision until finalize(), once the decision's outcome is known. The listener runs on a
/// worker between two tasks, one call at a time; it must be quick and must not throw. It may call worker_cores(),
/// decisions() and the like. An empty function removes the listener.
/// \throws Error (not_running).
void on_decision(std::function<void(const Decision&)> listener);

}  // namespace charm
