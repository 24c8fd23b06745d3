// `charm help [COMMAND ...]`: prints the same as COMMAND --help; and the manual pages.
#include <charm/error.hpp>

#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>

#include "os/files/output_file.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/man_page.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/suggestion.hpp"

namespace charm::cli {
namespace {

struct HelpOptions {
  std::vector<std::string> words;
  bool man = false;
  std::optional<std::string> man_pages;
};

int help(const HelpOptions& options, Session& session) {
  CLI::App whole;
  Session unused{session.out, session.err, "", {}};
  declare_all(whole, unused);
  if (options.man_pages) {
    if (!std::filesystem::is_directory(*options.man_pages)) {
      throw Error(Errc::bad_input, "--man-pages: there is no folder '" + *options.man_pages + "'",
                  "make it with mkdir -p");
    }
    for (const auto& [name, text] : man_pages(whole, CHARM_VERSION))
      os::write_whole(*options.man_pages + "/" + name, text);
    return exit_done;
  }
  const CLI::App* app = &whole;
  std::string path = whole.get_name();
  std::string above;  // of the command that `app` is a part of
  for (const std::string& word : options.words) {
    const CLI::App* next = nullptr;
    for (const CLI::App* sub : app->get_subcommands([](const CLI::App*) { return true; })) {
      if (sub->get_name() == word) next = sub;
    }
    if (next == nullptr) {
      const std::string meant = suggestion(word, names_there(*app, word));
      throw Error(Errc::bad_input, "there is no command '" + path + " " + word + "'",
                  meant.empty() ? "'" + path + " --help' lists those that there are" : "did you mean " + meant + "?");
    }
    app = next;
    above = path;
    path += " " + word;
  }
  session.out << (options.man ? man_page(*app, path, CHARM_VERSION) : app->help(above));
  return exit_done;
}

void declare_help(CLI::App& app, Session& session) {
  auto options = std::make_shared<HelpOptions>();
  app.add_option("command", options->words, "The command to explain, as in: charm help bench graph")
      ->type_name("COMMAND");
  app.add_flag("--man", options->man, "Print the command's manual page, for man -l");
  file_path(
      app.add_option("--man-pages", options->man_pages, "Write the manual pages of all commands into this folder"));
  app.callback([&session, options] { session.action = [&session, options] { return help(*options, session); }; });
}

}  // namespace

Command help_entry() {
  return {"help", "Explain a command, as its --help does",
          "  charm help bench graph\n  charm help --man run | man -l -", declare_help};
}

}  // namespace charm::cli
