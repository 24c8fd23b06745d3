// gups: HPCC RandomAccess: read, change and write words all over one table. Updates of 8 bytes are gathered in buckets
// by where they go, as the distributed codes do: eight to a line, written once and read once by the one they
// are handed to, a neighbour here.
#include "sim/workloads/all.hpp"

namespace charm::sim {
namespace {

constexpr Parameter known[] = {{"total_mb", 4096, "MiB of the table"},
                               {"bucket_mb", 2, "MiB of each worker's buckets (estimate)"}};

Workload make(const Arguments& a, int) {
  Phase phase;
  phase.components = {
      {"table", Component::Order::random, Component::Reach::shared, a["total_mb"] * mib, 1, 1, 1, {}, false},
      {"buckets", Component::Order::sweep, Component::Reach::pair, a["bucket_mb"] * mib, 0.25, 0.5, 1, {}, false}};
  phase.compute_ns = 2;
  phase.instructions = 12;
  return steady("gups", "updates", phase);
}

}  // namespace

constinit const Generator gups_generator{"gups", "random updates all over one table", known, make};

}  // namespace charm::sim
