// copy: STREAM's copy, the array in equal parts (OLAP on chiplets §2.5 and §4.4). Its size is that of both arrays.
#include <algorithm>

#include "tools/sim/workloads/all.hpp"

namespace charm::sim {
namespace {

constexpr Parameter copy_parameters[] = {
    {"total_mb", 256, "MiB of both arrays together", least_mib, largest_mib},
    {"barriers", 1, "1: all workers of a process meet after each pass", 0, 1},
    {"processes", 1, "processes that the workers are divided into, each with a part of the arrays", 1, 65536},
};

Workload make_copy(const Arguments& a, int workers) {
  const double bytes = a["total_mb"] * mib / 2 / workers;
  Phase phase;
  phase.components = {{"from", Component::Order::sweep, Component::Reach::own, bytes, 1, 0, 1, {}, false},
                      {"to", Component::Order::sweep, Component::Reach::own, bytes, 1, 1, 1, {}, false}};
  phase.instructions = 16;
  if (a["barriers"] > 0) phase.step_operations = bytes / line_bytes * workers;
  if (a["processes"] > 1) phase.team = std::max(1, static_cast<int>(workers / a["processes"]));
  return steady("copy", "lines", phase);
}

}  // namespace

constinit const Generator copy_generator{"copy", "STREAM copy, static parts, a barrier each pass", copy_parameters,
                                         make_copy};

}  // namespace charm::sim
