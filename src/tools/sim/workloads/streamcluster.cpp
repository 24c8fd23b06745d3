// streamcluster: PARSEC's clustering of a stream in batches (CHARM §5.4: 200,000 points of 128 dimensions, 102 MB a
// batch). Every gain computation goes over the batch's points; new batches and the tables beside them come from memory
// and stay for one pass only. After every pass over the batch all workers meet, several times, and their turns at the
// locks and counters come one after the other.
#include "tools/sim/costs.hpp"
#include "tools/sim/workloads/all.hpp"

namespace charm::sim {
namespace {

constexpr Parameter streamcluster_parameters[] = {
    {"points", 200000, "points of a batch", 64, 1e+10},
    {"dimensions", 128, "of 4 bytes each", 16, 1e+06},
    {"fresh", free_defaults.streamcluster_fresh, "share of the lines that are read for the first time or for the last",
     0, 0.99},
    {"turns", free_defaults.streamcluster_turns, "serialised turns of each worker in a pass over the batch", 1, 1e+06},
    {"serial", 0.002, "share of a pass that one worker does alone", 0, 1},
};

Workload make_streamcluster(const Arguments& a, int workers) {
  const double point = a["dimensions"] * 4, batch = point * a["points"], lines = point / line_bytes;
  Phase phase;
  phase.components = {{"points",
                       Component::Order::sweep,
                       Component::Reach::own,
                       batch / workers,
                       lines * (1 - a["fresh"]),
                       0,
                       1,
                       {},
                       false},
                      {"new points",
                       Component::Order::sweep,
                       Component::Reach::own,
                       16 * batch / workers,
                       lines * a["fresh"],
                       0,
                       1,
                       {},
                       false}};
  phase.compute_ns = a["dimensions"] * 0.12;
  phase.instructions = a["dimensions"] * 3;
  phase.step_operations = a["points"];
  phase.task_operations = 1000;
  phase.turns_per_step = a["turns"];
  phase.serial_operations = a["points"] * a["serial"];
  return steady("streamcluster", "points", phase);
}

}  // namespace

constinit const Generator streamcluster_generator{"streamcluster", "clustering of a stream, batch by batch",
                                                  streamcluster_parameters, make_streamcluster};

}  // namespace charm::sim
