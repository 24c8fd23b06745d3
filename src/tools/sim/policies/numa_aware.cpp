// NUMA-aware baselines, blind to chiplets. Their tasks go to any worker of a node, so a part of the data changes its
// chiplet from step to step.
//   numa       one node after the other, each over all of its chiplets
//   ring       RING (CHARM [25]): all nodes evenly, data partitioned over them, messages in batches to other nodes
//   asymsched  AsymSched (CHARM [41]): the nodes with the most bandwidth for what the workload asks; pages follow
//   sam        SAM (CHARM [38]): workers that share are brought together on one socket, others are spread for bandwidth
#include <algorithm>

#include "tools/sim/backend.hpp"
#include "tools/sim/policies/all.hpp"
#include "tools/sim/timing.hpp"

namespace charm::sim {
namespace {

using placement::SocketOrder;

constexpr Parameter ring_parameters[] = {{"message_ns", free_defaults.message_ns,
                                          "software cost of an access to another node's data, in a batch (estimate)", 0,
                                          1e+06}};

SimulationPlan blind(placement::Placement placement) {
  SimulationPlan plan;
  plan.placement = std::move(placement);
  plan.habits.roam = Domain::node;
  plan.habits.tree_barrier = false;
  plan.stealing = by_chance;
  return plan;
}

SimulationPlan numa_plan(const Model& model, const Workload&, int workers, const Arguments&) {
  return blind(placed("numa", model, workers));
}

SimulationPlan ring_plan(const Model& model, const Workload&, int workers, const Arguments& arguments) {
  SimulationPlan plan = blind(placed("distributed", model, workers, SocketOrder::balance));
  plan.habits.access_ns = arguments["message_ns"];
  return plan;
}

/// GB/s that the workers ask of memory and of each other, on a placement.
Fills asked_of(const Model& model, const Workload& workload, const SimulationPlan& plan) {
  const Job job{&model, plan.placement.start(), &workload.phases.front(), plan.habits};
  return rates_of(job, analytic_mixes(job)).fills_per_s;
}

SimulationPlan asymsched_plan(const Model& model, const Workload& workload, int workers, const Arguments&) {
  const SimulationPlan together = blind(placed("numa", model, workers)),
                       apart = blind(placed("distributed", model, workers, SocketOrder::balance));
  const Fills fills = asked_of(model, workload, apart);
  // Wherever memory is asked for at all, more controllers are more bandwidth; that it is latency it does not see.
  return fills[4] + fills[5] > model.free.asymsched_lines * workers ? apart : together;
}

SimulationPlan sam_plan(const Model& model, const Workload& workload, int workers, const Arguments&) {
  const SimulationPlan together = blind(placed("numa", model, workers)),
                       apart = blind(placed("distributed", model, workers, SocketOrder::balance));
  const Fills fills = asked_of(model, workload, apart);
  const double coherence = fills[2] + fills[3], memory = fills[4] + fills[5];
  return coherence > memory ? together : apart;
}

}  // namespace

constinit const SimulatedPolicy numa_policy{
    "numa", "one NUMA node after the other, blind to chiplets", {}, false, numa_plan};
constinit const SimulatedPolicy ring_policy{"ring", "RING-like: all nodes evenly, messages between them",
                                            ring_parameters, false, ring_plan};
constinit const SimulatedPolicy asymsched_policy{
    "asymsched", "AsymSched-like: the nodes with the most bandwidth", {}, false, asymsched_plan};
constinit const SimulatedPolicy sam_policy{
    "sam", "SAM-like: sharers on one socket, others spread", {}, false, sam_plan};

}  // namespace charm::sim
