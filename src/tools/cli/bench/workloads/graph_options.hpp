// `charm bench graph`: its options.
#pragma once

#include "tools/cli/bench/workload.hpp"

namespace charm::cli {

class GraphWorkload final : public Workload {
 public:
  [[nodiscard]] const WorkloadText& text() const override;
  [[nodiscard]] std::vector<std::string> kernels() const override;
  [[nodiscard]] std::vector<PeerKind> peers() const override {
    return {{"gapbs", {"bfs", "pr", "cc", "sssp", "bc", "tc"}}};
  }
  void declare(CLI::App& app, BenchRequest& request) override;
  void check_options(const BenchRequest& request) const override;
  void check_plan(const BenchPlan& plan, const Facts& facts) const override;
  /// A trial of graph500 is 64 searches, so three do.
  [[nodiscard]] int trials_by_default(const std::string& kernel) const override { return kernel == "graph500" ? 3 : 5; }

  /// What is generated.
  [[nodiscard]] int scale_or_default() const { return scale.value_or(18); }
  [[nodiscard]] std::string kind_or_default() const { return kind.value_or("kronecker"); }

  // As given.
  std::optional<int> scale;
  std::optional<std::string> kind;
  std::string order = "given";
  bool undirected = false;
  std::optional<long long> source;
  std::optional<std::string> output;
};

/// In charm-bench.
std::unique_ptr<WorkloadRun> run_of(const GraphWorkload& workload);

}  // namespace charm::cli
