// The whole measurement of a machine: what is measured, in which order, within which time, and the progress. Nothing
// here prints: progress goes to a callback. A stop flag ends the work between two measurements; the result is then
// partial.
#pragma once

#include <charm/machine.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <string>

#include "base/choice.hpp"
#include "tools/probe/measuring/pinned_threads.hpp"
#include "tools/probe/profile.hpp"

namespace charm::probe {

enum class Pairs { automatic, all, sampled };
constexpr auto choices(Pairs /*unused*/) {
  return std::array{base::Choice{Pairs::automatic, "auto"}, base::Choice{Pairs::all, "all"},
                    base::Choice{Pairs::sampled, "sampled"}};
}

struct MeasureOptions {
  bool latency = true, bandwidth = true, stream = true, working_set = true, writes = true;
  Pairs pairs = Pairs::automatic;
  double budget_s = 15;           ///< seconds for everything; pairs of a large machine get what they need besides
  std::size_t largest_bytes = 0;  ///< largest working set; 0: from the sizes of caches and free memory
  double (*clock)() = now_ns;     ///< clock of the budget, in ns; tests have one of their own
};

struct Progress {
  std::string doing;
  double share = 0;   ///< share of the measurement that is done, 0 to 1
  double left_s = 0;  ///< estimate of the seconds that are left
};

/// \param report is called before each step and now and then within.
/// \param stop set to true ends the measurement; the profile is then partial.
Profile measure(const Machine& machine, const MeasureOptions& options,
                const std::function<void(const Progress&)>& report, const std::atomic<bool>& stop);

}  // namespace charm::probe
