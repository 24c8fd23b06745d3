#include "tools/cli/sim/choices.hpp"

#include "tools/cli/options.hpp"
#include "tools/sim/generator.hpp"

namespace charm::cli {
namespace {

std::vector<std::string> machine_names() {
  return names_of(sim::models(), [](const auto& m) { return m.name; });
}
std::vector<std::string> workload_names() {
  return names_of(sim::generators(), [](const auto* g) { return g->name; });
}
std::vector<std::string> simulated_policies() {
  return names_of(sim::policies(), [](const auto& p) { return p.name; });
}

}  // namespace

void add_machines(CLI::App& app, SimChoices& choices) {
  not_empty(app.add_option(
      "--machine,--from", choices.machine,
      "Machines: products as 2x7713 ('charm topo --products' lists them), models' files, hwloc XML files or "
      "synthetic strings; all: each that has costs of its own [epyc-7713-2s]"));
}

void add_workloads(CLI::App& app, SimChoices& choices, const std::string& otherwise) {
  app.add_option("--workload", choices.workload,
                 "Workloads NAME[:parameter=value,...] of " + joined(workload_names()) +
                     "; in turn: bfs@10+sweep:mb=24@2; all" + (otherwise.empty() ? "" : " [" + otherwise + "]"));
}

void add_policies(CLI::App& app, SimChoices& choices) {
  app.add_option(
      "--policy", choices.policy,
      "Policies NAME[:parameter=value,...] of " + joined(simulated_policies()) + ", or a controller; all [charm]");
}

void add_workers(CLI::App& app, SimChoices& choices) {
  app.add_option("--workers", choices.workers,
                 "Numbers of workers: 64, or 8,16,32, or 8..128 [a core each, at most 64]");
}

void add_seed(CLI::App& app, SimChoices& choices) {
  app.add_option("--seed", choices.run.seed, "Seed of noise, sampling and stealing [1]");
}

void add_seconds(CLI::App& app, SimChoices& choices) {
  number_within(app.add_option("--seconds", choices.run.seconds, "Simulated seconds [60]"), 0.001, 1e6);
}

void add_adaptive_width(CLI::App& app, SimChoices& choices) {
  app.add_flag("--adaptive-width", choices.run.width, "The controller chooses how many workers run, too");
}

void add_conditions(CLI::App& app, SimChoices& choices) {
  sim::RunOptions& run = choices.run;
  number_within(app.add_option("--noise", run.noise, "Standard deviation of what counters show, relative [0]"), 0, 1);
  app.add_flag("!--no-counters", run.counters, "As on a machine without performance counters");
  add_seed(app, choices);
  choice_option(app, "--backend", run.backend, "How accesses are simulated [analytic]");
}

void add_jobs(CLI::App& app, SimChoices& choices) {
  whole_number(app.add_option("--jobs", choices.jobs, "Combinations computed at the same time [a cpu each]"), 1, 1024);
}

SimRequest request_of(const SimChoices& choices) {
  SimRequest request;
  request.machines = listed(choices.machine, machine_names());
  request.workloads = listed(choices.workload.empty() ? "all" : choices.workload, workload_names());
  request.policies = listed(choices.policy, simulated_policies());
  if (!choices.workers.empty()) request.workers = parse_workers(choices.workers);
  request.run = choices.run;
  request.jobs = choices.jobs;
  return request;
}

std::vector<std::string> listed(const std::string& text, const std::vector<std::string>& all) {
  return text == "all" ? all : sim::split_specs(text);
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

}  // namespace charm::cli
