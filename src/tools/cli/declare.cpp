// The command line as a whole; see command.hpp.
#include <algorithm>
#include <string>

#include "tools/cli/command.hpp"

namespace charm::cli {

void declare_all(CLI::App& app, Session& session, const std::string& only) {
  app.name("charm");
  app.description("CHARM knows which cores share a cache: see the machine, measure it, and place programs on it.");
  app.footer("Example:\n  charm topo\n'charm COMMAND --help' explains a command.");
  app.set_version_flag("--version", "charm " CHARM_VERSION);
  app.set_help_flag("-h,--help", "Print this help and exit");
  const bool one =
      std::any_of(commands().begin(), commands().end(), [&](const Command& command) { return command.name == only; });
  for (const Command& command : commands()) {
    // The others are not even known by name: a program that `run` starts may be called `top`.
    if (one && command.name != only) continue;
    CLI::App* sub = app.add_subcommand(command.name, command.summary);
    sub->footer(std::string("Example:\n") + command.example);
    command.declare(*sub, session);
    sub->group(command.group);  // now, since its own subcommands would have the heading, too
  }
}

}  // namespace charm::cli
