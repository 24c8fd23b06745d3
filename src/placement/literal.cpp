// literal: Algorithm 2 of CHARM §4.3 as printed, at one spread, for comparison with the papers; never a default.
//
// The algorithm is kept as printed: the exact fit is refused (THREAD_SIZE >= spread * CORES_PER_CHIPLET), a spread
// above CORES_PER_CHIPLET divides by zero (refused here, with that reason), workers may collide where there are fewer
// chiplets than cores in one, and `core` is used as an operating-system cpu number, whatever the machine's
// numbering. Where the print is incomplete, this file decides: CORES_PER_CHIPLET is the size of the largest chiplet
// (the paper assumes equal ones), CHIPLETS counts all sockets' chiplets, and a computed core that the process may not
// use is refused. The memory policy of lines 13-14 is not part of a placement.
#include <charm/error.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include "placement/bins.hpp"
#include "placement/literal_map.hpp"
#include "placement/policies.hpp"

namespace charm::placement {
namespace {

Error refusal(const std::string& reason) {
  return {Errc::refused, "Algorithm 2 refuses: " + reason, "choose another spread or the policy local or distributed"};
}

WorkerCore worker_core_of_cpu(const Machine& machine, int worker, int cpu) {
  for (const Core& core : machine.cores) {
    bool mine = core.cpu == cpu || core.siblings.contains(cpu);
    if (mine) return {core.id, cpu, core.chiplet, core.node, core.socket};
  }
  throw refusal("it computes core " + std::to_string(cpu) + " for worker " + std::to_string(worker) +
                ", which is no cpu of this machine that may be used");
}

int largest_chiplet(const Machine& machine) {
  std::size_t cores = 0;
  for (const Chiplet& chiplet : machine.chiplets) cores = std::max(cores, chiplet.cores.size());
  return static_cast<int>(cores);
}

Placement place_literal(const Machine& machine, const Request& request) {
  placed_workers(machine, request);
  const int spread_rate = request.spread == 0 ? 1 : request.spread;
  const int thread_size = request.workers;
  const int chiplets = static_cast<int>(machine.chiplets.size());
  const int cores_per_chiplet = largest_chiplet(machine);

  if (spread_rate < 1 || spread_rate > chiplets) {
    throw refusal("spread " + std::to_string(spread_rate) + " is not in 1.." + std::to_string(chiplets) + " chiplets");
  }
  if (static_cast<long>(thread_size) >= static_cast<long>(spread_rate) * cores_per_chiplet) {
    throw refusal(std::to_string(thread_size) + " workers >= spread " + std::to_string(spread_rate) + " * " +
                  std::to_string(cores_per_chiplet) + " cores per chiplet (the exact fit is refused, too)");
  }
  if (cores_per_chiplet / spread_rate == 0) {
    throw refusal(std::to_string(cores_per_chiplet) + " cores per chiplet / spread " + std::to_string(spread_rate) +
                  " is 0, and it divides by that");
  }
  return {{spread_rate}, {literal_cores(machine, thread_size, spread_rate)}, spread_rate};
}

}  // namespace

std::vector<WorkerCore> literal_cores(const Machine& machine, int workers, int spread_rate) {
  const int chiplets = static_cast<int>(machine.chiplets.size());
  const int cores_per_chiplet = largest_chiplet(machine), per_chiplet = cores_per_chiplet / spread_rate;
  std::vector<WorkerCore> worker_cores;
  for (int worker = 0; worker < workers; ++worker) {
    int chiplet = worker / per_chiplet;
    int slot = worker % per_chiplet;
    if (chiplet >= chiplets) {
      chiplet = chiplet % chiplets;
      slot = slot + worker / cores_per_chiplet;
    }
    worker_cores.push_back(worker_core_of_cpu(machine, worker, chiplet * cores_per_chiplet + slot));
  }
  return worker_cores;
}

constinit const PlacementPolicy literal_policy{
    "literal", "Algorithm 2 of the CHARM paper as printed, with its refusals and collisions", place_literal};

}  // namespace charm::placement
