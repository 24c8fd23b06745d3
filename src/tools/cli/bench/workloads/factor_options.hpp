// `charm bench factor`: its options.
#pragma once

#include "tools/cli/bench/workload.hpp"

namespace charm::cli {

class FactorWorkload final : public Workload {
 public:
  [[nodiscard]] const WorkloadText& text() const override;
  [[nodiscard]] std::vector<std::string> kernels() const override;
  void declare(CLI::App& app, BenchRequest& request) override;
  void check_options(const BenchRequest& request) const override;
  void check_plan(const BenchPlan& plan, const Facts& facts) const override;
  [[nodiscard]] std::vector<std::string> kernels_by_default(const BenchRequest& request,
                                                            const std::vector<std::string>& known) const override;
  [[nodiscard]] std::vector<RowVariant> variants() const override;

  /// What is generated.
  [[nodiscard]] std::string kind() const { return matrix.value_or("laplace2d"); }
  [[nodiscard]] std::int64_t columns() const;

  // As given.
  std::optional<std::string> matrix;
  std::optional<std::int64_t> size;
  int tile = 128;
  double grain = 5e5;
  std::vector<std::string> schedules;
  std::vector<std::string> binds;
};

/// In charm-bench.
std::unique_ptr<WorkloadRun> run_of(const FactorWorkload& workload);

}  // namespace charm::cli
