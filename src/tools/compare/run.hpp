// The runs themselves: set-up, warm-up, then round after round in random order, until all are done, one fails, or the
// user stops it; then clean-up. The functions that start a program and read the clock are arguments, so that tests need
// neither.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/compare/outcome.hpp"

namespace charm::compare {

struct Request {
  std::vector<Program> programs;  ///< two or more
  std::size_t rounds = 15;        ///< with `seconds`: the most
  std::size_t warm_ups = 1;       ///< runs of each that are not measured
  std::uint64_t seed = 1;
  bool ignore_failure = false;  ///< a program that ends with an error is measured like any other
  /// Rounds are begun for so long after the warm-up, but at least `least_rounds` of them; nothing: all `rounds`.
  std::optional<double> seconds = {};
  Rules rules = {};

  static constexpr std::size_t least_rounds = 8;  // fewer give neither the bootstrap nor the fastest quarter
};

/// Why a program is started: outputs may be looked at while it warms up, and never while it is measured.
enum class Purpose { warm_up, measure };

struct Callbacks {
  std::function<Sample(const Program&, Purpose)> launch;
  /// Runs a --prepare, --setup or --cleanup command; not needed if no program has any.
  std::function<os::ChildResult(const std::string& command)> shell = {};
  /// Called before each run with the number of runs that are done, out of `all`, and, if it is known, how many seconds
  /// the rest will take.
  std::function<void(std::size_t done, std::size_t all, std::optional<double> left)> progress = {};
  std::function<double()> now = {};  ///< seconds; needed for Request::seconds, Sample::started_s and what is left
};

/// Runs everything and compares each program with the first. The fields on counters and disturbances stay empty.
///
/// A program's set-up runs before everything else, and its clean-up after everything else, also if a run has failed or
/// the user has stopped it. A command that fails is Outcome::failed.
Outcome compare_programs(const Request& request, const Callbacks& callbacks);

}  // namespace charm::compare
