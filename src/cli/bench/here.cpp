// `charm bench` in the program that has the runtimes: checks before the run, the run, and its results as table, JSON
// and report.
#include <charm/error.hpp>
#include <charm/graph_selector.hpp>
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
#include "cli/bench/versus.hpp"
#include "cli/report/page.hpp"
#include "controller/policy.hpp"
#include "drawing/svg.hpp"
#include "os/files/output_file.hpp"
#include "os/memory/memory.hpp"
#include "placement/bins.hpp"
#include "steering/request.hpp"
#include "topology/discovery.hpp"
#include "workloads/bench.hpp"
#include "workloads/factor/bench.hpp"
#include "workloads/factor/names.hpp"
#include "workloads/olap/names.hpp"
#include "workloads/oltp/bench.hpp"
#include "workloads/sgd/bench.hpp"
#include "workloads/streamcluster/bench.hpp"

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

std::vector<std::string> kernels_of(Workload workload) {
  switch (workload) {
    case Workload::factor:
      return workloads::factor_kernels();
    case Workload::gups:
      return {"gups"};
    case Workload::olap:
      return workloads::tpch_queries();
    case Workload::oltp:
      return workloads::oltp_kernels();
    case Workload::sgd:
      return workloads::sgd_kernels();
    case Workload::streamcluster:
      return {"streamcluster"};
    case Workload::graph:
      break;
  }
  return workloads::graph_kernels();
}

std::vector<std::string> runtimes_of(Workload workload) {
  if (workload == Workload::olap) return workloads::tpch_runtimes();
  if (workload == Workload::oltp) return workloads::oltp_runtimes();
  return workload == Workload::streamcluster ? workloads::streamcluster_runtimes() : workloads::runtimes();
}

std::string title_of(Workload workload) {
  switch (workload) {
    case Workload::factor:
      return "CHARM: matrix factorisations";
    case Workload::gups:
      return "CHARM: random memory access";
    case Workload::olap:
      return "CHARM: TPC-H on DuckDB";
    case Workload::oltp:
      return "CHARM: transactions";
    case Workload::sgd:
      return "CHARM: stochastic gradient descent";
    case Workload::streamcluster:
      return "CHARM: clustering of a stream";
    case Workload::graph:
      break;
  }
  return "CHARM: graph kernels";
}

/// What charm::init is told besides workers and policy: the tasks of databases need larger stacks than others.
Config config_for(Workload workload, const base::Settings& settings) {
  constexpr std::size_t for_engines = std::size_t{2} << 20U;
  Config config;
  const bool engine = workload == Workload::olap || workload == Workload::oltp;
  if (engine && settings.stack_bytes < for_engines) config.stack_bytes = for_engines;
  return config;
}

Facts gather_facts(const BenchRequest& request, const Machine& machine, const base::Settings& settings) {
  Facts facts;
  facts.kernels = kernels_of(request.workload);
  facts.runtimes = runtimes_of(request.workload);
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
  facts.factor_bytes = [](const FactorPlan& plan) { return workloads::factor_bytes({plan.matrix, plan.size, 1}); };
  facts.oltp_bytes = workloads::oltp_bytes;
  facts.streamcluster_bytes = [](const StreamclusterPlan& plan) {
    return workloads::point_bytes({plan.points, plan.dimensions, 1}, plan.chunk);
  };
  return facts;
}

/// A selector's model that cannot be read is refused before anything runs.
void try_schedules(const BenchPlan& plan) {
  for (const Measurement& row : plan.measurements)
    if (!row.schedule.empty()) GraphSelector::from(row.schedule);
}

/// What charm::init will decide, tried on paper: a policy that refuses the machine does so before anything runs.
void try_policies(const BenchPlan& plan, const Machine& machine, const base::Settings& settings) {
  placement::Request request = steering::placement_request(settings);
  request.workers = plan.workers;
  for (const auto& name : plan.policies) controller::placement_for(name, machine, request);
}

void check_file(const BenchPlan& plan) {
  if (plan.file.empty()) return;
  const char* wanted = plan.workload == Workload::sgd             ? "file in the format of LIBSVM"
                       : plan.workload == Workload::factor        ? "Matrix Market file"
                       : plan.workload == Workload::streamcluster ? "file of points"
                                                                  : "graph file: an edge list or Matrix Market";
  std::error_code error;
  if (std::filesystem::is_directory(plan.file, error)) {
    throw Error(Errc::bad_input, "--file: '" + plan.file + "' is a folder", fmt::format("give a {}", wanted));
  }
  if (!std::filesystem::exists(plan.file, error)) {
    throw Error(Errc::bad_input, "--file: there is no '" + plan.file + "'", fmt::format("give an existing {}", wanted));
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
  report.title = title_of(plan.workload);
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
  try_schedules(plan);
  if (options.report) os::check_writable(*options.report);

  Progress progress(session.err, Progress::mode_for_stderr(options.output.quiet));
  BenchResult outcome = run_plan(plan, config_for(plan.workload, settings), progress);
  add_notes(outcome, machine);

  Host host = describe_host(machine, settings);
  host.settings = settings_in_force(settings, options.request, plan);
  if (options.report) {
    os::write_whole(*options.report, render_report(make_report(machine, host, outcome, plan, session.command_line)));
  }
  if (options.output.json) {
    session.out << results_json(host, outcome);
  } else {
    const bool colour = colour_on_stdout(options.output.colour);
    session.out << (outcome.profiles.empty() ? results_table(outcome, colour) : versus_table(outcome, colour));
    if (options.report) session.out << "\nreport: " << *options.report << '\n';
  }
  for (const auto& r : outcome.results) {
    if (!r.verified)
      session.err << fmt::format("charm: {} on {} gave a wrong answer: {}\n", r.kernel, r.runtime, r.detail);
  }
  return outcome.all_verified() ? exit_done : exit_failed;
}

}  // namespace charm::cli
