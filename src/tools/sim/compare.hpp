// Compares the default controller with the best level that it could have kept all the time.
#pragma once

#include <string>
#include <vector>

#include "tools/sim/run.hpp"

namespace charm::sim {

struct Comparison {
  std::string machine, workload;
  int workers = 0;
  int best_level = 0;     // chiplets
  double best = 0;        // its efficiency, against the best level of each phase
  double controller = 0;  // the controller's, after its warm-up
  int levels = 1;         // that it may choose from; 1: there is no choice, and nothing to be right about
  double any = 0;         // efficiency of the best of all static policies, also of those that it does not know
  [[nodiscard]] double ratio() const { return best > 0 ? controller / best : 1; }
  [[nodiscard]] double ratio_to_any() const { return any > 0 ? controller / any : 1; }
  [[nodiscard]] bool choice() const { return levels > 1; }
};

/// Every workload on every machine, with a quarter and half of the cores of a socket and all cores; the worst ratio
/// first.
std::vector<Comparison> compare_controller(const std::vector<std::string>& machines,
                                           const std::vector<std::string>& workloads, const RunOptions& options,
                                           const std::string& controller = "charm", int jobs = 1);

}  // namespace charm::sim
