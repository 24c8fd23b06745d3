// uniform: every worker touches lines of one table that all share, each as often as the others.
#include "tools/sim/workloads/all.hpp"

namespace charm::sim {
namespace {

constexpr Parameter uniform_parameters[] = {
    {"total_mb", 512, "MiB of the table", least_mib, largest_mib},
    {"writes", 0.05, "share of the accesses that write", 0, 1},
    {"compute_ns", 2, "computing on an access", 0, 1e+09},
};

Workload make_uniform(const Arguments& a, int) {
  Phase phase;
  phase.components = {
      {"table", Component::Order::random, Component::Reach::shared, a["total_mb"] * mib, 1, a["writes"], 1, {}, false}};
  phase.compute_ns = a["compute_ns"];
  phase.instructions = 20 + 4 * a["compute_ns"];
  return steady("uniform", "accesses", phase);
}

}  // namespace

constinit const Generator uniform_generator{"uniform", "random accesses to one shared table", uniform_parameters,
                                            make_uniform};

}  // namespace charm::sim
