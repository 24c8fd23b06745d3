// The outcome of one comparison: what ran, what each run took, what follows from it, and what disturbed it.
// Text, JSON and the page show this and compute nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/statistics.hpp"
#include "compare/verdict.hpp"
#include "os/measured_child.hpp"

namespace charm::compare {

struct Program {
  std::string name;                ///< "A", "B", or the policy
  std::vector<std::string> words;  ///< as it is started
};

struct Sample {
  os::ChildResult child;
  std::vector<std::optional<double>> counts;  ///< in the order of Outcome::counters
};

struct Series {
  Program program;
  std::vector<Sample> runs;  ///< by round

  [[nodiscard]] std::vector<double> wall() const;
  [[nodiscard]] std::vector<double> cpu() const;  ///< user and system time
  [[nodiscard]] std::vector<double> peak() const;
  /// Empty where a run has no count.
  [[nodiscard]] std::vector<double> count(std::size_t counter) const;
  /// Whether a peak is no larger than what this process had when it started the run: then it is a bound only.
  [[nodiscard]] bool peak_is_bound() const;
};

/// One program against the first.
struct Comparison {
  std::size_t second = 1;
  std::optional<Ratio> wall, cpu, peak;
  std::optional<Ratio> fastest;  ///< of the wall times
  double ranks = 0;              ///< of the wall times
  std::vector<std::optional<Ratio>> counts;
  Verdict verdict;  ///< on the wall time

  /// What the verdict is about.
  [[nodiscard]] const std::optional<Ratio>& judged() const { return verdict.by_fastest ? fastest : wall; }
};

/// A run that did not end well.
struct Failed {
  std::size_t program = 0;
  std::size_t round = 0;  ///< from 0; of the warm-up where `warm_up`
  bool warm_up = false;
  os::ChildResult child;
};

struct Outcome {
  std::uint64_t seed = 0;
  std::size_t rounds = 0;
  std::size_t warm_ups = 0;
  Rules rules;
  std::vector<Series> series;
  std::vector<std::vector<std::size_t>> order;  ///< of each round
  std::vector<Comparison> comparisons;          ///< of each program but the first
  std::vector<std::string> counters;            ///< names
  std::string why_no_counters;                  ///< empty where there are some
  std::vector<std::string> disturbances;        ///< what made the machine noisy, as far as it was seen
  std::size_t failed_runs = 0;                  ///< that were let pass
  std::optional<Failed> failed;                 ///< that ended everything
  int interrupted = 0;                          ///< the signal that did
};

/// The most important of the comparisons' findings, for scripts: a difference takes precedence over not knowing, and
/// that over no difference.
Finding overall(const Outcome& outcome);

}  // namespace charm::compare
