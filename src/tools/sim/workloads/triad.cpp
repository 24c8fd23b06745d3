// triad: STREAM's a = b + s*c, the arrays in equal parts.
#include "tools/sim/workloads/all.hpp"

namespace charm::sim {
namespace {

constexpr Parameter triad_parameters[] = {
    {"total_mb", 384, "MiB of the three arrays together", least_mib, largest_mib},
    {"barriers", 1, "1: all workers meet after each pass", 0, 1},
    parts_parameter,
};

Workload make_triad(const Arguments& a, int workers) {
  const double bytes = a["total_mb"] * mib / 3 / workers;
  Phase phase;
  phase.components = {{"b", Component::Order::sweep, Component::Reach::own, bytes, 1, 0, 1, {}, false},
                      {"c", Component::Order::sweep, Component::Reach::own, bytes, 1, 0, 1, {}, false},
                      {"a", Component::Order::sweep, Component::Reach::own, bytes, 1, 1, 1, {}, false}};
  phase.compute_ns = 1;
  phase.instructions = 32;
  if (a["barriers"] > 0) phase.step_operations = bytes / line_bytes * workers;
  phase.parts = parts_of(a);
  return steady("triad", "lines", phase);
}

}  // namespace

constinit const Generator triad_generator{"triad", "STREAM triad, static parts, a barrier each pass", triad_parameters,
                                          make_triad};

}  // namespace charm::sim
