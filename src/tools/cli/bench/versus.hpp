// How a benchmark's CHARM rows compare with those of a peer, query by query and in all: for workloads whose kernels are
// parts of one whole, as TPC-H's queries are (CHARM, Fig. 13).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/cli/bench/result.hpp"
#include "tools/compare/statistics.hpp"

namespace charm::cli {

/// CHARM with one policy against one peer. Ratios are CHARM's time as a multiple of the peer's, from trials of the same
/// turn; nothing where an answer is wrong or there are fewer than two trials.
struct Versus {
  struct Kernel {
    std::string kernel;
    std::optional<compare::Ratio> ratio;
  };
  std::string policy;
  std::string peer;
  std::vector<Kernel> kernels;
  double geometric_mean = 0;             // of the kernels' ratios; 0 without any
  std::optional<compare::Ratio> in_all;  // of the sums over all kernels
};

/// One for each policy and peer, in the order of the rows.
std::vector<Versus> versus(const std::vector<Result>& results);

/// A line for each kernel, policy of CHARM and system that the user has built: CHARM's time as a multiple of the
/// other's.
std::string peer_lines(const BenchResult& outcome);

/// A line for each kernel with the medians of all runtimes and CHARM's ratio to the first peer, then sentences that
/// compare.
std::string versus_table(const BenchResult& outcome, bool colour);

}  // namespace charm::cli
