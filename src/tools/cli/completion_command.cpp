// `charm completion SHELL`: prints the shell's completion script.
#include <memory>
#include <ostream>

#include "tools/cli/commands.hpp"
#include "tools/cli/completion.hpp"
#include "tools/cli/options.hpp"

namespace charm::cli {
namespace {

void declare_completion(CLI::App& app, Session& session) {
  auto shell = std::make_shared<std::string>();
  one_of(app.add_option("shell", *shell, "The shell to complete for"), {"bash", "zsh", "fish"})->required();
  app.callback([&session, shell] {
    session.action = [&session, shell] {
      CLI::App whole;
      Session none{session.out, session.err, {}, {}};
      declare_all(whole, none);
      session.out << completion_script(*shell, completion_points(whole));
      return exit_done;
    };
  });
}

}  // namespace

Command completion_entry() {
  return {"completion", "Print a completion script for a shell", "  source <(charm completion bash)",
          declare_completion};
}

}  // namespace charm::cli
