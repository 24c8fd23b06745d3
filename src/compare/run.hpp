// The runs themselves: warm-up, then round after round in random order, until all are done, one fails, or the user
// stops it. The function that starts a program is an argument, so that tests need no programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "compare/outcome.hpp"

namespace charm::compare {

struct Request {
  std::vector<Program> programs;  ///< two or more
  std::size_t rounds = 15;
  std::size_t warm_ups = 1;  ///< runs of each that are not measured
  std::uint64_t seed = 1;
  bool ignore_failure = false;  ///< a program that ends with an error is measured like any other
  Rules rules;
};

using Launch = std::function<Sample(const Program&)>;

/// Called before each run with the number of runs that are done, out of `all`.
using OnProgress = std::function<void(std::size_t done, std::size_t all)>;

/// Runs everything and compares each program with the first. The fields on counters and disturbances stay empty.
Outcome compare_programs(const Request& request, const Launch& launch, const OnProgress& progress);

}  // namespace charm::compare
