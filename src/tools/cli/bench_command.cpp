// `charm bench WORKLOAD`: the options. What they ask for is run by run_bench(), which is not the same in every program
// (bench/bench_options.hpp); the workloads are in bench/workloads/.
#include <memory>
#include <type_traits>

#include <fmt/format.h>

#include "controller/controller.hpp"
#include "tools/cli/bench/bench_options.hpp"
#include "tools/cli/bench/workloads/all.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/options.hpp"
#include "workloads/names.hpp"

namespace charm::cli {
namespace {

std::vector<std::string> policy_names() {
  std::vector<std::string> names;
  for (const auto name : controller::policy_names()) names.emplace_back(name);
  return names;
}

/// What every workload has, behind its own options.
void declare_common(CLI::App& app, BenchOptions& options) {
  BenchRequest& request = options.request;
  some_of(list_option(app, "--runtime", request.runtimes, "Runtimes to compare [all]"), options.workload->runtimes());
  list_option(app, "--policy", request.policies,
              "Policies of CHARM's workers, controllers or placements, each also with settings of its own: "
              "numa/stealing=random [the policy setting]")
      ->type_name("{" + fmt::format("{}", fmt::join(policy_names(), ",")) + "},...");
  if (const auto peers = options.workload->peers(); !peers.empty()) {
    std::string kinds;
    for (const PeerKind& each : peers) kinds += (kinds.empty() ? "" : ", ") + std::string(each.name);
    app.add_option("--peer", request.peers, "A system that you have built, as rows of its own: " + kinds)
        ->type_name("KIND=PROGRAM")
        ->expected(1)
        ->take_all();
  }
  whole_number(app.add_option("--workers", request.workers, "Workers of every runtime [a core each]"), 1, 65536);
  if (options.workload->text().on_ranks) {
    whole_number(app.add_option("--ranks", request.ranks,
                                "Run on N processes over MPI, with --workers in each [those of mpirun]"),
                 1, 65536);
  }
  whole_number(app.add_option("--trials", request.trials, "Timed trials of each row [5; graph500: 3]"), 1, 100000);
  number_within(app.add_option("--trial-seconds", request.trial_seconds,
                               "A trial repeats its kernel for so long and counts the second half [one run]"),
                .01, 3600)
      ->type_name("SECONDS");
  if (options.workload->text().places_arrays) {
    one_of(app.add_option("--memory", request.memory, "Where CHARM's arrays lie on several NUMA nodes [partitioned]"),
           workloads::memory_names());
  }
  file_path(app.add_option("--report", options.report, "Write a self-contained HTML page there"));
  add_output_options(app, options.output);
}

void declare_workload(CLI::App& bench_app, std::unique_ptr<Workload> workload, Session& session) {
  auto options = std::make_shared<BenchOptions>();
  options->workload = std::move(workload);
  const WorkloadText& text = options->workload->text();
  CLI::App* app = bench_app.add_subcommand(text.name, text.summary);
  options->workload->declare(*app, options->request);
  declare_common(*app, *options);
  app->footer(std::string("Example:\n") + text.example);
  app->callback([&session, options] { session.action = [&session, options] { return run_bench(*options, session); }; });
}

void declare_bench(CLI::App& app, Session& session) {
  for_each_workload(
      [&](const auto& each) { declare_workload(app, std::make_unique<std::decay_t<decltype(each)>>(each), session); });
  app.require_subcommand(1);
}

}  // namespace

Command bench_entry() {
  return {"bench", "Run verified benchmarks on CHARM and its peers",
          "  charm bench graph --scale 18 --report out.html\n  charm bench gups --scale 27\n  charm bench sgd --rows "
          "20000\n"
          "  charm bench factor --matrix laplace3d",
          declare_bench};
}

}  // namespace charm::cli
