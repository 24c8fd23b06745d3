// One row of a benchmark: what was run, its samples, and the figures that table, JSON and report show. The figures are
// computed from the samples here and nowhere else, so that the three cannot disagree.
#pragma once

#include <charm/decision.hpp>
#include <charm/placement.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace charm::cli {

struct Result {
  std::string kernel;
  std::string runtime;
  std::string policy;  // "none" for a runtime that is not ours: it places its threads itself
  int workers = 0;
  std::string input;
  std::string unit;             // of rates: MTEPS or GUP/s
  std::vector<double> seconds;  // one a trial
  std::vector<double> work;     // one a trial: edges or updates
  std::uint64_t peak_rss_bytes = 0;
  bool verified = false;
  std::string detail;

  [[nodiscard]] double median_s() const;
  [[nodiscard]] double min_s() const;
  [[nodiscard]] double max_s() const;
  /// (max - min) / median: 0.1 says that the samples lie within a tenth of the median. 0 without samples.
  [[nodiscard]] double spread() const;
  /// Rates of the single trials in `unit`, ascending.
  [[nodiscard]] std::vector<double> rates() const;
  /// The median of `rates()`; 0 without samples.
  [[nodiscard]] double rate() const;
};

/// The graph or table that the rows ran on, and what making it took.
struct Input {
  std::string description;
  double seconds = 0;
  std::uint64_t peak_rss_bytes = 0;
};

/// Where a policy put the workers.
struct PolicyCores {
  std::string policy;
  std::vector<WorkerCore> worker_cores;
};

/// What the controller of a policy saw and decided while the policy's rows ran; times go on from row to row.
struct PolicyHistory {
  std::string policy;
  std::vector<TimelinePoint> timeline;
  std::vector<Decision> decisions;
};

/// Everything that came of one `charm bench`.
struct BenchResult {
  Input input;
  std::vector<Result> results;
  std::vector<PolicyCores> placements;
  std::vector<PolicyHistory> histories;  // of policies that had something to decide
  std::vector<std::string> notes;

  [[nodiscard]] bool all_verified() const;
};

}  // namespace charm::cli
