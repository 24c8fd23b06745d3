// `charm sim`: runs workloads under policies on models of machines. Its subcommands judge the papers' figures and
// CHARM's controllers by the model, run recorded programs, and show what the model is made of.
#include <charm/error.hpp>

#include <memory>
#include <optional>
#include <ostream>

#include "os/files/output_file.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/sim/choices.hpp"
#include "tools/cli/sim/output.hpp"
#include "tools/cli/sim/record_factor.hpp"
#include "tools/cli/sim/record_graph.hpp"
#include "tools/cli/sim/subcommands.hpp"

namespace charm::cli {
namespace {

struct SimArguments : SimChoices {
  std::optional<std::string> report;
};

int simulate(const SimArguments& options, Session& session) {
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
    session.out << sim_table(results, colour_on_stdout(options.output.colour));
    if (options.report) session.out << "\nreport: " << *options.report << '\n';
  }
  return exit_done;
}

/// A subcommand whose one argument is a number.
void declare_record(CLI::App& sim, Session& session, const char* name, const char* summary, const char* help, int low,
                    int high, int (*print)(int, Session&)) {
  CLI::App* app = sim.add_subcommand(name, summary);
  auto size = std::make_shared<int>(0);
  whole_number(app->add_option("size", *size, help)->required(), low, high);
  app->callback(
      [&session, size, print] { session.action = [&session, size, print] { return print(*size, session); }; });
}

void declare_sim(CLI::App& app, Session& session) {
  auto options = std::make_shared<SimArguments>();
  add_machines(app, *options);
  add_workloads(app, *options, "");
  add_policies(app, *options);
  add_workers(app, *options);
  add_seconds(app, *options);
  number_within(app.add_option("--warm-up", options->run.warm_up, "Simulated seconds before the measurement [0]"), 0,
                1e6);
  add_conditions(app, *options);
  add_adaptive_width(app, *options);
  add_jobs(app, *options);
  file_path(app.add_option("--report,--html", options->report, "Write a self-contained HTML page with curves there"));
  add_output_options(app, options->output);
  declare_sim_judging(app, session);
  declare_sim_replay(app, session);
  declare_sim_scale_out(app, session);
  declare_sim_model(app, session);
  declare_record(app, session, "record-graph", "Print what the graph kernels touch, as the simulator reads it",
                 "Scale: 2^N vertices", 4, 24, print_graph_record);
  declare_record(app, session, "record-factor", "Print the tasks of factorisations, as the simulator reads them",
                 "Columns of the matrix, about", 1, 1000000, print_factor_record);
  app.callback([&app, &session, options] {
    if (app.get_subcommands().empty()) session.action = [&session, options] { return simulate(*options, session); };
  });
}

}  // namespace

Command sim_entry() {
  return {"sim", "Judge policies on a modelled machine",
          "  charm sim --machine 2x7713 --workload bfs --policy charm,ring,os --workers 8..128\n"
          "  charm sim reproduce charm-fig5",
          declare_sim};
}

}  // namespace charm::cli
