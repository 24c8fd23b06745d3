// The two back-ends compute which caches and memories serve the accesses of a job. Both give the same kind of result,
// and timing.hpp computes rates from it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/choice.hpp"
#include "tools/sim/job.hpp"

namespace charm::sim {

enum class Backend { analytic, lines };
constexpr auto choices(Backend /*unused*/) {
  return std::array{base::Choice{Backend::analytic, "analytic"}, base::Choice{Backend::lines, "lines"}};
}

/// The steady state by formulas: microseconds to a millisecond for a job.
Mixes analytic_mixes(const Job& job);

struct LinesOptions {
  std::uint64_t seed = 1;
  double measured_rounds = 3;          // passes over the data, after those that are needed to warm up
  std::uint64_t most_lines = 1 << 16;  // if there are more, lines and cache sets are sampled
  std::uint64_t least_accesses = 400000, most_accesses = 6000000;
};

struct LinesResult {
  Mixes mixes;
  std::uint64_t accesses = 0;  // number of simulated accesses
  double sampling = 1;         // one line in so many was simulated
  double error = 0;            // standard error of the share that memory served, over blocks of the measured accesses
};

/// The steady state by simulating the accesses, line by line, through caches with tags and a directory.
LinesResult line_mixes(const Job& job, const LinesOptions& options = {});

}  // namespace charm::sim
