// Computes the speed of every worker from where its accesses are served: latencies divided by the misses that a core
// keeps in flight, and servers of limited bandwidth (each chiplet's link, each node's memory, the links between nodes
// and between sockets) that slow their users down until the sum of their demands fits.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "controller/signals.hpp"
#include "tools/sim/job.hpp"

namespace charm::sim {

/// The own L2, and the sources that a controller sees.
inline constexpr std::size_t sources = 1 + controller::sources_beyond_l2.size();
inline std::string source_name(std::size_t source) {
  return std::string(topology::name(topology::all_fill_sources[source]));
}
using Fills = std::array<double, sources>;

struct WorkerRate {
  double ns_per_operation = 1;
  Fills fills{};  // per operation, by source
};

struct Rates {
  std::vector<WorkerRate> workers;
  double operations_per_s = 0;  // of all workers together, with the barriers of the phase
  double step_ns = 0;           // from barrier to barrier; 0 without barriers
  double barrier_ns = 0;
  Fills fills_per_s{};
  double busy = 1;  // share of the time that is not spent at barriers
};

/// The cost of a barrier: a fixed part, and one transfer of its counter after the other for the workers of a team. In a
/// tree the chiplets' counters work at the same time, and then one transfer for each chiplet follows. Turns beyond the
/// first are the program's own, at locks and counters that all workers share.
double barrier_ns(const Model& model, const std::vector<WorkerCore>& worker_cores, const Phase& phase, bool tree);

/// \param overhead_ns time of each step besides running and the barrier.
Rates rates_of(const Job& job, const Mixes& mixes, double overhead_ns = 0);

}  // namespace charm::sim
