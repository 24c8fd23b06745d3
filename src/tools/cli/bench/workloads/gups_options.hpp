// `charm bench gups`: its options.
#pragma once

#include "tools/cli/bench/workload.hpp"

namespace charm::cli {

class GupsWorkload final : public Workload {
 public:
  [[nodiscard]] const WorkloadText& text() const override;
  [[nodiscard]] std::vector<std::string> kernels() const override { return {"gups"}; }
  void declare(CLI::App& app, BenchRequest& request) override;
  void check_plan(const BenchPlan& plan, const Facts& facts) const override;

  int scale = 25;  // the table has 2^scale words
};

/// In charm-bench.
std::unique_ptr<WorkloadRun> run_of(const GupsWorkload& workload);

}  // namespace charm::cli
