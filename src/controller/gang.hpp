// A gang of workers under one controller. Each worker publishes its own running counts and asks for the spread to stand
// at; whoever comes by when a tick is due becomes its leader by compare-exchange, adds the counts up and decides.
//
// Invariant: nobody waits. A worker that is not the leader does a handful of relaxed stores and loads; a leader that
// finds the decision taken care of (or the log being read) leaves it, and the interval is part of the next one. The
// clock comes in as an argument.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "controller/policy.hpp"

namespace charm::controller {

/// A worker's running totals since it started.
struct Counts {
  double busy = 0;  // s
  double tasks = 0;
  double user_work = 0;
  double task_work = 0;
  bool counters = false;
  double instructions = 0;
  std::array<double, fill_sources> fills{};
};

class Gang {
 public:
  Gang(int workers, std::unique_ptr<Controller> controller, double now);

  /// To be called by the worker's own thread at its convenience, at task boundaries. \returns the spread.
  int poll(int worker, const Counts& counts, double now);

  [[nodiscard]] int spread() const { return spread_.load(std::memory_order_relaxed); }

  /// A copy of the decisions kept, oldest first; may be called from any thread.
  std::vector<Decision> decisions() const;

 private:
  // Relaxed stores by one writer: a sum may be a few tasks apart between workers, never torn or lost.
  struct alignas(64) Published {
    std::atomic<double> busy{0}, tasks{0}, user_work{0}, task_work{0}, instructions{0};
    std::array<std::atomic<double>, fill_sources> fills{};
    std::atomic<bool> counters{false};
  };

  void lead(double now);
  [[nodiscard]] Signals totals(double now) const;

  std::vector<Published> published_;
  std::unique_ptr<Controller> controller_;
  double period_;
  std::atomic<double> next_tick_;
  std::atomic<int> spread_;
  mutable std::mutex deciding_;  // leaders only try it
  Signals before_;               // totals at the last tick; under deciding_
};

}  // namespace charm::controller
