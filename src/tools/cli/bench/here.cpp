// `charm bench` in the program that has the runtimes: checks before the run, the run, and its results as table, JSON
// and report.
#include <charm/error.hpp>
#include <charm/graph_selector.hpp>
#include <charm/machine.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <ostream>
#include <tuple>

#include <fmt/format.h>

#include "base/notices.hpp"
#include "base/settings.hpp"
#include "binding/request.hpp"
#include "controller/controller.hpp"
#include "os/files/output_file.hpp"
#include "os/memory/memory.hpp"
#include "placement/bins.hpp"
#include "tools/cli/bench/bench_options.hpp"
#include "tools/cli/bench/host.hpp"
#include "tools/cli/bench/json.hpp"
#include "tools/cli/bench/run.hpp"
#include "tools/cli/bench/table.hpp"
#include "tools/cli/bench/versus.hpp"
#include "tools/cli/bench/workloads/all.hpp"
#include "tools/cli/report/page.hpp"
#include "tools/machine_view/svg.hpp"
#include "tools/os/machine_watch.hpp"
#include "topology/discovery.hpp"
#include "workloads/names.hpp"

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

template <class... W>
std::unique_ptr<WorkloadRun> run_of_any(const Workload& workload, const std::tuple<W...>& /*all*/) {
  std::unique_ptr<WorkloadRun> run;
  const auto try_one = [&run](const auto* found) {
    if (found != nullptr) run = run_of(*found);
  };
  (try_one(dynamic_cast<const W*>(&workload)), ...);
  return run;
}

std::unique_ptr<WorkloadRun> run_of_any(const Workload& workload) { return run_of_any(workload, Workloads()); }

Facts gather_facts(const Workload& workload, const Machine& machine, const base::Settings& settings) {
  Facts facts;
  facts.kernels = workload.kernels();
  facts.runtimes = workload.runtimes();
  facts.policies = known_policies();
  facts.memories = workloads::memory_names();
  facts.policy = settings.policy.substr(0, settings.policy.find(':'));
  facts.cores = placement::capacity(machine, settings.counts_siblings());
  facts.workers = binding::worker_count(machine, settings);
  facts.share_cores = settings.share_cores;
  facts.available_bytes = os::available_bytes();
  facts.needed_bytes = [nodes = nodes_with_cpus(machine)](const Workload& other, const BenchPlan& plan) {
    return run_of_any(other)->needed_bytes(plan, nodes);
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
  for (const auto& text : plan.policies) {
    const RowPolicy policy = row_policy(text);
    Config config;
    config.named = policy.settings;
    placement::Request request = binding::placement_request(policy.settings.empty() ? settings : base::resolve(config));
    request.workers = plan.workers;
    controller::placement_for(with_parameters(policy.name, settings.policy), machine, request);
  }
}

void check_file(const BenchPlan& plan, const char* wanted) {
  if (plan.file.empty()) return;
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

Report make_report(const Machine& machine, const Host& host, const BenchResult& outcome, const char* title,
                   const std::string& command) {
  Report report;
  report.title = title;
  report.command = command;
  report.host = host;
  report.outcome = outcome;
  for (const auto& placement : outcome.placements) {
    report.drawings.push_back({placement.policy, machine_view::svg(machine, placement.worker_cores)});
  }
  if (report.drawings.empty()) report.drawings.push_back({"", machine_view::svg(machine)});
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
  if (options.request.ranks) refuse("charm-bench runs one process", "start it by 'charm bench', which knows --ranks");
  const base::Settings settings = base::resolve({});
  const Machine machine = topology::discover(topology::source_of(settings));
  const Workload& workload = *options.workload;
  const BenchPlan plan = make_plan(workload, options.request, gather_facts(workload, machine, settings));
  try_policies(plan, machine, settings);
  check_file(plan, workload.text().file_format);
  try_schedules(plan);
  if (options.report) os::check_writable(*options.report);

  Progress progress(session.err, Progress::mode_for_stderr(options.output.quiet));
  const auto run = run_of_any(workload);
  const os::MachineWatch watch;
  BenchResult outcome = run_plan(plan, *run, run->config(settings), progress);
  outcome.disturbances = os::others_at_work(watch.so_far());
  add_notes(outcome, machine);

  Host host = describe_host(machine, settings);
  host.settings = settings_in_force(settings, options.request, plan);
  if (options.report) {
    os::write_whole(*options.report,
                    render_report(make_report(machine, host, outcome, workload.text().title, session.command_line)));
  }
  if (options.output.json) {
    session.out << results_json(host, outcome);
  } else {
    const bool colour = colour_on_stdout(options.output.colour);
    session.out << (outcome.profiles.empty() ? results_table(outcome, colour) : versus_table(outcome, colour));
    if (const std::string lines = peer_lines(outcome); !lines.empty()) session.out << '\n' << lines;
    for (const auto& text : outcome.disturbances) session.out << "\ndisturbed: " << text;
    if (!outcome.disturbances.empty())
      session.out << "\nCompare nothing by these figures: run it again on a quiet machine.\n";
    if (options.report) session.out << "\nreport: " << *options.report << '\n';
  }
  for (const auto& text : outcome.left_out) session.err << "charm: " << text << '\n';
  for (const auto& r : outcome.results) {
    if (!r.verified)
      session.err << fmt::format("charm: {} on {} gave a wrong answer: {}\n", r.kernel, r.runtime, r.detail);
  }
  return outcome.all_verified() ? exit_done : exit_failed;
}

}  // namespace charm::cli
