// The rates that the papers' experiments are predicted by: of a policy after its controller has settled, and of a plain
// program. Workloads take the free numbers (costs.hpp) of the model unless they name others.
#pragma once

#include <string>

#include "placement/placement.hpp"
#include "tools/sim/model.hpp"
#include "tools/sim/run.hpp"

namespace charm::sim {

/// Random deviations of what is simulated, which stand for those of measurements.
struct Scatter {
  double noise = 0;  ///< relative standard deviation
  std::uint64_t seed = 1;
};

/// Steady rates of a plain program: threads that are never moved, one counter for all at a barrier.
Rates plain_rates(const Model& model, const placement::Placement& placement, const std::string& workload);

/// Steady rates of a policy, after the controller has settled.
RunResult settled(const Model& model, const std::string& workload, const std::string& policy, int workers,
                  const Scatter& scatter = {});

}  // namespace charm::sim
