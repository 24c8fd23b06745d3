// `charm bench oltp`: its options.
#pragma once

#include "tools/cli/bench/workload.hpp"
#include "workloads/oltp/options.hpp"

namespace charm::cli {

class OltpWorkload final : public Workload {
 public:
  [[nodiscard]] const WorkloadText& text() const override;
  [[nodiscard]] std::vector<std::string> kernels() const override;
  [[nodiscard]] std::vector<std::string> runtimes() const override;
  void declare(CLI::App& app, BenchRequest& request) override;
  void check_plan(const BenchPlan& plan, const Facts& facts) const override;

  /// The settings of the engine, but for the seed and the workers, which are the plan's.
  workloads::OltpOptions asked;
  std::optional<std::string> data;  // as given
};

/// In charm-bench.
std::unique_ptr<WorkloadRun> run_of(const OltpWorkload& workload);

}  // namespace charm::cli
