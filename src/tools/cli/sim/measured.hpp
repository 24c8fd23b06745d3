// Measures inputs of `charm advise`: the memory that a running process touches, and the bandwidth and sharing in a
// recording of counters.
#pragma once

#include <optional>
#include <string>

namespace charm::cli {

/// MiB that the process touches within `seconds`. \throws Error (bad_input, system).
double measured_working_set(int pid, double seconds);

struct MeasuredTraffic {
  std::optional<double> sharing;  // lines from other chiplets' caches, as a share of those from beyond the L3
  std::optional<double> bandwidth_gb_per_s;  // bandwidth of lines from memory
  int workers = 0;
};

/// Reads a file that CHARM_COUNTERS=record:FILE has written: the last reading less the first. \throws Error
/// (bad_input).
MeasuredTraffic measured_traffic(const std::string& file);

}  // namespace charm::cli
