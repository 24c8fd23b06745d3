#include <charm/error.hpp>

#include <algorithm>

#include "tools/sim/policies/all.hpp"
#include "tools/sim/simulated_policy.hpp"

namespace charm::sim {

std::span<const SimulatedPolicy> policies() {
  static const SimulatedPolicy all[] = {charm_policy,    local_policy,    distributed_policy, static_policy,
                                        numa_policy,     ring_policy,     shoal_policy,       asymsched_policy,
                                        sam_policy,      os_policy,       linux_6_policy,     linux_72_policy,
                                        per_core_policy, per_node_policy, per_machine_policy};
  return all;
}

namespace {

/// CHARM's own runtime with settings of `charm bench --policy NAME/SETTING=VALUE`.
void set(SimulationPlan& plan, std::string_view setting) {
  plan.habits.tree_barrier = true;
  if (setting == "stealing=near") {
    plan.stealing = by_distance;
    plan.habits.roam = Domain::chiplet;
  } else if (setting == "stealing=random") {
    plan.stealing = by_chance;
    plan.habits.roam = Domain::machine;
  } else {
    throw Error(Errc::bad_config, "'/" + std::string(setting) + "' is nothing that the simulator could set",
                "take /stealing=near or /stealing=random behind a policy's name");
  }
}

}  // namespace

SimulationPlan plan_for(std::string_view spec, const Model& model, const Workload& workload, int workers) {
  if (const std::size_t slash = spec.rfind('/'); slash != std::string_view::npos) {
    SimulationPlan plan = plan_for(spec.substr(0, slash), model, workload, workers);
    set(plan, spec.substr(slash + 1));
    return plan;
  }
  const std::string_view name = spec_name(spec);
  std::string known;
  for (const SimulatedPolicy& policy : policies()) {
    if (policy.name == name) {
      const Arguments arguments("policy " + std::string(name), policy.parameters, spec_arguments(spec));
      return policy.plan(model, workload, workers, arguments);
    }
    known += (known.empty() ? "" : ", ") + std::string(policy.name);
  }
  // The runtime's controllers, with their own parameters.
  for (const auto& controller : controller::policies()) {
    if (controller.name == name) return controlled_plan(std::string(spec), model, workers);
    if (std::none_of(policies().begin(), policies().end(),
                     [&](const SimulatedPolicy& p) { return p.name == controller.name; })) {
      known += ", " + std::string(controller.name);
    }
  }
  throw Error(Errc::bad_config, "unknown policy '" + std::string(name) + "'", "choose one of " + known);
}

}  // namespace charm::sim
