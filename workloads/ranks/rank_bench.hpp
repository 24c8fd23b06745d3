// Workloads on several processes (ranks), in the manner of workloads/kernel_run.hpp: timed trials, whose answers all
// ranks check. Every rank calls the same functions with the same arguments, in a task (charm::run) between
// charm::remote::init() and finalize(); all get the same result.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "workloads/kernel_run.hpp"
#include "workloads/sgd/sgd_bench.hpp"

namespace charm::workloads {

/// A generated graph, divided among the ranks: the same one as Graph::generate() makes.
class RankGraph {
 public:
  explicit RankGraph(const GenerateOptions& options);
  ~RankGraph();
  RankGraph(RankGraph&&) noexcept;
  RankGraph& operator=(RankGraph&&) noexcept;

  [[nodiscard]] std::string describe() const;

  struct Data;
  [[nodiscard]] Data& data() const { return *data_; }

 private:
  std::unique_ptr<Data> data_;
};

/// One trial. \param kernel one of rank_graph_kernels() (names.hpp). \param trial as in RunOptions::first_trial: the
/// source of trial t is the same one as in a single process.
KernelRun run_kernel_on_ranks(const std::string& kernel, const RankGraph& graph, int trial);

/// One trial of RandomAccess, on a table of 2^log2_words words that is divided among the ranks.
KernelRun run_gups_on_ranks(int log2_words);

/// Generated samples, divided among the ranks: the same ones as SampleSet::generate() makes.
class RankSamples {
 public:
  /// \throws Error (bad_input) for options out of range, or fewer rows than ranks.
  explicit RankSamples(const SampleOptions& options);
  ~RankSamples();
  RankSamples(RankSamples&&) noexcept;
  RankSamples& operator=(RankSamples&&) noexcept;

  [[nodiscard]] std::string describe() const;

  struct Data;
  [[nodiscard]] Data& data() const { return *data_; }

 private:
  std::unique_ptr<Data> data_;
};

/// One trial. \param kernel one of rank_sgd_kernel_names (names.hpp). The reference solution is found on the first use,
/// untimed, by every rank on all rows.
KernelRun run_sgd_on_ranks(const std::string& kernel, const RankSamples& samples, const SgdOptions& options = {});

/// Bytes that each rank needs: its rows, and all of them to check the answer.
std::uint64_t sgd_bytes_of_rank(const SampleOptions& options, int workers, int ranks);

/// Bytes that each rank needs: its part, and what checks the search.
std::uint64_t generated_bytes_of_rank(const GenerateOptions& options, int ranks);

}  // namespace charm::workloads
