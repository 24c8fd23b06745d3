// `charm bench olap`: its options.
#pragma once

#include "tools/cli/bench/workload.hpp"

namespace charm::cli {

class OlapWorkload final : public Workload {
 public:
  [[nodiscard]] const WorkloadText& text() const override;
  [[nodiscard]] std::vector<std::string> kernels() const override;
  [[nodiscard]] std::vector<std::string> runtimes() const override;
  void declare(CLI::App& app, BenchRequest& request) override;
  void check_options(const BenchRequest& request) const override;
  void check_plan(const BenchPlan& plan, const Facts& facts) const override;

  std::string suite = "tpch";
  std::optional<double> scale;          // scale factor; none: .1, or that of the database
  std::optional<std::string> database;  // none: one in the user's cache folder
  std::optional<std::string> engine;    // none: looked for
  std::optional<std::string> tables;    // folder of files that the database is made of; none: it is generated
  std::optional<std::string> queries;   // folder of statements; none: the suite's
};

/// In charm-bench.
std::unique_ptr<WorkloadRun> run_of(const OlapWorkload& workload);

}  // namespace charm::cli
