// `charm bench` in charm-bench-ranks: every rank parses the same command line and runs the same trials; rank 0 prints.
#include <charm/charm.hpp>
#include <charm/error.hpp>
#include <charm/remote.hpp>

#include <array>
#include <optional>
#include <ostream>

#include <fmt/format.h>

#include "base/notices.hpp"
#include "base/present.hpp"
#include "base/settings.hpp"
#include "os/memory/memory.hpp"
#include "tools/cli/bench/bench_options.hpp"
#include "tools/cli/bench/host.hpp"
#include "tools/cli/bench/json.hpp"
#include "tools/cli/bench/ranks.hpp"
#include "tools/cli/bench/table.hpp"
#include "tools/cli/bench/workloads/graph_options.hpp"
#include "tools/cli/bench/workloads/gups_options.hpp"
#include "tools/cli/bench/workloads/sgd_options.hpp"
#include "tools/cli/commands.hpp"
#include "topology/discovery.hpp"
#include "workloads/names.hpp"
#include "workloads/ranks/rank_bench.hpp"

namespace charm::cli {
namespace {

/// What the ranks run: a table, a graph, or samples.
class RankTrials {
 public:
  explicit RankTrials(const BenchOptions& options) : seed_(options.request.seed.value_or(1)) {
    if (const auto* gups = dynamic_cast<const GupsWorkload*>(options.workload.get())) {
      words_ = gups->scale;
      kernels_ = {"gups"};
    } else if (const auto* graph = dynamic_cast<const GraphWorkload*>(options.workload.get())) {
      generated_.scale = graph->scale_or_default();
      generated_.seed = seed_;
      kernels_ = options.request.kernels;
      if (kernels_.empty())
        kernels_.assign(workloads::rank_graph_kernel_names.begin(), workloads::rank_graph_kernel_names.end());
    } else if (const auto* sgd = dynamic_cast<const SgdWorkload*>(options.workload.get())) {
      const SgdSamples made = sgd->samples();
      sampled_ = {.rows = made.rows,
                  .features = made.features,
                  .density = made.density,
                  .seed = seed_,
                  .l2 = sgd->l2.value_or(0)};
      descent_ = {.update = sgd->update, .epochs = sgd->epochs, .target = sgd->target, .step = sgd->step.value_or(0)};
      workers_ = options.request.workers.value_or(1);
      kernels_ = options.request.kernels;
      if (kernels_.empty())
        kernels_.assign(workloads::rank_sgd_kernel_names.begin(), workloads::rank_sgd_kernel_names.end());
    }
  }
  [[nodiscard]] const std::vector<std::string>& kernels() const { return kernels_; }

  [[nodiscard]] std::uint64_t bytes_of_rank(int ranks) const {
    if (sampled_) return workloads::sgd_bytes_of_rank(*sampled_, workers_, ranks);
    return words_ ? workloads::gups_bytes(*words_) / static_cast<std::uint64_t>(ranks)
                  : workloads::generated_bytes_of_rank(generated_, ranks);
  }
  /// \return the description of the input.
  std::string prepare() {
    if (words_) return fmt::format("{} words of 8 bytes", 1ULL << static_cast<unsigned>(*words_));
    if (sampled_) return samples_.emplace(*sampled_).describe();
    graph_.emplace(generated_);
    return graph_->describe();
  }
  workloads::KernelRun run(const std::string& kernel, int trial) {
    if (samples_) return workloads::run_sgd_on_ranks(kernel, *samples_, descent_);
    return words_ ? workloads::run_gups_on_ranks(*words_)
                  : workloads::run_kernel_on_ranks(kernel, base::present(graph_), trial);
  }

 private:
  std::uint64_t seed_;
  std::optional<int> words_;
  workloads::GenerateOptions generated_;
  std::optional<workloads::RankGraph> graph_;
  std::optional<workloads::SampleOptions> sampled_;
  std::optional<workloads::RankSamples> samples_;
  workloads::SgdOptions descent_;
  int workers_ = 1;
  std::vector<std::string> kernels_;
};

void check_memory(const RankTrials& trials, int ranks) {
  const std::uint64_t needed = trials.bytes_of_rank(ranks);
  const auto available = os::available_bytes();
  if (!available || needed <= *available) return;
  constexpr double gib = 1073741824.0;
  refuse(fmt::format("each of {} ranks needs about {:.1f} GiB, and {:.1f} are available on the host of one of them",
                     ranks, static_cast<double>(needed) / gib, static_cast<double>(*available) / gib),
         "take a smaller --scale, or more ranks on more machines");
}

/// Runs in a task of each rank.
BenchResult run_trials(const BenchOptions& options, RankTrials& trials, const std::string& policy) {
  BenchResult outcome;
  const int workers = remote::reduce(charm::num_workers(), std::plus<>());
  outcome.input.description = fmt::format("{}; {} rank{} over {}", trials.prepare(), remote::ranks(),
                                          remote::ranks() == 1 ? "" : "s", remote::transport());
  for (const auto& kernel : trials.kernels()) {
    Result row;
    row.kernel = kernel;
    row.runtime = "charm";
    row.policy = policy;
    row.workers = workers;
    row.input = outcome.input.description;
    row.verified = true;  // until a trial's answer is wrong
    const os::PeakMemory peak;
    const int count = options.request.trials.value_or(options.workload->trials_by_default(kernel));
    for (int trial = 0; trial < count; ++trial) workloads::merge(row, trials.run(kernel, trial));
    // Of the rank that has used most.
    row.peak_rss_bytes = remote::reduce(peak.bytes(), [](auto a, auto b) { return std::max(a, b); });
    outcome.results.push_back(std::move(row));
  }
  return outcome;
}

}  // namespace

std::span<const Command> commands() {
  static const std::array all = {bench_entry()};
  return all;
}

int run_bench(const BenchOptions& options, Session& session) {
  const remote::Launch launch = remote::find_launch();
  check_ranks(options, launch);
  RankTrials trials(options);
  check_memory(trials, options.request.ranks.value_or(launch.ranks));
  Config config;
  config.workers = options.request.workers;
  if (!options.request.policies.empty()) {
    RowPolicy policy = row_policy(options.request.policies.front());
    config.policy = with_parameters(policy.name, base::resolve(config).policy);
    config.named = std::move(policy.settings);
  }
  const base::Settings settings = base::resolve(config);
  remote::init(config);
  const int ranks = remote::ranks();
  const bool prints = remote::rank() == 0;
  if (options.request.ranks && *options.request.ranks != ranks) {
    remote::finalize();
    refuse(fmt::format("--ranks asks for {}, and there are {}", *options.request.ranks, ranks),
           "start it by 'charm bench', or under mpirun without --ranks");
  }
  BenchResult outcome =
      charm::run([&] { return run_trials(options, trials, settings.policy.substr(0, settings.policy.find(':'))); });
  for (const auto& note : base::notices()) outcome.notes.push_back(note);
  remote::finalize();
  if (prints) {
    if (options.output.json) {
      const Machine machine = topology::discover(topology::source_of(settings));
      session.out << results_json(describe_host(machine, settings), outcome);
    } else {
      session.out << results_table(outcome, colour_on_stdout(options.output.colour));
    }
    for (const auto& row : outcome.results) {
      if (!row.verified) session.err << fmt::format("charm: {} gave a wrong answer: {}\n", row.kernel, row.detail);
    }
  }
  return outcome.all_verified() ? exit_done : exit_failed;
}

}  // namespace charm::cli
