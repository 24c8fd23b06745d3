#include <charm/error.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

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

/// The plan's placement over sockets in another order. \param name of the policy, without parameters.
void order_sockets(SimulationPlan& plan, std::string_view name, std::string_view order, const Model& model,
                   int workers) {
  using placement::SocketOrder;
  constexpr std::pair<std::string_view, SocketOrder> orders[] = {
      {"widen", SocketOrder::widen}, {"fill", SocketOrder::fill}, {"balance", SocketOrder::balance}};
  const auto* const known =
      std::find_if(std::begin(orders), std::end(orders), [&](auto& o) { return o.first == order; });
  if (known == std::end(orders))
    throw Error(Errc::bad_config, "'" + std::string(order) + "' is no order of sockets", "take widen, fill or balance");
  if (plan.controller.empty() && name != "local" && name != "distributed" && name != "numa")
    throw Error(Errc::bad_config, "the simulator's '" + std::string(name) + "' has its own order of sockets",
                "set it for local, distributed, numa or a controller");
  plan.placement = controller::placement_for(plan.controller.empty() ? name : plan.controller, model.machine,
                                             {.workers = workers, .sockets = known->second});
}

/// CHARM's own runtime with settings of `charm bench --policy NAME/SETTING=VALUE`.
void set(SimulationPlan& plan, std::string_view policy, std::string_view setting, const Model& model, int workers) {
  plan.habits.tree_barrier = true;
  if (setting == "stealing=near") {
    plan.stealing = by_distance;
    plan.habits.roam = Domain::chiplet;
  } else if (setting == "stealing=random") {
    plan.stealing = by_chance;
    plan.habits.roam = Domain::machine;
  } else if (setting.starts_with("sockets=")) {
    order_sockets(plan, spec_name(policy), setting.substr(8), model, workers);
  } else {
    throw Error(Errc::bad_config, "'/" + std::string(setting) + "' is nothing that the simulator could set",
                "take /stealing=near, /stealing=random or /sockets=ORDER behind a policy's name");
  }
}

}  // namespace

SimulationPlan plan_for(std::string_view spec, const Model& model, const Workload& workload, int workers) {
  if (const std::size_t slash = spec.rfind('/'); slash != std::string_view::npos) {
    SimulationPlan plan = plan_for(spec.substr(0, slash), model, workload, workers);
    set(plan, spec.substr(0, spec.find('/')), spec.substr(slash + 1), model, workers);
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
