// CHARM's own: the family of placements with the default controller, and the same placements held at one level. Data is
// near its workers; tasks seldom leave their chiplet, since thieves look there first.
#include "tools/sim/policies/all.hpp"

namespace charm::sim {

placement::Placement placed(std::string_view policy, const Model& model, int workers, placement::SocketOrder sockets,
                            int spread) {
  return placement::policy(policy).place(model.machine, {.workers = workers, .sockets = sockets, .spread = spread});
}

SimulationPlan controlled_plan(const std::string& controller, const Model& model, int workers) {
  SimulationPlan plan;
  plan.placement = controller::placement_for(controller, model.machine, {.workers = workers});
  plan.controller = controller;
  return plan;
}

namespace {

constexpr Parameter spread_parameter[] = {{"spread", 0, "chiplets to stand at; 0: the fewest", 0, 65536}};

SimulationPlan charm_plan(const Model& model, const Workload&, int workers, const Arguments&) {
  return controlled_plan("adaptive", model, workers);
}
SimulationPlan local_plan(const Model& model, const Workload&, int workers, const Arguments&) {
  SimulationPlan plan;
  plan.placement = placed("local", model, workers);
  return plan;
}
SimulationPlan distributed_plan(const Model& model, const Workload&, int workers, const Arguments&) {
  SimulationPlan plan;
  plan.placement = placed("distributed", model, workers);
  return plan;
}
SimulationPlan static_plan(const Model& model, const Workload&, int workers, const Arguments& arguments) {
  SimulationPlan plan;
  plan.placement = placed("local", model, workers, placement::SocketOrder::fill, static_cast<int>(arguments["spread"]));
  return plan;
}

}  // namespace

constinit const SimulatedPolicy charm_policy{
    "charm", "CHARM: the default controller on the monotone family", {}, true, charm_plan};
constinit const SimulatedPolicy local_policy{"local", "as few chiplets as hold the workers", {}, true, local_plan};
constinit const SimulatedPolicy distributed_policy{
    "distributed", "all chiplets of the sockets that it takes", {}, true, distributed_plan};
constinit const SimulatedPolicy static_policy{"static", "so many chiplets, for ever", spread_parameter, true,
                                              static_plan};

}  // namespace charm::sim
