// Measures inputs of `charm advise`: the memory that a running process touches, and the
// bandwidth and sharing that a recording of counters shows.
#pragma once

#include <optional>
#include <string>

namespace charm::cli {

/// MiB that the process touches within `seconds`. \throws Error (bad_input, system).
double measured_working_set(int pid, double seconds);

struct MeasuredTraffic {
  std::optional<double> sharing;             // lines from other chiplets' caches, of all that came from beyond the L3
  std::optional<double> bandwidth_gb_per_s;  // from memory
  int workers = 0;
};

/// From a file that CHARM_COUNTERS=record:FILE has written, last reading less first. \throws Error (bad_input).
MeasuredTraffic measured_traffic(const std::string& file);

}  // namespace charm::cli
