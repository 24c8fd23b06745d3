// `charm bench sgd`: its options.
#pragma once

#include "tools/cli/bench/workload.hpp"

namespace charm::cli {

/// The samples that are generated.
struct SgdSamples {
  std::int64_t rows = 10000;
  std::int64_t features = 8192;
  double density = 1;
};

class SgdWorkload final : public Workload {
 public:
  [[nodiscard]] const WorkloadText& text() const override;
  [[nodiscard]] std::vector<std::string> kernels() const override;
  [[nodiscard]] std::vector<std::string> runtimes() const override;
  [[nodiscard]] std::vector<PeerKind> peers() const override { return {{"dimmwitted", {"loss", "sgd-machine"}}}; }
  void declare(CLI::App& app, BenchRequest& request) override;
  void check_options(const BenchRequest& request) const override;
  void check_plan(const BenchPlan& plan, const Facts& facts) const override;
  /// To descend by feature takes the memory of the samples a second time: only if it is asked for.
  [[nodiscard]] std::vector<std::string> kernels_by_default(const BenchRequest& request,
                                                            const std::vector<std::string>& known) const override;

  [[nodiscard]] SgdSamples samples() const;

  // As given.
  std::optional<std::int64_t> rows;
  std::optional<std::int64_t> features;
  std::optional<double> density;
  std::string update = "hogwild";
  int epochs = 500;
  std::optional<double> step, l2;    // none: chosen
  std::optional<std::string> scale;  // of a file's features: "max" or "none"; none given: "max"
  double target = .05;
};

/// In charm-bench.
std::unique_ptr<WorkloadRun> run_of(const SgdWorkload& workload);

}  // namespace charm::cli
