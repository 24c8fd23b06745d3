// compute: hardly any memory accesses. The workers' cores must not matter, and no controller should move workers.
#include "tools/sim/workloads/all.hpp"

namespace charm::sim {
namespace {

constexpr Parameter compute_parameters[] = {{"compute_ns", 400, "computing on an operation", 0, 1e+09}};

Workload make_compute(const Arguments& a, int) {
  Phase phase;
  phase.components = {{"stack", Component::Order::sweep, Component::Reach::own, 65536, 1, 0.5, 1, {}, false}};
  phase.compute_ns = a["compute_ns"];
  phase.instructions = 4 * a["compute_ns"];
  phase.task_operations = 1000;
  return steady("compute", "operations", phase);
}

}  // namespace

constinit const Generator compute_generator{"compute", "next to no memory", compute_parameters, make_compute};

}  // namespace charm::sim
