// os: threads that the operating system places: evenly over all sockets and caches, because it looks for idle cores,
// and now and then somewhere else, so that no part of the data stays with a cache; pages lie on the node of the thread
// that touched them first.
#include "tools/sim/policies/all.hpp"

namespace charm::sim {
namespace {

SimulationPlan plan(const Model& model, const Workload&, int workers, const Arguments&) {
  SimulationPlan out;
  out.placement = placed("distributed", model, workers, placement::SocketOrder::balance);
  out.habits.home = AccessHabits::Home::interleaved;
  out.habits.roam = Domain::machine;
  out.habits.tree_barrier = false;
  out.stealing = by_chance;
  return out;
}

}  // namespace

constinit const SimulatedPolicy os_policy{"os", "threads wherever the operating system puts them", {}, false, plan};

}  // namespace charm::sim
