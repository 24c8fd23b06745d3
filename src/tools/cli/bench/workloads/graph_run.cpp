#include <algorithm>
#include <initializer_list>

#include <fmt/format.h>

#include "base/present.hpp"
#include "os/files/output_file.hpp"
#include "tools/cli/bench/peers.hpp"
#include "tools/cli/bench/workload_run.hpp"
#include "tools/cli/bench/workloads/graph_options.hpp"
#include "workloads/graph/serialized_output.hpp"
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
    write_for_peers(bench);
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

  /// GAPBS as its README builds it: a program for each kernel, in one folder. The second of two runs from the same
  /// source counts, since CHARM's rows are warm; betweenness takes its own sources, the same as CHARM's in every run.
  PeerTrial peer_trial(const Measurement& row, int trial) override {
    const workloads::Graph& graph = base::present(graph_);
    const bool weighted = row.kernel == "sssp", searches = row.kernel == "bfs" || weighted;
    PeerCall call{.words = {program_in(row.peer, row.kernel), "-f", peer_file_ + (weighted ? ".wsg" : ".sg")},
                  .threads = row.workers};
    const auto add = [&](std::initializer_list<std::string> words) {
      call.words.insert(call.words.end(), words.begin(), words.end());
    };
    if (searches) {
      workloads::RunOptions options{.trials = 1, .first_trial = trial};
      options.source = asked_.source;
      add({"-r", std::to_string(workloads::source_of_trial(graph, options))});
    }
    if (row.kernel == "pr") add({"-t", "1e-4", "-i", "100"});
    if (row.kernel == "bc") add({"-i", "4"});
    add({"-n", std::to_string(row.kernel == "bc" ? trial + 1 : 2)});
    if (trial == 0) add({"-v"});
    const PeerSaid said = run_peer(call);
    workloads::KernelRun run{row.kernel, row.runtime, "MTEPS", {}, {}, true, "its own verification of the first trial"};
    run.seconds = {printed(said, "Trial Time: +([0-9.]+)").back()};
    // How many iterations of PageRank it made it does not say.
    const int passes = row.kernel == "bc" ? 4 : row.kernel == "pr" ? 0 : 1;
    run.work = {static_cast<double>(graph.edges()) * passes};
    if (trial > 0) return {run, said.peak_bytes};
    run.verified = said.text.find("FAIL") == std::string::npos && said.text.find("PASS") != std::string::npos;
    if (!run.verified) run.detail += " failed";
    return {run, said.peak_bytes};
  }

  /// A trial of graph500 is 64 searches and does not notice a cold start.
  [[nodiscard]] bool warms_up(const std::string& kernel) const override { return kernel != "graph500"; }

 private:
  void write_for_peers(Preparation& bench) {
    const auto rows = bench.rows();
    const auto any = [&](bool weighted) {
      return std::any_of(rows.begin(), rows.end(), [&](const Measurement& row) {
        return !row.peer.empty() && (row.kernel == "sssp") == weighted;
      });
    };
    for (const bool weighted : {false, true}) {
      if (!any(weighted)) continue;
      bench.step("writing the graph for the peer");
      peer_file_ = bench.peer_folder() + "/graph";
      const workloads::Runner serial{"serial", 1};
      workloads::write_serialized(base::present(graph_), serial, weighted, peer_file_ + (weighted ? ".wsg" : ".sg"));
    }
  }

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
  std::string peer_file_;  // without its extension
};

}  // namespace

std::unique_ptr<WorkloadRun> run_of(const GraphWorkload& workload) { return std::make_unique<GraphRows>(workload); }

}  // namespace charm::cli
