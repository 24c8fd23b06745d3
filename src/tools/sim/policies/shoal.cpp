// shoal: SHOAL (CHARM §5.4, [17]): worker i on core i, arrays that are only read replicated on every node, the others
// interleaved over the nodes. The logs of the paper's artifact show the same spread bindings for SHOAL as for CHARM, in
// contradiction to its text: spread=1 models those.
#include "tools/sim/policies/all.hpp"

namespace charm::sim {
namespace {

constexpr Parameter shoal_parameters[] = {
    {"spread", 0, "1: workers over all chiplets, as the artifact's logs say", 0, 65536}};

SimulationPlan shoal_plan(const Model& model, const Workload&, int workers, const Arguments& arguments) {
  SimulationPlan out;
  out.placement = placed(arguments["spread"] > 0 ? "distributed" : "local", model, workers);
  out.habits.home = AccessHabits::Home::interleaved;
  out.habits.replicas = Domain::node;
  out.habits.roam = Domain::worker;
  out.habits.tree_barrier = false;
  out.stealing = no_stealing;
  return out;
}

}  // namespace

constinit const SimulatedPolicy shoal_policy{"shoal", "SHOAL-like: cores in order, replicated and interleaved arrays",
                                             shoal_parameters, false, shoal_plan};

}  // namespace charm::sim
