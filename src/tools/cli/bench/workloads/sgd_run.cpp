#include <algorithm>

#include <fmt/format.h>

#include "base/format.hpp"
#include "base/present.hpp"
#include "tools/cli/bench/workload_run.hpp"
#include "tools/cli/bench/workloads/sgd_options.hpp"
#include "workloads/sgd/sgd_bench.hpp"

namespace charm::cli {
namespace {

class SgdRows final : public WorkloadRun {
 public:
  explicit SgdRows(const SgdWorkload& asked) : asked_(asked) {}

  [[nodiscard]] std::uint64_t needed_bytes(const BenchPlan& plan, int /*nodes*/) const override {
    const bool by_column = std::find(plan.kernels.begin(), plan.kernels.end(), "sgd-column") != plan.kernels.end();
    return workloads::sgd_bytes(generated(plan), plan.workers, by_column);
  }

  void prepare(Preparation& bench) override {
    const BenchPlan& plan = bench.plan();
    const workloads::SampleOptions options = generated(plan);
    bench.step(plan.file.empty() ? fmt::format("generating {} rows of {} features, {}", options.rows, options.features,
                                               base::format_bytes(workloads::sample_bytes(options)))
                                 : fmt::format("loading {}", plan.file));
    bench.make_input([&](const workloads::Runner& runner) {
      samples_ = plan.file.empty() ? workloads::SampleSet::generate(options, runner)
                                   : workloads::SampleSet::load({plan.file, plan.file_memory}, plan.seed, runner);
      return base::present(samples_).describe();
    });
  }

  workloads::KernelRun trial(const Measurement& row, const workloads::Runner& runner, int /*trial*/) override {
    return workloads::run_sgd(row.kernel, runner, base::present(samples_),
                              {asked_.update, asked_.epochs, asked_.target});
  }

 private:
  [[nodiscard]] workloads::SampleOptions generated(const BenchPlan& plan) const {
    const SgdSamples made = asked_.samples();
    return {made.rows, made.features, made.density, plan.seed};
  }

  SgdWorkload asked_;
  std::optional<workloads::SampleSet> samples_;
};

}  // namespace

std::unique_ptr<WorkloadRun> run_of(const SgdWorkload& workload) { return std::make_unique<SgdRows>(workload); }

}  // namespace charm::cli
