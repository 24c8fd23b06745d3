// The whole measurement of a machine: what to measure, in which order, within which time, and the progress. Nothing
// here prints: progress goes to a callback. A stop flag ends the work between two measurements with what is there.
#pragma once

#include <charm/machine.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <string>

#include "base/choice.hpp"
#include "probe/profile.hpp"

namespace charm::probe {

enum class Pairs { automatic, all, sampled };
constexpr auto choices(Pairs /*unused*/) {
  return std::array{base::Choice{Pairs::automatic, "auto"}, base::Choice{Pairs::all, "all"},
                    base::Choice{Pairs::sampled, "sampled"}};
}

struct MeasureOptions {
  bool latency = true, bandwidth = true, stream = true, working_set = true, writes = true;
  Pairs pairs = Pairs::automatic;
  double budget_s = 15;           ///< for everything but latency and bandwidth of all pairs where that was asked for
  std::size_t largest_bytes = 0;  ///< working sets at most; 0: what caches and free memory suggest
};

struct Progress {
  std::string doing;
  double share = 0;   ///< done of the whole, 0 to 1
  double left_s = 0;  ///< estimate
};

/// \param report is called before each step and now and then within.
/// \param stop set to true ends the measurement; the profile is then partial.
Profile measure(const Machine& machine, const MeasureOptions& options,
                const std::function<void(const Progress&)>& report, const std::atomic<bool>& stop);

}  // namespace charm::probe
