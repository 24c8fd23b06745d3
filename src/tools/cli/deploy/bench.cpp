// `charm deploy bench`: becomes charm-deploy-bench (deploy_bench.py), which deploys real engines by `charm deploy up`.
#include <charm/error.hpp>

#include <cstdint>
#include <cstring>
#include <iostream>
#include <iterator>
#include <string>

#include <fmt/format.h>

#include "base/settings.hpp"
#include "os/files/output_file.hpp"
#include "os/processes/this_process.hpp"
#include "tools/cli/bench/elsewhere.hpp"
#include "tools/cli/bench/host.hpp"
#include "tools/cli/deploy/commands.hpp"
#include "tools/cli/deploy/modelled.hpp"
#include "tools/cli/report/deploy_page.hpp"
#include "tools/os/child.hpp"
#include "topology/discovery.hpp"

namespace charm::cli {

namespace {

/// The largest scale factor with published answers whose tables fit: Trino keeps them in its heaps, uncompressed,
/// beside the memory of queries.
std::string scale_by_memory(const DeployBenchOptions& options) {
  DeployRequest request;
  request.request.policy = deploy::Policy::wim;
  request.request.leave_cores = options.leave_cores;
  request.cpus = options.cpus;
  request.reserve = options.reserve;
  std::uint64_t bytes = 0;
  for (const deploy::Worker& worker : deploy_plan_of(request, {}).workers) bytes += worker.memory_bytes;
  constexpr std::uint64_t at_scale_1 = std::uint64_t{8} << 30U;
  return bytes >= at_scale_1 ? "1" : bytes >= at_scale_1 / 10 ? "0.1" : "0.01";
}

void write_page(const DeployBenchOptions& options) {
  const base::Settings settings = base::resolve({});
  const Machine machine = topology::discover(topology::source_of(settings));
  const std::string results(std::istreambuf_iterator<char>(std::cin), {});
  os::write_whole(options.report, deploy_page(results, describe_host(machine, settings), options.page_of));
}

}  // namespace

int deploy_bench(const DeployBenchOptions& options, Session& session) {
  if (!options.page_of.empty()) {
    write_page(options);
    return exit_done;
  }
  if (os::cannot_run("python3") != 0)
    throw Error(Errc::bad_input, "charm deploy bench needs python3, which is not on PATH", "install it");
  const std::string program = deploy_bench_program();
  std::vector<std::string> words = {program, "--charm", os::program_path()};
  const auto give = [&words](const char* name, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {name, value});
  };
  if (!options.recording.empty() && options.machines.empty())
    throw Error(Errc::bad_config, "--recording is for modelled machines", "give --machine 2x7763, or drop it");
  if (options.machines.empty()) {
    give("--engine", options.engines.empty() ? "spark,trino" : options.engines);
  } else {
    give("--engine", options.engines);
    give("--modelled", modelled_deployments(options));
  }
  give("--policy", options.policies);
  give("--query", options.queries);
  give("--scale", options.scale == "auto" ? scale_by_memory(options) : options.scale);
  give("--per-chiplet", std::to_string(options.per_chiplet));
  give("--trials", std::to_string(options.trials));
  give("--port", std::to_string(options.port));
  give("--patience", fmt::format("{:g}", options.patience_s));
  if (!options.report.empty()) os::check_writable(options.report);
  give("--report", options.report);
  give("--command", session.command_line);
  if (options.out.json) words.emplace_back("--json");
  words.emplace_back("--");
  give("--cpus", options.cpus);
  give("--reserve", options.reserve);
  if (options.leave_cores > 0) give("--leave-cores", std::to_string(options.leave_cores));
  const int error = os::become(program, words);
  throw Error(Errc::system, fmt::format("cannot run '{}': {}", program, std::strerror(error)),
              "install CHARM as a whole");
}

}  // namespace charm::cli
