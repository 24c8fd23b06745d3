// zipf: as uniform, but some lines are touched far more often than others, as keys of a store are.
#include "tools/sim/workloads/all.hpp"

namespace charm::sim {
namespace {

constexpr Parameter zipf_parameters[] = {
    {"total_mb", 1024, "MiB of the table", least_mib, largest_mib},
    {"skew", 0.99, "Zipf's exponent", 0, 10},
    {"writes", 0.05, "share of the accesses that write", 0, 1},
    {"compute_ns", 20, "computing on an access", 0, 1e+09},
};

Workload make_zipf(const Arguments& a, int) {
  const double bytes = a["total_mb"] * mib;
  Phase phase;
  phase.components = {{"table", Component::Order::random, Component::Reach::shared, bytes, 1, a["writes"], 1,
                       zipf_popularity(a["skew"], bytes / line_bytes), false}};
  phase.compute_ns = a["compute_ns"];
  phase.instructions = 20 + 4 * a["compute_ns"];
  return steady("zipf", "accesses", phase);
}

}  // namespace

constinit const Generator zipf_generator{"zipf", "skewed random accesses to one shared table", zipf_parameters,
                                         make_zipf};

}  // namespace charm::sim
