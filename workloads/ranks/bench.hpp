// Workloads on several processes (ranks), in the manner of workloads/bench.hpp: timed trials, whose answers all ranks
// check. Every rank calls the same functions with the same arguments, in a task (charm::run) between
// charm::remote::init() and finalize(); all get the same result.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "workloads/bench.hpp"

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

/// Bytes that each rank needs, as those of bench.hpp.
std::uint64_t generated_bytes_of_rank(const GenerateOptions& options, int ranks);

}  // namespace charm::workloads
