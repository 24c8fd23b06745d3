// compute: hardly any memory accesses. The workers' cores must not matter, and no controller should move workers.
#include "tools/sim/workloads/all.hpp"

namespace charm::sim {
namespace {

constexpr Parameter compute_parameters[] = {{"compute_ns", 400, "computing on an operation", 0, 1e+09},
                                            {"barriers", 0, "1: all workers meet after 10000 operations each", 0, 1},
                                            parts_parameter};

Workload make_compute(const Arguments& a, int workers) {
  Phase phase;
  phase.components = {{"stack", Component::Order::sweep, Component::Reach::own, 65536, 1, 0.5, 1, {}, false}};
  phase.compute_ns = a["compute_ns"];
  phase.instructions = 4 * a["compute_ns"];
  phase.task_operations = 1000;
  if (a["barriers"] > 0) phase.step_operations = 10000.0 * workers;
  phase.parts = parts_of(a);
  return steady("compute", "operations", phase);
}

}  // namespace

constinit const Generator compute_generator{"compute", "next to no memory", compute_parameters, make_compute};

}  // namespace charm::sim
