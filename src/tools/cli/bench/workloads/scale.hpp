// Inputs whose size is a power of two: the largest that fits into memory.
#pragma once

#include <fmt/format.h>

#include "tools/cli/bench/workload.hpp"

namespace charm::cli {

/// Refuses a scale that needs more memory than there is, and names the largest one that fits.
/// \tparam W a workload with an optional `scale`.
template <class W>
void check_scale(const W& workload, int scale, const BenchPlan& plan, const Facts& facts) {
  const auto needed = bytes_too_many(workload, plan, facts);
  if (!needed) return;
  W smaller = workload;
  int fits = scale;
  do {
    smaller.scale = --fits;
  } while (fits > 0 && bytes_too_many(smaller, plan, facts));
  refuse(fmt::format("--scale {} {}", scale, lacking_memory("needs", *needed, facts)),
         fits > 0 ? fmt::format("take --scale {} or less", fits) : "free memory");
}

}  // namespace charm::cli
