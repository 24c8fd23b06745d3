// A gang of workers under one controller. Each worker publishes its own running counts and asks for the spread to stand
// at; whoever comes by when a tick is due becomes its leader by compare-exchange, adds the counts up and decides.
//
// Invariant: nobody waits. A worker that is not the leader does a handful of relaxed stores and loads; a leader that
// finds the decision taken care of (or the log being read) leaves it, and the interval is part of the next one. The
// clock comes in as an argument.
//
// Regions (CHARM §4.1, "monitor only specific code segments"): each named part of a program has a controller of its
// own, which keeps what it has learned until the part is entered again. The latest one entered that has not been left
// counts. Entering one takes the workers to its level at the next tick, so the spread changes at most once a tick
// whoever decides.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "controller/policy.hpp"
#include "controller/sample.hpp"
#include "controller/timeline.hpp"

namespace charm::controller {

/// A worker's running totals since it started.
struct Counts {
  double busy = 0;           // s, of the spells that are over
  double running_since = 0;  // time at which the present spell of work began; 0 while idle
  double tasks = 0;
  double user_work = 0;
  double task_work = 0;
  bool counters = false;
  double instructions = 0;
  std::array<double, fill_sources> fills{};
};

class Gang {
 public:
  using Make = std::function<std::unique_ptr<Controller>()>;
  using Listener = std::function<void(const Decision&)>;
  /// Told each tick, by its leader.
  using Observer = std::function<void(const TimelinePoint&)>;

  Gang(int workers, std::unique_ptr<Controller> controller, double now);

  /// \param make a controller for the whole program, and one more for each region.
  /// \param only_regions nothing is decided outside of regions.
  Gang(int workers, const Make& make, double now, const Traits& traits = {}, bool only_regions = false);

  /// To be called by the worker's own thread at its convenience, at task boundaries. \returns the spread.
  int poll(int worker, const Counts& counts, double now);

  [[nodiscard]] int spread() const { return spread_.load(std::memory_order_relaxed); }
  [[nodiscard]] double period() const { return period_; }

  /// Any thread. \returns a ticket for leave().
  long enter(std::string_view region);
  void leave(long ticket);

  /// Both are called by leaders and must be quick; to be set before the first poll. A decision is told once, when its
  /// outcome is known.
  void listen(Listener listener) { listener_ = std::move(listener); }
  void observe(Observer observer) { observer_ = std::move(observer); }

  /// A copy of the decisions kept, oldest first; may be called from any thread.
  std::vector<Decision> decisions() const;
  /// Those among them whose outcome is not known yet.
  std::vector<Decision> pending() const;
  std::vector<TimelinePoint> timeline() const;

 private:
  // Relaxed stores by one writer: a sum may be a few tasks apart between workers, never torn or lost.
  struct alignas(64) Published {
    std::atomic<double> busy{0}, running_since{0}, tasks{0}, user_work{0}, task_work{0}, instructions{0};
    std::array<std::atomic<double>, fill_sources> fills{};
    std::atomic<bool> counters{false};
  };
  struct Part {
    std::unique_ptr<Controller> controller;
    std::size_t told = 0;  // decisions that are in `kept_` and known to the listener
  };
  struct Entered {
    long ticket;
    std::string region;
  };

  void lead(double now);
  void decide(const Signals& since);
  [[nodiscard]] Signals totals(double now) const;
  void add_pending(std::vector<Decision>& all) const;
  void note_decisions(Part& part, const std::string& region);
  Part& part(const std::string& region);

  std::vector<Published> published_;
  Make make_;
  double period_;
  bool only_regions_ = false;
  std::atomic<double> next_tick_;
  std::atomic<int> spread_;

  mutable std::mutex deciding_;  // leaders only try it; guards all below
  std::map<std::string, Part, std::less<>> parts_;
  std::string current_;  // region of the last tick; empty: the whole program
  Signals before_;       // totals at the last tick
  DecisionLog kept_;     // of all parts, with their outcomes
  Sampler sampler_;
  Timeline timeline_;
  Listener listener_;
  Observer observer_;

  std::mutex entering_;
  std::vector<Entered> entered_;  // not left yet, oldest first
  long tickets_ = 0;
};

}  // namespace charm::controller
