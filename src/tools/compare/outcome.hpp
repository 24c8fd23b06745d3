// The outcome of one comparison: what ran, what each run took, what follows from it, and what disturbed it.
// Text, JSON and the page show this and compute nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/compare/scan.hpp"
#include "tools/compare/statistics.hpp"
#include "tools/compare/verdict.hpp"
#include "tools/os/measured_child.hpp"

namespace charm::compare {

struct Program {
  std::string name;                ///< "A", "B", the policy, or what the user calls it
  std::vector<std::string> words;  ///< the words of its command line
  Parameters parameters = {};      ///< those that are scanned, with the values that `words` has
  // Commands for a shell; empty: none.
  std::string prepare = {};  ///< before each of its runs
  std::string setup = {};    ///< once, before all runs
  std::string cleanup = {};  ///< once, after all runs
};

/// What a run wrote to its stdout.
struct Output {
  std::uint64_t hash = 0;
  std::uint64_t bytes = 0;
  friend bool operator==(const Output&, const Output&) = default;
};

/// A program's outputs beside the first program's.
enum class Agreement {
  unknown,  ///< not looked at
  same,     ///< all outputs of both are equal
  differs,  ///< each program's own are equal, and the two differ
  varies,   ///< the outputs of the program, or of the first one, differ from run to run
};

struct Sample {
  os::ChildResult child;
  std::vector<std::optional<double>> counts;  ///< in the order of Outcome::counters
  double started_s = 0;                       ///< since the first measured run began
};

struct Series {
  Program program;
  std::vector<Sample> runs;          ///< by round
  std::vector<Output> outputs = {};  ///< of the runs to warm up, if outputs are compared

  [[nodiscard]] std::vector<double> wall() const;
  [[nodiscard]] std::vector<double> cpu() const;  ///< user and system time
  [[nodiscard]] std::vector<double> peak() const;
  /// The counts of one event in all runs; empty if a run has no count.
  [[nodiscard]] std::vector<double> count(std::size_t counter) const;
  /// How its failed runs ended, as "5 of 5 runs were ended by signal 9 (Killed)"; empty: none failed.
  [[nodiscard]] std::string failures() const;
  /// Whether a peak is not larger than the memory of this process when it started the run: then it is only a bound.
  [[nodiscard]] bool peak_is_bound() const;
};

/// One program against the first.
struct Comparison {
  std::size_t second = 1;
  std::optional<Ratio> wall, cpu, peak;
  std::optional<Ratio> fastest;  ///< ratio of the wall times of the fastest quarters
  double ranks = 0;              ///< rank sum of the wall times
  std::vector<std::optional<Ratio>> counts;
  Verdict verdict;         ///< the verdict on the wall time
  std::string no_verdict;  ///< why there is none: how long a program that fails takes says nothing; empty: there is one

  /// The ratio that the verdict is about.
  [[nodiscard]] const std::optional<Ratio>& judged() const { return verdict.by_fastest ? fastest : wall; }
};

/// A run that ended with an error.
struct Failed {
  std::size_t program = 0;
  std::size_t round = 0;  ///< number of the round, from 0; of the warm-up rounds if `warm_up`
  bool warm_up = false;
  std::vector<std::string> command;  ///< not empty: it was not the program but its command (option, then command)
  os::ChildResult child;
};

struct Outcome {
  std::uint64_t seed = 0;
  std::size_t rounds = 0;
  std::size_t warm_ups = 0;
  Rules rules;
  std::vector<Series> series;
  std::vector<std::vector<std::size_t>> order;  ///< order of the programs in each round
  std::vector<Comparison> comparisons;          ///< of each program except the first with the first
  std::vector<std::string> counters;            ///< names
  std::string why_no_counters;                  ///< empty if there are counters
  std::string metric;                           ///< pattern of the times that programs print; empty: wall time
  std::vector<std::string> disturbances;        ///< what made the machine noisy, as far as it was seen
  std::size_t failed_runs = 0;                  ///< runs with an error that was ignored
  std::optional<Failed> failed;                 ///< the run that ended the comparison
  int interrupted = 0;                          ///< the signal that ended the comparison; 0: none
};

/// The most important of the comparisons' findings, for scripts: a difference takes precedence over "unknown", and
/// "unknown" over "no difference".
Finding overall(const Outcome& outcome);

/// The verdict in words, or why there is none.
std::string sentence(const Outcome& outcome, const Comparison& comparison);

/// Whether a program wrote the same as the first; of the first itself, whether it always wrote the same.
Agreement agreement(const Outcome& outcome, std::size_t program);

/// Arithmetic mean and standard deviation (of the sample).
struct Spread {
  double mean = 0, sigma = 0, least = 0, most = 0;
};
Spread spread_of(const std::vector<double>& values);

}  // namespace charm::compare
