// The options of `charm sim`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/sim/run.hpp"

namespace charm::cli {

struct SimRequest {
  std::vector<std::string> machines, workloads, policies;
  std::vector<int> workers;  // empty: a core each, at most 64
  sim::RunOptions run;
  int jobs = 0;  // combinations that are computed at the same time; 0: as many as there are cpus
};

/// Every combination, in order; a policy that cannot place so many workers is an error.
std::vector<sim::RunResult> simulate(const SimRequest& request);

/// Numbers from "8,16,32" or "8..128" (doubling). \param option appears in errors.
/// \throws Error (bad_config).
std::vector<int> parse_counts(const char* option, const std::string& text);

/// Numbers of workers from "8,16,32" or "8..128" (doubling).
/// \throws Error (bad_config).
std::vector<int> parse_workers(const std::string& text);

}  // namespace charm::cli
