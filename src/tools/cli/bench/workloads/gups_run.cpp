#include <fmt/format.h>

#include "tools/cli/bench/workload_run.hpp"
#include "tools/cli/bench/workloads/gups_options.hpp"
#include "workloads/kernel_run.hpp"

namespace charm::cli {
namespace {

/// Each trial makes its own table.
class GupsRows final : public WorkloadRun {
 public:
  explicit GupsRows(const GupsWorkload& asked) : scale_(asked.scale) {}

  [[nodiscard]] std::uint64_t needed_bytes(const BenchPlan& /*plan*/, int /*nodes*/) const override {
    return workloads::gups_bytes(scale_);
  }

  void prepare(Preparation& bench) override {
    bench.no_input(fmt::format("{} words of 8 bytes", 1ULL << static_cast<unsigned>(scale_)));
  }

  workloads::KernelRun trial(const Measurement& /*row*/, const workloads::Runner& runner, int /*trial*/) override {
    return workloads::run_gups(scale_, runner, 1);
  }

  /// A trial is seconds of updates and does not notice a cold start.
  [[nodiscard]] bool warms_up(const std::string& /*kernel*/) const override { return false; }

 private:
  int scale_;
};

}  // namespace

std::unique_ptr<WorkloadRun> run_of(const GupsWorkload& workload) { return std::make_unique<GupsRows>(workload); }

}  // namespace charm::cli
