// per-core, per-node, per-machine: DimmWitted's (CHARM §5.5, [51]): how many copies of the model there are. Tasks are
// std::async's: threads that the system places and that are made for each of them, at a cost.
#include "tools/sim/policies/all.hpp"

namespace charm::sim {
namespace {

constexpr Parameter dimmwitted_parameters[] = {
    {"task_ns", 12000, "making, switching to and ending a thread for a task (estimate)", 0, 1e+09}};

SimulationPlan copies(const Model& model, const Workload& workload, int workers, const Arguments& arguments,
                      Domain domain) {
  SimulationPlan out;
  out.placement = placed("distributed", model, workers, placement::SocketOrder::balance);
  out.habits.replicas = domain;
  out.habits.roam = Domain::node;
  out.habits.operation_ns = arguments["task_ns"] / workload.phases.front().task_operations;
  out.habits.tree_barrier = false;
  out.stealing = by_chance;
  return out;
}

SimulationPlan per_core(const Model& model, const Workload& workload, int workers, const Arguments& arguments) {
  return copies(model, workload, workers, arguments, Domain::worker);
}
SimulationPlan per_node(const Model& model, const Workload& workload, int workers, const Arguments& arguments) {
  return copies(model, workload, workers, arguments, Domain::node);
}
SimulationPlan per_machine(const Model& model, const Workload& workload, int workers, const Arguments& arguments) {
  return copies(model, workload, workers, arguments, Domain::machine);
}

}  // namespace

constinit const SimulatedPolicy per_core_policy{"per-core", "DimmWitted: a copy of the model for each core",
                                                dimmwitted_parameters, false, per_core};
constinit const SimulatedPolicy per_node_policy{"per-node", "DimmWitted: a copy of the model for each node",
                                                dimmwitted_parameters, false, per_node};
constinit const SimulatedPolicy per_machine_policy{"per-machine", "DimmWitted: one model", dimmwitted_parameters, false,
                                                   per_machine};

}  // namespace charm::sim
