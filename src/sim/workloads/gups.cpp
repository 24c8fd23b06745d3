// gups: HPCC RandomAccess: read, change and write words all over one table.
#include "sim/workloads/all.hpp"

namespace charm::sim {
namespace {

constexpr Parameter known[] = {{"total_mb", 4096, "MiB of the table"}};

Workload make(const Arguments& a, int) {
  Phase phase;
  phase.components = {
      {"table", Component::Order::random, Component::Reach::shared, a["total_mb"] * mib, 1, 1, 1, {}, false}};
  phase.compute_ns = 2;
  phase.instructions = 12;
  return steady("gups", "updates", phase);
}

}  // namespace

constinit const Generator gups_generator{"gups", "random updates all over one table", known, make};

}  // namespace charm::sim
