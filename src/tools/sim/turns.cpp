#include "tools/sim/turns.hpp"

namespace charm::sim {
namespace {

/// The source of a line that another worker held, as an index into Fills.
std::size_t source_of(const WorkerCore& to, const WorkerCore& from) {
  if (to.chiplet == from.chiplet) return 1;
  return to.node == from.node ? 2 : 3;
}

}  // namespace

double turn_response_ns(int workers, double think_ns, double turn_ns, double lines) {
  double waiting = 0, response = turn_ns;
  for (int count = 1; count <= workers; ++count) {
    response = turn_ns * (1 + waiting / lines);
    waiting = count * response / (think_ns + response);
  }
  return response;
}

void take_turns(const Job& job, std::vector<WorkerRate>& workers) {
  const auto& turns = job.phase->turns;
  const auto& at = job.worker_cores;
  if (turns.lines <= 0 || at.empty()) return;
  const double share = 1 / static_cast<double>(at.size());
  double transfer_ns = job.model->costs.l2_ns.value * share, think_ns = 0;
  for (std::size_t to = 0; to < at.size(); ++to) {
    think_ns += workers[to].ns_per_operation * share;
    workers[to].fills[0] += turns.moved * share;
    for (std::size_t from = 0; from < at.size(); ++from) {
      if (to == from) continue;
      transfer_ns += job.model->transfer_ns(at[to].core, at[from].core) * share * share;
      workers[to].fills[source_of(at[to], at[from])] += turns.moved * share;
    }
  }
  const double turn_ns = turns.moved * transfer_ns + turns.hold_ns;
  const double response = turn_response_ns(static_cast<int>(at.size()), think_ns, turn_ns, turns.lines);
  for (WorkerRate& worker : workers) worker.ns_per_operation += response;
}

}  // namespace charm::sim
