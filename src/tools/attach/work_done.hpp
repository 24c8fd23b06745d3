// The work that a program says it has done, as a ThreadPlacer hears of it (System::progress).
#pragma once

#include <algorithm>
#include <utility>

#include "tools/attach/system.hpp"

namespace charm::attach {

class WorkDone {
 public:
  /// Whether the program says anything at the moment.
  [[nodiscard]] static bool is_said(System& system, double now) {
    const auto said = system.progress(now);
    return said && now <= std::max(said->at + silence_s, said->next);
  }

  /// Begins anew, with what has been done so far. From now on it counts whether the program says anything.
  void begin(System& system, double now) {
    counts_ = is_said(system, now);
    latest_ = system.progress(now).value_or(WorkReport{0, now});
    news_ = 0;
  }
  [[nodiscard]] bool counts() const { return counts_; }

  /// Where it counts, a tick ends with the next number that the program gives, so that each interval has the work that
  /// was done in it. \returns false where there is none yet.
  [[nodiscard]] bool hear(System& system, double now) {
    if (!counts_) return true;
    const auto said = system.progress(now);
    if (!said || said->at <= latest_.at) return false;
    news_ += std::max(0.0, said->done - latest_.done);
    latest_ = *said;
    return true;
  }
  /// What was done since this was last asked.
  double take_news() { return std::exchange(news_, 0); }
  /// The time of the latest number; `now` where it does not count.
  [[nodiscard]] double at(double now) const { return counts_ ? latest_.at : now; }

 private:
  static constexpr double silence_s = 15;  // after it, a program that has given numbers counts as one that gives none
  bool counts_ = false;
  WorkReport latest_;
  double news_ = 0;
};

}  // namespace charm::attach
