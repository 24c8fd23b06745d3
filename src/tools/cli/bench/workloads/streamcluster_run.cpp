#include <fmt/format.h>

#include "base/present.hpp"
#include "tools/cli/bench/workload_run.hpp"
#include "tools/cli/bench/workloads/streamcluster_options.hpp"
#include "workloads/streamcluster/streamcluster_bench.hpp"

namespace charm::cli {
namespace {

class StreamclusterRows final : public WorkloadRun {
 public:
  explicit StreamclusterRows(const StreamclusterWorkload& asked) : asked_(asked) {}

  [[nodiscard]] std::uint64_t needed_bytes(const BenchPlan& plan, int nodes) const override {
    const auto memory = workloads::memory_named(plan.memory.empty() ? "partitioned" : plan.memory);
    const int copies = nodes < 2                                  ? 0
                       : memory == workloads::Memory::replicated  ? nodes
                       : memory == workloads::Memory::partitioned ? 1
                                                                  : 0;
    return workloads::point_bytes(generated(plan), asked_.chunk, copies);
  }

  void prepare(Preparation& bench) override {
    const BenchPlan& plan = bench.plan();
    const workloads::PointOptions options = generated(plan);
    clustering_ = {asked_.chunk, asked_.least, asked_.most_centres(), asked_.centres_kept(), plan.seed};
    bench.step(plan.file.empty()
                   ? fmt::format("generating {} points of {} dimensions", options.count, options.dimensions)
                   : fmt::format("loading {}", plan.file));
    bench.make_input([&](const workloads::Runner& runner) {
      points_ = plan.file.empty() ? workloads::PointSet::generate(options, runner)
                                  : workloads::PointSet::load(plan.file, options.dimensions, runner);
      return base::present(points_).describe();
    });
  }

  workloads::KernelRun trial(const Measurement& /*row*/, const workloads::Runner& runner, int /*trial*/) override {
    return workloads::run_streamcluster(runner, base::present(points_), clustering_);
  }

 private:
  [[nodiscard]] workloads::PointOptions generated(const BenchPlan& plan) const {
    return {asked_.points_made(), asked_.dimensions, plan.seed};
  }

  StreamclusterWorkload asked_;
  std::optional<workloads::PointSet> points_;
  workloads::StreamOptions clustering_;
};

}  // namespace

std::unique_ptr<WorkloadRun> run_of(const StreamclusterWorkload& workload) {
  return std::make_unique<StreamclusterRows>(workload);
}

}  // namespace charm::cli
