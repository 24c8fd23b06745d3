// `charm sim`: runs a workload under one or more policies on a model of a machine; compares the papers' figures with
// the model, and the default controller with the best choice; runs recorded programs on other machines.
#include <charm/error.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <ostream>
#include <utility>

#include "controller/controller.hpp"
#include "os/files/bounded_file.hpp"
#include "os/files/output_file.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/console.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/sim/options.hpp"
#include "tools/cli/sim/output.hpp"
#include "tools/cli/sim/record_factor.hpp"
#include "tools/cli/sim/record_graph.hpp"
#include "tools/cli/sim/scale_out.hpp"
#include "tools/probe/profile.hpp"
#include "tools/sim/from_profile.hpp"
#include "tools/sim/generator.hpp"
#include "tools/sim/network/network.hpp"
#include "tools/sim/replay.hpp"

namespace charm::cli {
namespace {

struct SimArguments {
  OutputOptions output;
  std::string machine = "epyc-7713-2s", workload, policy = "charm", workers, reproduce, replay, show_machine,
              from_profile;
  std::optional<std::string> report;
  std::optional<int> record_graph, record_factor;
  std::string networks, machine_counts;
  int scale = 30;
  bool weak = false;
  std::optional<int> window;
  bool worst = false, regret = false, widths = false, assumptions = false;
  int jobs = 0;
  sim::RunOptions run;
};

template <class List, class Name>
std::vector<std::string> names_of(const List& list, Name&& name) {
  std::vector<std::string> names;
  for (const auto& entry : list) names.emplace_back(name(entry));
  return names;
}

std::vector<std::string> machine_names() {
  return names_of(sim::models(), [](const auto& m) { return m.name; });
}
std::vector<std::string> workload_names() {
  return names_of(sim::generators(), [](const auto* g) { return g->name; });
}
std::vector<std::string> simulated_policies() {
  return names_of(sim::policies(), [](const auto& p) { return p.name; });
}
std::vector<std::string> figure_names() {
  return names_of(evaluate::reproducible(), [](const auto* each) { return each->name; });
}

std::vector<std::string> listed(const std::string& text, const std::vector<std::string>& all) {
  return text == "all" ? all : sim::split_specs(text);
}

std::string text_of(const std::string& path) {
  os::BoundedText file = os::read_bounded(path, {.bytes = std::size_t{4} << 30U});
  if (!file.problem.empty()) throw Error(Errc::bad_input, "'" + path + "' " + file.problem, "give an existing file");
  return std::move(file.text);
}

SimRequest request_of(const SimArguments& options) {
  SimRequest request;
  request.machines = listed(options.machine, machine_names());
  request.workloads = listed(options.workload.empty() ? "all" : options.workload, workload_names());
  request.policies = listed(options.policy, simulated_policies());
  if (!options.workers.empty()) request.workers = parse_workers(options.workers);
  request.run = options.run;
  request.jobs = options.jobs;
  return request;
}

int reproduce(const SimArguments& options, Session& session, bool colour) {
  std::vector<evaluate::Reproduction> all;
  for (const auto& name : options.reproduce == "all" ? figure_names() : split_list(options.reproduce))
    all.push_back(evaluate::reproduce(*evaluate::chosen({name}).front()));
  session.out << (options.output.json ? reproduce_json(all) : reproduce_table(all, colour));
  return exit_done;
}

int worst(const SimArguments& options, Session& session, bool colour) {
  SimRequest request = request_of(options);
  request.run.warm_up = 180;
  const auto all =
      sim::compare_controller(request.machines, request.workloads, request.run, request.policies.front(), request.jobs);
  session.out << (options.output.json ? compare_json(all) : compare_table(all, colour));
  return exit_done;
}

int regret(const SimArguments& options, Session& session, bool colour) {
  const SimRequest request = request_of(options);
  std::vector<sim::Controlled> controllers;
  for (const auto& each : controller::policies())
    if (controller::moves(each.name)) controllers.push_back({std::string(each.name)});
  controllers.push_back({"adaptive", false});  // the others never move without counters
  const auto all =
      sim::regrets(request.machines, options.workload.empty() ? sim::regret_workloads() : request.workloads,
                   request.jobs, controllers);
  session.out << (options.output.json ? regret_json(all) : regret_table(all, colour));
  return exit_done;
}

int widths(const SimArguments& options, Session& session, bool colour) {
  const SimRequest request = request_of(options);
  if (request.workers.size() > 1)
    throw Error(Errc::bad_config, "--widths is about one number of workers", "give --workers one number, or none");
  if (options.policy != "charm")
    throw Error(Errc::bad_config, "--widths compares the default controller with all numbers of workers",
                "drop --policy, or run '" + options.policy + "' with --adaptive-width");
  const auto all = sim::widths(request.machines, options.workload.empty() ? sim::width_workloads() : request.workloads,
                               request.run, request.workers.empty() ? 0 : request.workers.front(), request.jobs);
  session.out << (options.output.json ? widths_json(all) : widths_table(all, colour));
  return exit_done;
}

int replay(const SimArguments& options, Session& session, bool colour) {
  const sim::TaskGraph graph = sim::parse_trace(text_of(options.replay), options.replay);
  const SimRequest request = request_of(options);
  std::vector<Replay> replays;
  const sim::Workload any = sim::workload("compute", 1);
  for (const auto& name : request.machines) {
    const sim::Model model = sim::model(name);
    auto workers = request.workers;
    if (workers.empty()) workers.push_back(std::min<int>(64, static_cast<int>(model.machine.cores.size())));
    for (const int count : workers) {
      for (const auto& policy : request.policies) {
        const sim::SimulationPlan plan = sim::plan_for(policy, model, any, count);
        sim::TaskOptions how;
        how.seed = options.run.seed;
        replays.push_back({model.name, policy, count, graph.tasks.size(),
                           sim::run_tasks(model, plan.placement.start(), graph, plan.stealing, how)});
      }
    }
  }
  session.out << (options.output.json ? replay_json(options.replay, replays) : replay_table(replays, colour));
  return exit_done;
}

std::vector<std::string> network_names() {
  return names_of(sim::networks(), [](const auto& n) { return n.name; });
}

int scale_out(const SimArguments& options, Session& session, bool colour) {
  ScaleOutRequest request;
  request.local = request_of(options);
  if (options.workload.empty()) request.local.workloads = {"gups", "bfs"};
  request.networks = listed(options.networks, network_names());
  request.machine_counts = parse_machine_counts(options.machine_counts.empty() ? "1..256" : options.machine_counts);
  request.scale = options.scale;
  request.weak = options.weak;
  request.window = options.window;
  session.out << scale_out_text(request, options.output.json, colour);
  return exit_done;
}

int simulate(const SimArguments& options, Session& session) {
  const bool colour = !options.output.json && colour_on_stdout(options.output.colour);
  if (options.record_graph) return print_graph_record(*options.record_graph, session);
  if (options.record_factor) return print_factor_record(*options.record_factor, session);
  if (!options.show_machine.empty()) {
    session.out << sim::model_json(sim::model(options.show_machine));
    return exit_done;
  }
  if (!options.from_profile.empty()) {
    session.out << sim::model_json(sim::model_of_profile(probe::load_profile(options.from_profile)));
    return exit_done;
  }
  if (!options.reproduce.empty()) return reproduce(options, session, colour);
  if (!options.replay.empty()) return replay(options, session, colour);
  if (options.worst) return worst(options, session, colour);
  if (options.regret) return regret(options, session, colour);
  if (options.widths) return widths(options, session, colour);
  if (options.assumptions) {
    session.out << (options.output.json ? assumptions_json(options.jobs) : assumptions_table(options.jobs, colour));
    return exit_done;
  }
  if (!options.networks.empty()) return scale_out(options, session, colour);
  if (!options.machine_counts.empty() || options.weak || options.window)
    throw Error(Errc::bad_config,
                std::string(options.weak     ? "--weak"
                            : options.window ? "--window"
                                             : "--machines") +
                    " is about several machines",
                "say how they are connected: --network infiniband-hdr, for example");
  if (options.workload.empty()) {
    throw Error(Errc::bad_config, "charm sim needs a --workload",
                "for example charm sim --workload bfs --policy charm,ring; 'all' takes every one");
  }
  if (options.report) os::check_writable(*options.report);
  const auto results = simulate(request_of(options));
  if (options.report) os::write_whole(*options.report, sim_page(results, session.command_line));
  if (options.output.json) {
    session.out << sim_json(results);
  } else {
    session.out << sim_table(results, colour);
    if (options.report) session.out << "\nreport: " << *options.report << '\n';
  }
  return exit_done;
}

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

void declare_sim(CLI::App& app, Session& session) {
  auto options = std::make_shared<SimArguments>();
  not_empty(app.add_option(
      "--machine,--from", options->machine,
      "Machines: products as 2x7713 ('charm topo --products' lists them), models' files, hwloc XML files or "
      "synthetic strings; all: each that has costs of its own [epyc-7713-2s]"));
  app.add_option(
      "--workload", options->workload,
      "Workloads NAME[:parameter=value,...] of " + join(workload_names()) + "; in turn: bfs@10+sweep:mb=24@2; all");
  app.add_option(
      "--policy", options->policy,
      "Policies NAME[:parameter=value,...] of " + join(simulated_policies()) + ", or a controller; all [charm]");
  app.add_option("--workers", options->workers,
                 "Numbers of workers: 64, or 8,16,32, or 8..128 [a core each, at most 64]");
  app.add_option("--network", options->networks,
                 "Several such machines, one rank each, over " + join(network_names()) + "; all");
  app.add_option("--machines", options->machine_counts, "Numbers of machines: 4,16,64 or 1..256 [1..256]");
  whole_number(app.add_option("--scale", options->scale, "With --network: 2^N words or vertices in all [30]"), 10, 48);
  app.add_flag("--weak", options->weak, "With --network: 2^N words or vertices on each machine");
  whole_number(app.add_option("--window", options->window,
                              "With --network: buffers on the way to a machine [two a worker, at least 8]"),
               1, 65536);
  number_within(app.add_option("--seconds", options->run.seconds, "Simulated seconds [60]"), 0.001, 1e6);
  number_within(app.add_option("--warm-up", options->run.warm_up, "Simulated seconds before the measurement [0]"), 0,
                1e6);
  number_within(app.add_option("--noise", options->run.noise, "Standard deviation of what counters show, relative [0]"),
                0, 1);
  app.add_flag("!--no-counters", options->run.counters, "As on a machine without performance counters");
  app.add_option("--seed", options->run.seed, "Seed of noise, sampling and stealing [1]");
  app.add_flag("--adaptive-width", options->run.width, "The controller chooses how many workers run, too");
  choice_option(app, "--backend", options->run.backend, "How accesses are simulated [analytic]");
  some_of(app.add_option("--reproduce", options->reproduce,
                         "Compare the papers' experiments with the model, claim by claim"),
          [] {
            auto names = figure_names();
            names.emplace_back("all");
            return names;
          }());
  app.add_flag("--worst", options->worst, "Compare the controller with the best level; the worst ten");
  app.add_flag("--regret", options->regret, "Compare levels that are chosen without knowing the program with the best");
  app.add_flag("--widths", options->widths, "How many workers are best, and how many width=adaptive lets run");
  app.add_flag("--assumptions", options->assumptions,
               "What the model assumes, and what the figures say when it is wrong");
  file_path(app.add_option("--replay", options->replay, "Run the task graph of a CHARM_TRACE file"));
  not_empty(app.add_option("--show-machine", options->show_machine,
                           "Print the model of a machine, as --machine takes it, with the source of each number"));
  file_path(app.add_option("--from-profile", options->from_profile, "Print a model made of what charm probe measured"));
  whole_number(app.add_option("--record-graph", options->record_graph, "Print what the graph kernels touch at scale N"),
               4, 24);
  whole_number(app.add_option("--record-factor", options->record_factor,
                              "Print the tasks of the factorisations of a matrix of about N columns"),
               1, 1000000);
  whole_number(app.add_option("--jobs", options->jobs, "Combinations computed at the same time [a cpu each]"), 1, 1024);
  file_path(app.add_option("--report,--html", options->report, "Write a self-contained HTML page with curves there"));
  add_output_options(app, options->output);
  app.callback([&session, options] { session.action = [&session, options] { return simulate(*options, session); }; });
}

}  // namespace

Command sim_entry() {
  return {"sim", "Judge policies on a modelled machine",
          "  charm sim --machine 2x7713 --workload bfs --policy charm,ring,os --workers 8..128\n"
          "  charm sim --reproduce charm-fig5",
          declare_sim};
}

}  // namespace charm::cli
