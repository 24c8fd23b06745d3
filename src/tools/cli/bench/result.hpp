// One row of a benchmark: what was run, its samples, and the figures that table, JSON and report show. The figures are
// computed from the samples here and nowhere else, so that the three cannot disagree.
#pragma once

#include <charm/decision.hpp>
#include <charm/placement.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/cli/bench/transactions.hpp"
#include "workloads/kernel_run.hpp"

namespace charm::cli {

/// What tells the rows of a kernel on a runtime apart.
struct RowSettings {
  std::string policy;  // "none" for other runtimes than CHARM, which place their threads themselves
  int workers = 1;
  std::string bind;      // of CHARM's workers; empty: as the settings say
  std::string schedule;  // of CHARM's task graphs; empty: stream
  std::string peer;      // the program of a system that the user has built, whose kind is the runtime; empty: none
};

struct Result : workloads::KernelRun, RowSettings {
  std::string input;
  std::uint64_t peak_rss_bytes = 0;
  std::vector<std::uint64_t> page_faults;  // by trial, where they were counted
  std::vector<std::uint64_t> migrations;
  std::optional<std::uint64_t> decisions;          // of the controller, if it had levels to choose among
  std::optional<TransactionFigures> transactions;  // of databases

  /// What tells CHARM's rows apart: "local", "local chiplet batch".
  [[nodiscard]] std::string variant() const;
  [[nodiscard]] double median_s() const;
  [[nodiscard]] double min_s() const;
  [[nodiscard]] double max_s() const;
  /// (max - min) / median: 0.1 says that the samples lie within a tenth of the median. 0 without samples.
  [[nodiscard]] double spread() const;
  /// Rates of the trials in `unit`, ascending.
  [[nodiscard]] std::vector<double> rates() const;
  /// The median of `rates()`; 0 without samples.
  [[nodiscard]] double rate() const;
};

/// The graph, table or samples that the rows ran on, and the time and memory of making it.
struct Input {
  std::string description;
  double seconds = 0;
  std::uint64_t peak_rss_bytes = 0;
};

/// The cores on which a policy put the workers.
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

/// What a query needs, whoever runs it.
struct QueryProfile {
  std::string query;
  double scale = 1;                     // scale factor of the data
  double busy_s = 0;                    // of all threads together, in the query's operators
  std::uint64_t scanned_bytes = 0;      // of the columns that it reads
  std::uint64_t working_set_bytes = 0;  // that it allocates: hash tables, sorted runs and the like, not the tables
  std::uint64_t moved_rows = 0;         // into joins, groups and sorts
  std::uint64_t moved_bytes = 0;        // of these rows
  int exchanges = 0;                    // joins, groups and sorts
  double hottest_key = 0;               // the largest share of a table's rows that one key has; 0: not known
  double imbalance = 1;                 // time of the busiest worker over the mean of all; median of the trials
};

/// All results of one `charm bench`.
struct BenchResult {
  Input input;
  std::vector<Result> results;
  std::vector<PolicyCores> placements;
  std::vector<PolicyHistory> histories;  // one for each policy whose controller could choose among levels
  std::vector<QueryProfile> profiles;    // of a database's queries
  std::vector<std::string> notes;
  std::vector<std::string> disturbances;  // what others did on the machine meanwhile; empty where it was quiet
  std::vector<std::string> left_out;      // kernels, each with the reason; also among the notes

  [[nodiscard]] bool all_verified() const;
};

}  // namespace charm::cli
