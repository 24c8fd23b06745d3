// Runs a workload under a policy for some simulated seconds. The runtime's control group and controller get at
// each tick what counters would have shown; their moves are carried out and cost time.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tools/sim/backend.hpp"
#include "tools/sim/simulated_policy.hpp"
#include "tools/sim/timing.hpp"

namespace charm::sim {

struct RunOptions {
  double seconds = 60;
  double warm_up = 0;    // seconds before the measurement, which do not count
  double noise = 0;      // relative standard deviation of the numbers of a tick
  bool counters = true;  // whether the machine has counters
  bool width = false;    // whether the controller also chooses how many workers run
  std::uint64_t seed = 1;
  Backend backend = Backend::analytic;
};

struct Move {
  double time = 0;
  int from = 0, to = 0;                  // chiplets
  int workers_from = 0, workers_to = 0;  // that run; 0: not what was decided
  std::string reason, outcome;
};

struct RunResult {
  std::string machine, workload, policy, unit;
  int workers = 0;
  double seconds = 0;
  double throughput = 0;  // operations per second
  double efficiency = 0;  // relative to the best level of each phase
  Fills fills{};          // sum over all workers
  std::vector<Move> moves;
  std::vector<std::pair<double, int>> stands;  // from when on the workers were on so many chiplets, trials included
  std::vector<int> levels;                     // chiplets that the placement can use
  std::vector<double> level_share;             // share of the time at each level
  std::vector<WorkerCore> worker_cores;        // at the end
  int running = 0;                             // workers that did not rest, most of the time
  double sampling = 1;                         // line-granular back-end: one line in so many was simulated
  double sampling_error = 0;                   // standard error of the share that memory served
};

/// \throws Error (bad_config, too_many_workers).
RunResult run(const Model& model, const std::string& workload, const std::string& policy, int workers,
              const RunOptions& options = {});

}  // namespace charm::sim
