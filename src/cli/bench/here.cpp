// `charm bench` in the program that has the runtimes: checks before the run, the run, and its results as table, JSON
// and report.
#include <charm/error.hpp>
#include <charm/machine.hpp>

#include <algorithm>
#include <filesystem>
#include <ostream>

#include <fmt/format.h>

#include "base/notices.hpp"
#include "base/settings.hpp"
#include "cli/bench/bench.hpp"
#include "cli/bench/host.hpp"
#include "cli/bench/json.hpp"
#include "cli/bench/run.hpp"
#include "cli/bench/table.hpp"
#include "cli/report/page.hpp"
#include "controller/policy.hpp"
#include "drawing/svg.hpp"
#include "os/files/output_file.hpp"
#include "os/memory/memory.hpp"
#include "placement/bins.hpp"
#include "steering/request.hpp"
#include "topology/discovery.hpp"
#include "workloads/bench.hpp"
#include "workloads/sgd/bench.hpp"

namespace charm::cli {
namespace {

std::vector<std::string> known_policies() {
  std::vector<std::string> names;
  for (const auto name : controller::policy_names()) names.emplace_back(name);
  return names;
}

int nodes_with_cpus(const Machine& machine) {
  return static_cast<int>(
      std::count_if(machine.nodes.begin(), machine.nodes.end(), [](const Node& node) { return !node.cpus.empty(); }));
}

Facts gather_facts(const BenchRequest& request, const Machine& machine, const base::Settings& settings) {
  Facts facts;
  facts.kernels = request.workload == Workload::gups  ? std::vector<std::string>{"gups"}
                  : request.workload == Workload::sgd ? workloads::sgd_kernels()
                                                      : workloads::graph_kernels();
  facts.runtimes = workloads::runtimes();
  facts.policies = known_policies();
  facts.memories = workloads::memory_names();
  facts.policy = settings.policy.substr(0, settings.policy.find(':'));
  facts.cores = placement::capacity(machine, settings.smt);
  facts.workers = steering::worker_count(machine, settings);
  facts.share_cores = settings.share_cores;
  facts.available_bytes = os::available_bytes();
  facts.needed_bytes = [memory = request.memory, nodes = nodes_with_cpus(machine)](Workload workload, int scale) {
    if (workload == Workload::gups) return workloads::gups_bytes(scale);
    workloads::GenerateOptions options;
    options.scale = scale;
    return workloads::generated_bytes(options, workloads::memory_named(memory.value_or("partitioned")), nodes);
  };
  facts.sgd_bytes = [](const SgdPlan& sgd, int workers) {
    return workloads::sgd_bytes({sgd.rows, sgd.features, sgd.density, 1}, workers);
  };
  return facts;
}

/// What charm::init will decide, tried on paper: a policy that refuses the machine does so before anything runs.
void try_policies(const BenchPlan& plan, const Machine& machine, const base::Settings& settings) {
  placement::Request request = steering::placement_request(settings);
  request.workers = plan.workers;
  for (const auto& name : plan.policies) controller::placement_for(name, machine, request);
}

void check_file(const BenchPlan& plan) {
  if (plan.file.empty()) return;
  const bool samples = plan.workload == Workload::sgd;
  std::error_code error;
  if (std::filesystem::is_directory(plan.file, error)) {
    throw Error(Errc::bad_input, "--file: '" + plan.file + "' is a folder",
                samples ? "give a file in the format of LIBSVM" : "give a graph file: an edge list or Matrix Market");
  }
  if (!std::filesystem::exists(plan.file, error)) {
    throw Error(
        Errc::bad_input, "--file: there is no '" + plan.file + "'",
        samples ? "give an existing file in the format of LIBSVM" : "give an existing edge list or Matrix Market file");
  }
}

/// Settings as the run used them: what the command line decided is said to come from there.
std::vector<base::Settings::Origin> settings_in_force(const base::Settings& settings, const BenchRequest& request,
                                                      const BenchPlan& plan) {
  auto origins = settings.origins;
  for (auto& origin : origins) {
    if (origin.name == "workers" && request.workers) {
      origin.value = std::to_string(plan.workers);
      origin.from = "--workers";
    } else if (origin.name == "policy" && !request.policies.empty()) {
      origin.value = fmt::format("{}", fmt::join(plan.policies, ","));
      origin.from = "--policy";
    }
  }
  return origins;
}

Report make_report(const Machine& machine, const Host& host, const BenchResult& outcome, const BenchPlan& plan,
                   const std::string& command) {
  Report report;
  report.title = plan.workload == Workload::gups  ? "CHARM: random memory access"
                 : plan.workload == Workload::sgd ? "CHARM: stochastic gradient descent"
                                                  : "CHARM: graph kernels";
  report.command = command;
  report.host = host;
  report.outcome = outcome;
  for (const auto& placement : outcome.placements) {
    report.drawings.push_back({placement.policy, drawing::svg(machine, placement.worker_cores)});
  }
  if (report.drawings.empty()) report.drawings.push_back({"", drawing::svg(machine)});
  return report;
}

void add_notes(BenchResult& outcome, const Machine& machine) {
  auto add = [&](const std::string& text) {
    if (std::find(outcome.notes.begin(), outcome.notes.end(), text) == outcome.notes.end())
      outcome.notes.push_back(text);
  };
  if (!machine.is_live()) {
    add("The machine is the one of " + machine.origin + ", not this one: workers are placed on paper and not bound.");
  }
  for (const auto& note : machine.notes) add(note);
  for (const auto& note : base::notices()) add(note);
}

}  // namespace

int run_bench(const BenchOptions& options, Session& session) {
  const base::Settings settings = base::resolve({});
  const Machine machine = topology::discover(settings.topology, settings.profile);
  const BenchPlan plan = make_plan(options.request, gather_facts(options.request, machine, settings));
  try_policies(plan, machine, settings);
  check_file(plan);
  if (options.report) os::check_writable(*options.report);

  Progress progress(session.err, Progress::mode_for_stderr(options.output.quiet));
  BenchResult outcome = run_plan(plan, {}, progress);
  add_notes(outcome, machine);

  Host host = describe_host(machine, settings);
  host.settings = settings_in_force(settings, options.request, plan);
  if (options.report) {
    os::write_whole(*options.report, render_report(make_report(machine, host, outcome, plan, session.command_line)));
  }
  if (options.output.json) {
    session.out << results_json(host, outcome);
  } else {
    session.out << results_table(outcome, colour_on_stdout(options.output.colour));
    if (options.report) session.out << "\nreport: " << *options.report << '\n';
  }
  for (const auto& r : outcome.results) {
    if (!r.verified)
      session.err << fmt::format("charm: {} on {} gave a wrong answer: {}\n", r.kernel, r.runtime, r.detail);
  }
  return outcome.all_verified() ? exit_done : exit_failed;
}

}  // namespace charm::cli
