// How many workers are best for a workload on a machine, and how many a controller that chooses their number lets run.
#pragma once

#include <string>
#include <vector>

#include "controller/width_levels.hpp"
#include "tools/sim/run.hpp"

namespace charm::sim {

/// Workers that run, and the chiplets over which all of them are spread.
struct WidthPoint {
  controller::WidthLevel level;
  int spread = 0;
  double rate = 0;  // operations per second
};

struct WidthResult {
  std::string machine, workload;
  int workers = 0;          // of the program: as many as there are cores
  WidthPoint best;          // of all numbers, shapes and levels
  WidthPoint full;          // the best level with all workers
  double learning = 0;      // of the controller, in its first three minutes
  double learned = 0;       // in the minute after them
  int running = 0;          // workers in that minute, most of the time
  double worst_minute = 1;  // of the first three: over the same controller at full width
};

/// Workloads that are limited in different ways: by a counter, a lock, memory, caches, latency, barriers, and not.
std::vector<std::string> width_workloads();

/// Every workload on every machine with a worker for each core, or `workers` where it is not 0. Widths are tried in
/// steps of at most a tenth from 10 on, in both shapes.
/// \throws Error (bad_config) also for a workload of several phases.
std::vector<WidthResult> widths(const std::vector<std::string>& machines, const std::vector<std::string>& workloads,
                                const RunOptions& options, int workers = 0, int jobs = 1);

}  // namespace charm::sim
