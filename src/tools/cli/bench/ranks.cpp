#include "tools/cli/bench/ranks.hpp"

#include <charm/error.hpp>

#include <algorithm>

#include <fmt/format.h>

#include "tools/cli/bench/workloads/graph_options.hpp"
#include "tools/cli/bench/workloads/sgd_options.hpp"
#include "workloads/names.hpp"

namespace charm::cli {

bool runs_on_ranks(const BenchOptions& options, const remote::Launch& launch) {
  return options.workload->text().on_ranks &&
         (options.request.ranks.has_value() || launch.ranks > 1 || launch.only_mpi_knows);
}

void check_ranks(const BenchOptions& options, const remote::Launch& launch) {
  const BenchRequest& request = options.request;
  if (request.ranks && launch.ranks > 1 && *request.ranks != launch.ranks) {
    refuse(fmt::format("--ranks asks for {}, and {} processes were started ({})", *request.ranks, launch.ranks,
                       launch.name),
           "drop --ranks under mpirun, or mpirun");
  }
  for (const auto& runtime : request.runtimes) {
    if (runtime != "charm")
      refuse(fmt::format("--runtime: '{}' does not run on several ranks", runtime), "drop --runtime, or --ranks");
  }
  if (request.policies.size() > 1)
    refuse("--policy: ranks run with one policy, and several are given", "give one policy");
  if (request.memory)
    refuse("--memory places the arrays of one process, not those of ranks", "drop --memory, or --ranks");
  if (!request.peers.empty())
    refuse("--peer: what you have built runs beside one process, not beside ranks", "drop --peer, or --ranks");
  if (request.trial_seconds) refuse("--trial-seconds: a trial of ranks is one run", "drop --trial-seconds, or --ranks");
  if (options.report)
    refuse("--report draws the workers of one process, not those of ranks", "take --json, or drop --ranks");
  const auto* graph = dynamic_cast<const GraphWorkload*>(options.workload.get());
  if (request.file || (graph != nullptr && graph->undirected))
    refuse("--file: ranks generate their input and load none", "drop --file, or --ranks");
  if (graph != nullptr && graph->kind_or_default() != "kronecker")
    refuse(
        fmt::format("--graph: ranks generate Kronecker graphs alone, and none of kind '{}'", graph->kind_or_default()),
        "drop --graph, or --ranks");
  if (graph != nullptr && (graph->order != "given" || graph->source || graph->output))
    refuse("--order, --source and --output are for the graph of one process", "drop them, or --ranks");
  std::vector<std::string> known;
  if (graph != nullptr)
    known.assign(workloads::rank_graph_kernel_names.begin(), workloads::rank_graph_kernel_names.end());
  if (dynamic_cast<const SgdWorkload*>(options.workload.get()) != nullptr)
    known.assign(workloads::rank_sgd_kernel_names.begin(), workloads::rank_sgd_kernel_names.end());
  for (const auto& kernel : request.kernels) {
    if (!known.empty() && std::find(known.begin(), known.end(), kernel) == known.end())
      refuse(fmt::format("--kernel: '{}' does not run on several ranks", kernel),
             fmt::format("take one of {}, or drop --ranks", fmt::join(known, ", ")));
  }
}

std::vector<std::string> rank_command(const BenchOptions& options, const remote::Launch& launch,
                                      const std::string& program, const std::vector<std::string>& words,
                                      const std::string& mpirun, bool colour) {
  std::vector<std::string> command;
  const int ranks = options.request.ranks.value_or(1);
  bool by_mpirun = false;
  if (ranks > 1 || launch.ranks > 1) {
    if (mpirun.empty()) {
      throw Error(Errc::refused,
                  fmt::format("{} ranks need MPI, and this build of CHARM is without", std::max(ranks, launch.ranks)),
                  "install an MPI library (scripts/setup mpi) and build CHARM again, or take --ranks 1");
    }
    by_mpirun = launch.ranks == 1 && !launch.only_mpi_knows;
    if (by_mpirun) command = {mpirun, "-n", std::to_string(ranks)};
  }
  command.push_back(program);
  if (words.size() > 1) command.insert(command.end(), words.begin() + 1, words.end());
  // The ranks of Open MPI write to a terminal of mpirun, wherever that writes to.
  if (by_mpirun && options.output.colour == Colour::automatic)
    command.insert(command.end(), {"--color", colour ? "always" : "never"});
  return command;
}

}  // namespace charm::cli
