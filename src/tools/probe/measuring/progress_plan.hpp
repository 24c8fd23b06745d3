// How far a measurement of several steps is, how long it will still take, and until when each step may go on.
//
// All steps together end by the budget, however long each takes: the remaining time is divided among the remaining
// steps by weight. The time that one step does not use is left to the others.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "tools/probe/measuring/deadline.hpp"
#include "tools/probe/measuring/measure.hpp"

namespace charm::probe {

/// Steps with weights in seconds, for the share that is done and the time that is left.
class ProgressPlan {
 public:
  ProgressPlan(const std::function<void(const Progress&)>& report, const std::atomic<bool>& stop,
               double (*clock)() = now_ns)
      : report_(report), stop_(stop), clock_(clock), start_(clock()) {}
  void expect(double seconds) { whole_s_ += seconds; }
  /// \param budget_s for everything that is expected.
  void allow(double budget_s) { budget_s_ = budget_s; }
  void begin(const std::string& doing, double seconds) {
    doing_ = doing;
    before_s_ += step_s_;
    step_s_ = seconds;
    const double now = clock_();
    const double left_ns = start_ + budget_s_ * 1e9 - now;
    const double share = std::min(1.0, step_s_ / std::max(1e-9, whole_s_ - before_s_));
    until_ = {now + std::max(0.0, left_ns) * share, clock_};
    report(0);
  }
  void report(double share_of_step) {
    const double done = before_s_ + step_s_ * share_of_step;
    const double spent = (clock_() - start_) / 1e9;
    // The plan's seconds are guesses; what was spent so far corrects them.
    const double pace = done > 0.5 ? spent / done : 1;
    report_({doing_, whole_s_ > 0 ? std::min(1.0, done / whole_s_) : 0,
             std::max(0.0, std::min((whole_s_ - done) * pace, budget_s_ - spent))});
  }
  [[nodiscard]] bool stopped() const { return stop_.load(); }
  /// Of the step that has begun.
  [[nodiscard]] const Deadline& until() const { return until_; }
  /// Whether the step has to end: it was stopped, or its time is up, which is then noted once.
  [[nodiscard]] bool over() {
    if (stopped()) return true;
    if (!until_.passed()) return false;
    if (cut_.empty() || cut_.back() != doing_) cut_.push_back(doing_);
    return true;
  }
  /// The steps that time cut short.
  [[nodiscard]] const std::vector<std::string>& cut_short() const { return cut_; }

 private:
  const std::function<void(const Progress&)>& report_;
  const std::atomic<bool>& stop_;
  double (*clock_)();
  std::string doing_;
  std::vector<std::string> cut_;
  Deadline until_;
  double whole_s_ = 0, before_s_ = 0, step_s_ = 0, budget_s_ = 86400;
  double start_;
};

}  // namespace charm::probe
