// The role of a program's thread: a worker, which gets a core, or a helper, which sleeps most of the time (a
// garbage collector's, a logger's, one that accepts connections).
//
// A role averages the share of time in which the thread ran or was ready to run. The two limits are far apart, and a
// thread in between keeps its role: it becomes a worker if it wants half a cpu for about a third of a second, and stops
// being one if it sleeps for about a second.
#pragma once

#include <cmath>

namespace charm::attach {

class Role {
 public:
  static constexpr double memory_s = 0.5;
  static constexpr double worker_from = 0.5;
  static constexpr double helper_below = 0.15;

  /// \param share of the window's `seconds` in which the thread ran or was ready to, 0 to 1.
  void feed(double share, double seconds) {
    if (seconds <= 0) return;
    const double keep = std::exp(-seconds / memory_s);
    demand_ = keep * demand_ + (1 - keep) * share;
    if (demand_ >= worker_from) worker_ = true;
    if (demand_ < helper_below) worker_ = false;
  }
  [[nodiscard]] bool worker() const { return worker_; }
  [[nodiscard]] double demand() const { return demand_; }

 private:
  double demand_ = 0;
  bool worker_ = false;
};

}  // namespace charm::attach
