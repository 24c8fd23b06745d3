// `charm sim replay`: a program's task graph, recorded by CHARM_TRACE, on other machines.
#include "tools/sim/replay.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <memory>
#include <ostream>

#include "os/files/bounded_file.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/sim/choices.hpp"
#include "tools/cli/sim/output.hpp"
#include "tools/cli/sim/subcommands.hpp"
#include "tools/sim/generator.hpp"

namespace charm::cli {
namespace {

std::string text_of(const std::string& path) {
  os::BoundedText file = os::read_bounded(path, {.bytes = std::size_t{4} << 30U});
  if (!file.problem.empty()) throw Error(Errc::bad_input, "'" + path + "' " + file.problem, "give an existing file");
  return std::move(file.text);
}

int replay(const std::string& path, const SimChoices& choices, Session& session) {
  const sim::TaskGraph graph = sim::parse_trace(text_of(path), path);
  const SimRequest request = request_of(choices);
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
        how.seed = choices.run.seed;
        replays.push_back({model.name, policy, count, graph.tasks.size(),
                           sim::run_tasks(model, plan.placement.start(), graph, plan.stealing, how)});
      }
    }
  }
  session.out << (choices.output.json ? replay_json(path, replays)
                                      : replay_table(replays, colour_on_stdout(choices.output.colour)));
  return exit_done;
}

}  // namespace

void declare_sim_replay(CLI::App& sim, Session& session) {
  CLI::App* app = sim.add_subcommand("replay", "Run the task graph of a CHARM_TRACE file");
  auto path = std::make_shared<std::string>();
  auto choices = std::make_shared<SimChoices>();
  file_path(app->add_option("trace", *path, "A file of CHARM_TRACE")->required());
  add_machines(*app, *choices);
  add_policies(*app, *choices);
  add_workers(*app, *choices);
  add_seed(*app, *choices);
  add_output_options(*app, choices->output);
  app->callback([&session, path, choices] {
    session.action = [&session, path, choices] { return replay(*path, *choices, session); };
  });
}

}  // namespace charm::cli
