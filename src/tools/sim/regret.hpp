// Regret: how much slower a program is under one way of choosing its level than under the best of all static policies.
//
// A standing rule knows nothing of the program, or only the memory that it holds; `charm run` without counters stands
// by such a rule, and placement/standing.hpp has the one with the least regret over the machines and workloads of the
// simulator. bounds_of() says how small the regret of any such rule can be: it looks at all of them. The controllers
// that move workers are beside them: with counters, and the default one also without.
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

/// A policy that moves workers, with or without counters; without, it goes by the progress that the program tells.
struct Controlled {
  std::string policy;
  bool counters = true;
};

struct Stood {
  std::string policy;
  double loss = 1;  // how many times as fast the best policy is
};

/// One workload with some workers on a machine, where static policies differ.
struct Regret {
  std::string machine, workload;
  int workers = 0;
  std::string best;              // the static policy
  int fits = 0;                  // the fewest chiplets whose caches hold the workload; 0: no caches do
  int fits_filled = 0;           // the same with as few sockets as hold the workers
  std::vector<double> loss;      // by rule
  std::vector<Stood> policies;   // all static ones
  std::vector<Stood> untouched;  // by kernel, without any tool
  std::vector<Stood> moved;      // by controller; a loss of 0: refused on this machine
};

/// Every workload on every machine with 2, 4, 8, ... workers, half of the cores, three quarters and all of them, where
/// there is a choice. The static policies are all levels of the family, with the sockets filled one by one and evenly,
/// and the NUMA-aware placement; all with the same habits of data and tasks, which are the program's.
/// \param controllers to be run beside the rules.
std::vector<Regret> regrets(const std::vector<std::string>& machines, const std::vector<std::string>& workloads,
                            int jobs = 1, const std::vector<Controlled>& controllers = {});

struct RegretSummary {
  std::string rule, summary;
  double worst = 1, mean = 1;
  double near = 0;             // share of the combinations in which it is at most 5 % slower
  std::size_t refused = 0;     // combinations that a controller refuses; they are not in the other numbers
  const Regret* at = nullptr;  // the worst
};

/// One for each rule, one for each kernel without a tool, one for each controller; then the rule of `charm run` and the
/// controllers against the better of the kernels.
std::vector<RegretSummary> summary_of(const std::vector<Regret>& all);

/// What no standing rule can get below, whatever it chooses: by what it may know of the program.
struct RegretBound {
  std::string_view knows;
  double worst = 1;  // of the rule with the smallest worst loss
  double mean = 1;   // of the rule with the smallest mean loss; it may be another one
};
std::vector<RegretBound> bounds_of(const std::vector<Regret>& all);

/// All generators, and sizes of some of them that fit into other caches.
std::vector<std::string> regret_workloads();

}  // namespace charm::sim
