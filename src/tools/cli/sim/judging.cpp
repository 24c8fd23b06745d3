// `charm sim reproduce`, `worst`, `regret`, `widths` and `assumptions`: the papers' figures and CHARM's controllers,
// judged by the model.
#include <charm/error.hpp>

#include <memory>
#include <ostream>
#include <utility>

#include "controller/controller.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/sim/choices.hpp"
#include "tools/cli/sim/output.hpp"
#include "tools/cli/sim/subcommands.hpp"

namespace charm::cli {
namespace {

bool colour_of(const OutputOptions& output) { return !output.json && colour_on_stdout(output.colour); }

/// Declares a subcommand that prints `text(choices)`. \param declare adds its options.
template <class Declare, class Text>
void declare_judge(CLI::App& sim, Session& session, const char* name, const char* summary, const Declare& declare,
                   Text text) {
  CLI::App* app = sim.add_subcommand(name, summary);
  auto choices = std::make_shared<SimChoices>();
  declare(*app, *choices);
  add_output_options(*app, choices->output);
  app->callback([&session, choices, text = std::move(text)] {
    session.action = [&session, choices, text] {
      session.out << text(*choices);
      return exit_done;
    };
  });
}

std::vector<std::string> experiment_names() {
  return names_of(evaluate::reproducible(), [](const auto* each) { return each->name; });
}

std::string reproduced(const std::vector<std::string>& lists, const OutputOptions& output) {
  std::vector<std::string> names;
  for (const auto& list : lists)
    for (const auto& name : list == "all" ? experiment_names() : split_list(list)) names.push_back(name);
  std::vector<evaluate::Reproduction> all;
  for (const auto& name : names.empty() ? experiment_names() : names)
    all.push_back(evaluate::reproduce(*evaluate::chosen({name}).front()));
  return output.json ? reproduce_json(all) : reproduce_table(all, colour_of(output));
}

std::string worst(const SimChoices& choices) {
  SimRequest request = request_of(choices);
  if (request.policies.size() != 1)
    throw Error(Errc::bad_config, "charm sim worst judges one policy, and --policy '" + choices.policy + "' is several",
                "run it once for each");
  request.run.warm_up = 180;
  const auto all =
      sim::compare_controller(request.machines, request.workloads, request.run, request.policies.front(), request.jobs);
  return choices.output.json ? compare_json(all) : compare_table(all, colour_of(choices.output));
}

std::string regret(const SimChoices& choices) {
  const SimRequest request = request_of(choices);
  std::vector<sim::Controlled> controllers;
  for (const auto& each : controller::policies())
    if (controller::moves(each.name)) controllers.push_back({std::string(each.name)});
  controllers.push_back({"adaptive", false});  // the others never move without counters
  const auto all =
      sim::regrets(request.machines, choices.workload.empty() ? sim::regret_workloads() : request.workloads,
                   request.jobs, controllers);
  return choices.output.json ? regret_json(all) : regret_table(all, colour_of(choices.output));
}

std::string widths(const SimChoices& choices, int workers) {
  const SimRequest request = request_of(choices);
  const auto all = sim::widths(request.machines, choices.workload.empty() ? sim::width_workloads() : request.workloads,
                               request.run, workers, request.jobs);
  return choices.output.json ? widths_json(all) : widths_table(all, colour_of(choices.output));
}

std::string assumptions(const SimChoices& choices) {
  return choices.output.json ? assumptions_json(choices.jobs)
                             : assumptions_table(choices.jobs, colour_of(choices.output));
}

}  // namespace

void declare_sim_judging(CLI::App& sim, Session& session) {
  auto names = std::make_shared<std::vector<std::string>>();
  declare_judge(
      sim, session, "reproduce", "Compare the papers' experiments with the model, claim by claim",
      [&](CLI::App& app, SimChoices&) {
        auto words = experiment_names();
        words.emplace_back("all");
        some_of(app.add_option("experiments", *names, "Experiments to compare [all]"), words);
      },
      [names](const SimChoices& choices) { return reproduced(*names, choices.output); });
  declare_judge(
      sim, session, "worst", "Compare the controller with the best level; the worst ten",
      [](CLI::App& app, SimChoices& choices) {
        add_machines(app, choices);
        add_workloads(app, choices, "all");
        add_policies(app, choices);
        add_seconds(app, choices);
        add_conditions(app, choices);
        add_adaptive_width(app, choices);
        add_jobs(app, choices);
      },
      worst);
  declare_judge(
      sim, session, "regret", "Compare levels that are chosen without knowing the program with the best",
      [](CLI::App& app, SimChoices& choices) {
        add_machines(app, choices);
        add_workloads(app, choices, "a set of them");
        add_jobs(app, choices);
      },
      regret);
  auto workers = std::make_shared<int>(0);
  declare_judge(
      sim, session, "widths", "How many workers are best, and how many width=adaptive lets run",
      [&](CLI::App& app, SimChoices& choices) {
        add_machines(app, choices);
        add_workloads(app, choices, "a set of them");
        whole_number(app.add_option("--workers", *workers, "Most workers [a core each]"), 1, 65536);
        add_conditions(app, choices);
        add_jobs(app, choices);
      },
      [workers](const SimChoices& choices) { return widths(choices, *workers); });
  declare_judge(sim, session, "assumptions", "What the model assumes, and what the figures say when it is wrong",
                add_jobs, assumptions);
}

}  // namespace charm::cli
