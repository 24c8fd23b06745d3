// The registry of commands; see command.hpp.
#include <algorithm>
#include <array>
#include <string>

#include "cli/command.hpp"
#include "cli/commands.hpp"

namespace charm::cli {

std::span<const Command> commands() {
  static const std::array all = {topo_entry(),    probe_entry(),    run_entry(),       attach_entry(), bench_entry(),
                                 compare_entry(), top_entry(),      sim_entry(),       advise_entry(), counters_entry(),
                                 malloc_entry(),  settings_entry(), completion_entry()};
  return all;
}

void declare_all(CLI::App& app, Session& session, const std::string& only) {
  app.name("charm");
  app.description("CHARM, a chiplet-aware runtime: the machine, its settings, and verified benchmarks.");
  app.footer("Example:\n  charm topo\n'charm COMMAND --help' explains a command.");
  app.set_version_flag("--version", "charm " CHARM_VERSION);
  app.set_help_flag("-h,--help", "Print this help and exit");
  const bool one =
      std::any_of(commands().begin(), commands().end(), [&](const Command& command) { return command.name == only; });
  for (const Command& command : commands()) {
    CLI::App* sub = app.add_subcommand(command.name, command.summary);
    sub->footer(std::string("Example:\n") + command.example);
    if (!one || command.name == only) command.declare(*sub, session);
  }
}

}  // namespace charm::cli
