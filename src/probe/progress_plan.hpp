// How far a measurement of several steps is, and how long it will still take.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <string>

#include "probe/measure.hpp"
#include "probe/pinned_threads.hpp"

namespace charm::probe {

/// Steps with weights, for the share that is done and the time that is left.
class ProgressPlan {
 public:
  ProgressPlan(const std::function<void(const Progress&)>& report, const std::atomic<bool>& stop)
      : report_(report), stop_(stop) {}
  void expect(double seconds) { whole_s_ += seconds; }
  void begin(const std::string& doing, double seconds) {
    doing_ = doing;
    before_s_ += step_s_;
    step_s_ = seconds;
    tell(0);
  }
  void tell(double share_of_step) {
    const double done = before_s_ + step_s_ * share_of_step;
    const double spent = (now_ns() - start_) / 1e9;
    // The plan's seconds are guesses; what was spent so far corrects them.
    const double pace = done > 0.5 ? spent / done : 1;
    report_({doing_, whole_s_ > 0 ? std::min(1.0, done / whole_s_) : 0, std::max(0.0, whole_s_ - done) * pace});
  }
  [[nodiscard]] bool stopped() const { return stop_.load(); }

 private:
  const std::function<void(const Progress&)>& report_;
  const std::atomic<bool>& stop_;
  std::string doing_;
  double whole_s_ = 0, before_s_ = 0, step_s_ = 0;
  double start_ = now_ns();
};

}  // namespace charm::probe
