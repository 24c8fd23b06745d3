// gups: HPCC RandomAccess: read, change and write words all over one table. Updates of words that another node owns are
// gathered and handed over in batches, as message-batching runtimes do (RING, CHARM §5.1): on a machine of two nodes
// half of the updates, each an address and a value of 8 bytes, written once by the sender and read once by the
// receiver, a neighbour here. The buffers are those of the paper's public artifact: 4,096 of 8 KiB to send from and as
// many to receive into, shared by the workers of a node. That reading was picked with CHARM Tab. 1 in view
// (docs/design/simulator.md).
#include <algorithm>

#include "tools/sim/costs.hpp"
#include "tools/sim/workloads/all.hpp"

namespace charm::sim {
namespace {

constexpr Parameter gups_parameters[] = {
    {"total_mb", 4096, "MiB of the table", least_mib, largest_mib},
    {"update_ns", 2, "computing on an update", 0, 1e9},
    {"buffers_mb", free_defaults.gups_buffers_mb, "MiB of a node's buffers for batches", least_mib, largest_mib}};

constexpr double handed_over = 0.5;                  // of the updates
constexpr double message_lines = 16.0 / line_bytes;  // an address and a value

Workload make_gups(const Arguments& a, int workers) {
  const double buffers = a["buffers_mb"] * mib / std::max(1, workers / 2);
  Phase phase;
  phase.components = {
      {"table", Component::Order::random, Component::Reach::shared, a["total_mb"] * mib, 1, 1, 1, {}, false},
      {"buffers",
       Component::Order::sweep,
       Component::Reach::pair,
       buffers,
       2 * handed_over * message_lines,
       0.5,
       1,
       {},
       false}};
  phase.compute_ns = a["update_ns"];
  phase.instructions = 12;
  return steady("gups", "updates", phase);
}

}  // namespace

constinit const Generator gups_generator{"gups", "random updates all over one table", gups_parameters, make_gups};

}  // namespace charm::sim
