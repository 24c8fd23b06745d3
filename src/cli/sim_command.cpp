// `charm sim`: a workload under one or more policies on a machine that need not be here.
#include <charm/error.hpp>

#include <fstream>
#include <memory>
#include <ostream>

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/options.hpp"
#include "cli/sim/options.hpp"
#include "cli/sim/output.hpp"
#include "cli/sim/record_graph.hpp"
#include "sim/generator.hpp"
#include "sim/model.hpp"
#include "sim/spec.hpp"

namespace charm::cli {
namespace {

struct Options {
  OutputOptions output;
  std::string machine = "epyc-7713-2s", workload, policy = "charm", workers, backend = "analytic";
  std::optional<int> record_graph;
  sim::RunOptions run;
};

std::vector<std::string> machine_names() {
  std::vector<std::string> names;
  for (const auto& model : sim::models()) names.push_back(model.name);
  return names;
}

std::vector<std::string> workload_names() {
  std::vector<std::string> names;
  for (const auto* generator : sim::generators()) names.emplace_back(generator->name);
  return names;
}

std::vector<std::string> policy_names() {
  std::vector<std::string> names;
  for (const auto& policy : sim::policies()) names.emplace_back(policy.name);
  return names;
}

std::vector<std::string> listed(const std::string& text, const std::vector<std::string>& all) {
  return text == "all" ? all : sim::split_specs(text);
}

int simulate(Options& options, Session& session) {
  if (options.record_graph) {
    session.out << sim::graph_record_json(record_graph(*options.record_graph));
    return exit_done;
  }
  if (options.workload.empty()) {
    throw Error(Errc::bad_config, "charm sim needs a --workload", "for example charm sim --workload bfs --policy charm,ring");
  }
  SimRequest request;
  request.machines = listed(options.machine, machine_names());
  request.workloads = listed(options.workload, workload_names());
  request.policies = listed(options.policy, policy_names());
  if (!options.workers.empty()) request.workers = parse_workers(options.workers);
  request.run = options.run;
  request.run.backend = options.backend == "lines" ? sim::Backend::lines : sim::Backend::analytic;
  const auto results = simulate(request);
  if (options.output.json) {
    session.out << sim_json(results);
  } else {
    session.out << sim_table(results, colour_on_stdout(colour_choice(options.output.colour)));
  }
  return exit_done;
}

void declare(CLI::App& app, Session& session) {
  auto options = std::make_shared<Options>();
  app.add_option("--machine", options->machine, "Machine model, hwloc XML file or synthetic string [epyc-7713-2s]");
  app.add_option("--workload", options->workload, "Workload NAME[:parameter=value,...], or several in turn: bfs@10+sweep@2");
  app.add_option("--policy", options->policy, "Policies NAME[:parameter=value,...], separated by commas [charm]");
  app.add_option("--workers", options->workers, "Numbers of workers: 64, or 8,16,32, or 8..128 [a core each, at most 64]");
  app.add_option("--seconds", options->run.seconds, "Simulated seconds [60]")->check(CLI::Range(0.001, 1e6));
  app.add_option("--noise", options->run.noise, "Standard deviation of what counters show, relative [0]")->check(CLI::Range(0.0, 1.0));
  app.add_flag("!--no-counters", options->run.counters, "As on a machine without performance counters");
  app.add_option("--seed", options->run.seed, "Seed of noise and sampling [1]");
  one_of(app.add_option("--backend", options->backend, "How accesses are judged [analytic]"), {"analytic", "lines"});
  whole_number(app.add_option("--record-graph", options->record_graph, "Print what the graph kernels touch at scale N, and end"), 4, 24);
  add_output_options(app, options->output);
  app.callback([&session, options] { session.action = [&session, options] { return simulate(*options, session); }; });
}

}  // namespace

Command sim_entry() {
  return {"sim", "Judge policies on a modelled machine",
          "  charm sim --machine 2x7713 --workload bfs --policy charm,ring,os --workers 8..128", declare};
}

}  // namespace charm::cli
