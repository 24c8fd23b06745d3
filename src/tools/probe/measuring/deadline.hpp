// The time at which a measurement has to end. Every loop of a measurement checks it, since on a busy machine a step of
// milliseconds may take minutes.
#pragma once

#include <algorithm>
#include <limits>

#include "tools/probe/measuring/pinned_threads.hpp"

namespace charm::probe {

struct Deadline {
  double at_ns = std::numeric_limits<double>::infinity();
  double (*clock)() = now_ns;  ///< tests have one of their own

  [[nodiscard]] bool passed() const { return clock() > at_ns; }
  [[nodiscard]] double left_ms() const { return std::max(0.0, (at_ns - clock()) / 1e6); }
};

}  // namespace charm::probe
