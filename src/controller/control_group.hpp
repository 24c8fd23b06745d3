// A control group: workers under one controller. Each worker stores its own running counts and asks for the current
// spread. When a tick is due, the first worker that notices becomes leader by compare-exchange, adds the counts up and
// decides.
//
// Invariant: nobody waits. A worker that is not the leader does a handful of relaxed stores and loads. A leader that
// finds another leader at work (or the log being read) returns, and its interval becomes part of the next one. The
// clock is an argument.
//
// Regions (CHARM §4.1, "monitor only specific code segments"): each named part of a program has a controller of its
// own, which keeps what it has learned until the part is entered again. The region that was entered last and not left
// is the current one. Entering a region moves the workers to its level at the next tick, so the spread changes at most
// once a tick.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "controller/controller.hpp"
#include "controller/counts.hpp"
#include "controller/sample.hpp"
#include "controller/timeline.hpp"

namespace charm::controller {

class ControlGroup {
 public:
  using Make = std::function<std::unique_ptr<Controller>()>;
  using Listener = std::function<void(const Decision&)>;
  /// Called by the leader at each tick.
  using Observer = std::function<void(const TimelinePoint&)>;
  /// Called by the leader when other workers are to rest than before. \param rests by worker; empty: none is to.
  using RestListener = std::function<void(std::span<const char> rests)>;

  ControlGroup(int workers, std::unique_ptr<Controller> controller, double now);

  /// \param make a controller for the whole program, and one more for each region.
  /// \param only_regions nothing is decided outside of regions.
  ControlGroup(int workers, const Make& make, double now, const Traits& traits = {}, bool only_regions = false);

  /// Stores a worker's counts; called by the worker's own thread at task boundaries. \returns its present spread.
  int poll(int worker, const WorkerTotals& totals, double now);

  [[nodiscard]] int spread() const { return spread_.load(std::memory_order_relaxed); }
  /// The spread by which this worker is placed. It is that of the group, unless each worker decides for itself.
  [[nodiscard]] int spread_of(int worker) const {
    const auto w = static_cast<std::size_t>(worker);
    return each_decides_ && w < worker_counts_.size() ? worker_counts_[w].spread.load(std::memory_order_relaxed)
                                                      : spread();
  }
  /// Whether this worker is to rest.
  [[nodiscard]] bool rests(int worker) const {
    const auto w = static_cast<std::size_t>(worker);
    return w < worker_counts_.size() && worker_counts_[w].rests.load(std::memory_order_relaxed);
  }
  /// Grows whenever a worker's spread changes.
  [[nodiscard]] long changes() const { return changes_.load(std::memory_order_relaxed); }
  [[nodiscard]] double period() const { return period_.load(std::memory_order_relaxed); }

  /// Enters a region; may be called from any thread. \param thread that enters it, if it runs no task: tasks are parts
  /// of what threads do. \returns a ticket for leave().
  long enter(std::string_view region, std::thread::id thread = {});
  void leave(long ticket);

  /// Both functions are called by leaders and must be quick; set them before the first poll. A decision is reported
  /// once, when its outcome is known.
  void listen(Listener listener) { listener_ = std::move(listener); }
  void observe(Observer observer) { observer_ = std::move(observer); }
  void on_rest(RestListener listener) { rest_listener_ = std::move(listener); }

  /// A copy of the stored decisions, oldest first; may be called from any thread.
  std::vector<Decision> decisions() const;
  /// Those among them whose outcome is not known yet.
  std::vector<Decision> pending() const;
  std::vector<TimelinePoint> timeline() const;

 private:
  // Relaxed stores by one writer: a sum may combine counts that are a few tasks apart, but none is torn or lost.
  struct alignas(64) WorkerCounts {
    BasicCounts<std::atomic<double>> counts;
    std::atomic<double> running_since{0};
    std::atomic<bool> counters{false};
    std::atomic<bool> hides_chiplets{false};
    std::atomic<int> spread{1};      // where each worker decides for itself; written by leaders
    std::atomic<bool> rests{false};  // written by leaders
    double busy_before = 0;          // at the last tick; a leader's
  };
  struct Part {
    std::unique_ptr<Controller> controller;
    std::size_t reported = 0;  // number of decisions that are in `kept_` and reported to the listener
  };
  struct Totals : Signals {
    int counted = -1;         // workers with counters; negative before the first tick
    double counted_busy = 0;  // their part of `busy`
  };
  struct Entered {
    long ticket;
    std::string region;
    std::thread::id thread;
  };

  [[nodiscard]] std::string region_of_all() const;
  void lead(double now);
  void decide(const Signals& since);
  [[nodiscard]] Totals totals(double now) const;
  [[nodiscard]] double busy_of_resting();
  void extrapolate(Signals& since, const Totals& now) const;
  void report_each(Signals& since);
  void publish(const Controller& controller);
  void add_pending(std::vector<Decision>& all) const;
  void note_decisions(Part& part, const std::string& region);
  Part& part(const std::string& region);

  std::vector<WorkerCounts> worker_counts_;
  Make make_;
  std::atomic<double> period_;  // of the controller that decides; written by leaders
  bool only_regions_ = false;
  std::atomic<double> next_tick_;
  std::atomic<int> spread_;
  std::atomic<long> changes_{0};
  bool each_decides_ = false;

  mutable std::mutex deciding_;  // leaders only try to lock it; guards all below
  std::map<std::string, Part, std::less<>> parts_;
  std::string current_;              // region of the last tick; empty: the whole program
  Totals before_;                    // at the last tick
  std::vector<Counts> each_before_;  // by worker, where each decides for itself
  std::vector<WorkerSignals> each_;
  DecisionLog kept_;  // decisions of all parts, with their outcomes
  Sampler sampler_;
  Timeline timeline_;
  Listener listener_;
  Observer observer_;
  RestListener rest_listener_;
  std::vector<char> resting_;  // as it was told last; empty: none

  mutable std::mutex entering_;
  std::vector<Entered> entered_;  // not left yet, oldest first
  long tickets_ = 0;
};

}  // namespace charm::controller
