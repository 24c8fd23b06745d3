// Regret: how much slower a program is under one standing level, which knows nothing of the program or only the memory
// that it holds, than under the best of all static policies. `charm run` without counters stands by such a rule, and
// placement/standing.hpp has the one with the least regret over the machines and workloads of the simulator.
#pragma once

#include <charm/machine.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "placement/standing.hpp"

namespace charm::sim {

/// A way to choose a level of the monotone family before the program has shown anything but its memory.
struct StandingRule {
  std::string_view name, summary;
  placement::Standing (*stand)(const Machine& machine, const placement::Request& request, double bytes);
};

/// The rule of `charm run` first, then those that it was compared with.
std::span<const StandingRule> standing_rules();

/// One workload with some workers on a machine, where static policies differ.
struct Regret {
  std::string machine, workload;
  int workers = 0;
  std::string best;          // the static policy
  std::vector<double> loss;  // by rule: how many times as fast the best policy is
};

/// Every workload on every machine with 2, 4, 8, ... workers, half of the cores, three quarters and all of them, where
/// there is a choice. The static policies are all levels of the family, with the sockets filled one by one and evenly,
/// and the NUMA-aware placement; all with the same habits of data and tasks, which are the program's.
std::vector<Regret> regrets(const std::vector<std::string>& machines, const std::vector<std::string>& workloads,
                            int jobs = 1);

struct RegretSummary {
  std::string_view rule;
  double worst = 1, mean = 1;
  double near = 0;             // share of the combinations in which it is at most 5 % slower
  const Regret* at = nullptr;  // the worst
};
std::vector<RegretSummary> summary_of(const std::vector<Regret>& all);

/// All generators, and sizes of some of them that fit into other caches.
std::vector<std::string> regret_workloads();

}  // namespace charm::sim
