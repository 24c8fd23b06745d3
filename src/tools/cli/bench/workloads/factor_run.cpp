#include <charm/error.hpp>

#include <utility>

#include <fmt/format.h>

#include "base/present.hpp"
#include "os/memory/memory.hpp"
#include "tools/cli/bench/workload_run.hpp"
#include "tools/cli/bench/workloads/factor_options.hpp"
#include "workloads/factor/factor_bench.hpp"

namespace charm::cli {
namespace {

class FactorRows final : public WorkloadRun {
 public:
  explicit FactorRows(const FactorWorkload& asked) : asked_(asked) {}

  [[nodiscard]] std::uint64_t needed_bytes(const BenchPlan& plan, int /*nodes*/) const override {
    return workloads::factor_bytes(matrix_options(plan));
  }

  /// Makes the matrix, and then finds out all about it, for which no row is timed. Kernels that were not asked for and
  /// do not fit it are left out.
  void prepare(Preparation& bench) override {
    const BenchPlan& plan = bench.plan();
    const auto options = matrix_options(plan);
    bench.step(plan.file.empty() ? fmt::format("generating a {} matrix of {} columns", options.kind, options.size)
                                 : fmt::format("loading {}", plan.file));
    bench.make_input([&](const workloads::Runner&) {
      matrix_ = plan.file.empty() ? workloads::FactorInput::generate(options)
                                  : workloads::FactorInput::load({plan.file, plan.file_memory}, plan.seed);
      return base::present(matrix_).describe();
    });
    leave_out_misfits(bench);
  }

  workloads::KernelRun trial(const Measurement& row, const workloads::Runner& runner, int /*trial*/) override {
    counted_ = workloads::run_factor(row.kernel, runner, base::present(matrix_), options_of(row));
    return counted_.run;
  }

  void add_counts(Result& row) override {
    row.page_faults.insert(row.page_faults.end(), counted_.page_faults.begin(), counted_.page_faults.end());
    row.migrations.insert(row.migrations.end(), counted_.migrations.begin(), counted_.migrations.end());
  }

 private:
  [[nodiscard]] workloads::factor::MatrixOptions matrix_options(const BenchPlan& plan) const {
    return {asked_.kind(), asked_.columns(), plan.seed};
  }

  [[nodiscard]] workloads::FactorOptions options_of(const Measurement& row) const {
    return {asked_.tile, asked_.grain, row.schedule.empty() ? "stream" : row.schedule};
  }

  void leave_out_misfits(Preparation& bench) {
    std::string kernel;
    std::optional<Error> misfit;
    std::optional<Error> first_misfit;
    std::vector<Measurement> fitting;
    for (const Measurement& row : bench.rows()) {
      if (row.kernel != kernel) {
        kernel = row.kernel;
        bench.step(fmt::format("analysing the matrix for {}, and factorising it by SuiteSparse", kernel));
        misfit.reset();
        try {
          base::present(matrix_).prepare(kernel, options_of(row), os::available_bytes());
        } catch (const Error& error) {
          if (bench.plan().kernels_asked || error.code() != Errc::bad_input) throw;
          misfit = error;
          if (!first_misfit) first_misfit = error;
          bench.leave_out(kernel, error);
        }
      }
      if (!misfit) fitting.push_back(row);
    }
    if (fitting.empty() && first_misfit) throw Error(*first_misfit);
    bench.rows() = std::move(fitting);
  }

  FactorWorkload asked_;
  std::optional<workloads::FactorInput> matrix_;
  workloads::FactorRun counted_;
};

}  // namespace

std::unique_ptr<WorkloadRun> run_of(const FactorWorkload& workload) { return std::make_unique<FactorRows>(workload); }

}  // namespace charm::cli
