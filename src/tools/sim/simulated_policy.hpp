// Policies as values in one registry: where a policy places workers, who decides about moves, and what it does with
// data and tasks. Placements and controllers are the runtime's own (placement/, controller/); the baselines are built
// from the same placements. A new one is a value in policies/ and one line in policies.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "controller/controller.hpp"
#include "placement/placement_policy.hpp"
#include "tools/sim/job.hpp"
#include "tools/sim/spec.hpp"
#include "tools/sim/stealing.hpp"

namespace charm::sim {

/// The plan of a policy for a machine, a number of workers and a workload.
struct SimulationPlan {
  placement::Placement placement;
  std::string controller;  // a spec; empty: workers stay where the placement starts
  AccessHabits habits;
  Stealing stealing = by_distance;
};

struct SimulatedPolicy {
  std::string_view name;
  std::string_view summary;
  std::span<const Parameter> parameters;
  bool chiplet_aware = true;
  SimulationPlan (*plan)(const Model& model, const Workload& workload, int workers, const Arguments& arguments);
};

/// All policies, in the order in which they are shown.
std::span<const SimulatedPolicy> policies();

/// The plan of a policy, given as "name" or "name:parameter=value,..."; a controller's spec is a policy, too. Behind it
/// "/stealing=near" or "/stealing=random" make it CHARM's own runtime that steals so, and "/sockets=balance" one whose
/// workers are spread so (the settings of these names).
/// \throws Error (bad_config, too_many_workers).
SimulationPlan plan_for(std::string_view spec, const Model& model, const Workload& workload, int workers);

}  // namespace charm::sim
