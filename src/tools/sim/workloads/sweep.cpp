// sweep: every worker goes over its own data again and again, as a scan or a stencil does.
#include "tools/sim/workloads/all.hpp"

namespace charm::sim {
namespace {

constexpr Parameter sweep_parameters[] = {
    {"mb", 8, "MiB of each worker", least_mib, largest_mib},
    {"total_mb", 0, "MiB of all workers together, instead of mb", 0, largest_mib},
    {"writes", 0.25, "share of the lines that are written", 0, 1},
    {"compute_ns", 0, "computing on a line", 0, 1e+09},
    {"barriers", 0, "1: all workers meet after each pass", 0, 1},
};

Workload make_sweep(const Arguments& a, int workers) {
  const double bytes = (a["total_mb"] > 0 ? a["total_mb"] / workers : a["mb"]) * mib;
  Phase phase;
  phase.components = {{"data", Component::Order::sweep, Component::Reach::own, bytes, 1, a["writes"], 1, {}, false}};
  phase.compute_ns = a["compute_ns"];
  phase.instructions = 16 + 4 * a["compute_ns"];
  if (a["barriers"] > 0) phase.step_operations = bytes / line_bytes * workers;
  return steady("sweep", "lines", phase);
}

}  // namespace

constinit const Generator sweep_generator{"sweep", "each worker over its own data, again and again", sweep_parameters,
                                          make_sweep};

}  // namespace charm::sim
