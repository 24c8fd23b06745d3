#include <fmt/format.h>

#include "base/present.hpp"
#include "os/files/output_file.hpp"
#include "tools/cli/bench/workload_run.hpp"
#include "tools/cli/bench/workloads/graph_options.hpp"
#include "workloads/kernel_run.hpp"

namespace charm::cli {
namespace {

class GraphRows final : public WorkloadRun {
 public:
  explicit GraphRows(const GraphWorkload& asked) : asked_(asked) {}

  [[nodiscard]] std::uint64_t needed_bytes(const BenchPlan& plan, int nodes) const override {
    const auto memory = workloads::memory_named(plan.memory.empty() ? "partitioned" : plan.memory);
    return workloads::generated_bytes(generated(plan), memory, nodes);
  }

  void prepare(Preparation& bench) override {
    const BenchPlan& plan = bench.plan();
    if (asked_.output) os::check_writable(*asked_.output);
    const workloads::GenerateOptions options = generated(plan);
    bench.step(plan.file.empty() ? fmt::format("generating a {} graph of scale {} with {}", asked_.kind_or_default(),
                                               options.scale, bench.builder())
                                 : fmt::format("loading {}", plan.file));
    bench.make_input([&](const workloads::Runner& runner) {
      graph_ = plan.file.empty()
                   ? workloads::Graph::generate(options, runner)
                   : workloads::Graph::load(
                         plan.file,
                         {.undirected = asked_.undirected, .seed = plan.seed, .order = generated(plan).order}, runner);
      return base::present(graph_).describe();
    });
  }

  workloads::KernelRun trial(const Measurement& row, const workloads::Runner& runner, int trial) override {
    std::string answer;
    workloads::RunOptions options{.trials = 1, .first_trial = trial};
    options.source = asked_.source;
    if (asked_.output) options.answer = &answer;
    workloads::KernelRun run = workloads::run_kernel(row.kernel, runner, base::present(graph_), options);
    if (asked_.output && run.verified) os::write_whole(*asked_.output, answer);
    return run;
  }

  /// A trial of graph500 is 64 searches and does not notice a cold start.
  [[nodiscard]] bool warms_up(const std::string& kernel) const override { return kernel != "graph500"; }

 private:
  [[nodiscard]] workloads::GenerateOptions generated(const BenchPlan& plan) const {
    workloads::GenerateOptions options;
    options.scale = asked_.scale_or_default();
    options.seed = plan.seed;
    options.kind = workloads::graph_kind_named(asked_.kind_or_default());
    options.order = workloads::vertex_order_named(asked_.order);
    return options;
  }

  GraphWorkload asked_;
  std::optional<workloads::Graph> graph_;
};

}  // namespace

std::unique_ptr<WorkloadRun> run_of(const GraphWorkload& workload) { return std::make_unique<GraphRows>(workload); }

}  // namespace charm::cli
