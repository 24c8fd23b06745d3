// The registry of commands; see command.hpp.
#include <array>
#include <string>

#include "cli/command.hpp"
#include "cli/commands.hpp"

namespace charm::cli {

std::span<const Command> commands() {
  static const std::array<Command, 8> all = {topo_entry(),   probe_entry(),    bench_entry(),    sim_entry(),
                                             advise_entry(), counters_entry(), settings_entry(), completion_entry()};
  return all;
}

void declare_all(CLI::App& app, Session& session) {
  app.name("charm");
  app.description("CHARM, a chiplet-aware runtime: the machine, its settings, and verified benchmarks.");
  app.footer("Example:\n  charm topo\n'charm COMMAND --help' explains a command.");
  app.set_version_flag("--version", "charm " CHARM_VERSION);
  app.set_help_flag("-h,--help", "Print this help and exit");
  for (const Command& command : commands()) {
    CLI::App* sub = app.add_subcommand(command.name, command.summary);
    sub->footer(std::string("Example:\n") + command.example);
    command.declare(*sub, session);
  }
}

}  // namespace charm::cli
