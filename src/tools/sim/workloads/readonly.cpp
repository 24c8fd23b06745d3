// readonly: all workers scan the same data and nobody writes it: each chiplet's cache holds a copy of its own.
#include "tools/sim/workloads/all.hpp"

namespace charm::sim {
namespace {

constexpr Parameter readonly_parameters[] = {
    {"total_mb", 24, "MiB of the data", least_mib, largest_mib},
    {"compute_ns", 1, "computing on a line", 0, 1e+09},
};

Workload make_readonly(const Arguments& a, int) {
  Phase phase;
  phase.components = {
      {"data", Component::Order::sweep, Component::Reach::shared, a["total_mb"] * mib, 1, 0, 1, {}, true}};
  phase.compute_ns = a["compute_ns"];
  phase.instructions = 16 + 4 * a["compute_ns"];
  return steady("readonly", "lines", phase);
}

}  // namespace

constinit const Generator readonly_generator{"readonly", "all workers scan the same data that nobody writes",
                                             readonly_parameters, make_readonly};

}  // namespace charm::sim
