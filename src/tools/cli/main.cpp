// The `charm` executable: parses the command line, runs the chosen command, and turns any failure into one line on
// stderr and an exit code (docs/command-line.md). Only this file decides exit codes of failures.
#include <charm/error.hpp>

#include <algorithm>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "base/mistyped.hpp"
#include "tools/cli/command.hpp"
#include "tools/cli/failure.hpp"
#include "tools/os/standard_streams.hpp"

namespace {

/// The command line as it can be pasted into a shell again; the program by its name, wherever it lies.
std::string as_typed(int argc, char** argv) {
  std::string line = "charm";
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool plain = !word.empty() && word.find_first_of(" \t\n'\"\\$&|;<>()*?[]#~`!{}") == std::string::npos;
    std::string quoted;
    for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += plain ? " " + word : " '" + quoted + "'";
  }
  return line;
}

/// The words as the parser takes them, the last one first. Behind `help` stand names of commands, which are arguments
/// there and no commands.
std::vector<std::string> parsed_words(std::vector<std::string> words) {
  if (!words.empty()) words.erase(words.begin());
  if (!words.empty() && words.front() == "help") {
    if (std::erase(words, "--man") > 0) words.insert(words.begin() + 1, "--man");
    const auto is_name = [](const std::string& word) { return !word.starts_with("-"); };
    const auto first = std::find_if(words.begin() + 1, words.end(), is_name);
    if (first != words.end() && *(first - 1) != "--man-pages") words.insert(first, "--");
  }
  std::reverse(words.begin(), words.end());
  return words;
}

/// An option in front of a subcommand's name would be read and do nothing.
void refuse_misplaced_options(const CLI::App& app) {
  for (const CLI::App* sub : app.get_subcommands()) {
    for (const CLI::Option* option : app.get_options()) {
      if (option->count() == 0 || option->get_positional()) continue;
      throw charm::Error(
          charm::Errc::bad_config, option->get_name() + " stands in front of '" + sub->get_name() + "'",
          "write it behind that name, if 'charm help " + app.get_name() + " " + sub->get_name() + "' lists it");
    }
    refuse_misplaced_options(*sub);
  }
}

int run(int argc, char** argv) {
  using namespace charm::cli;
  Session session{std::cout, std::cerr, as_typed(argc, argv), {}, std::vector<std::string>(argv, argv + argc)};
  // Never taken apart: the process ends next, and giving back a thousand small blocks would take longer than that.
  static CLI::App& app = *new CLI::App;
  declare_all(app, session, argc > 1 ? argv[1] : "");
  try {
    app.parse(parsed_words(session.words));
  } catch (const CLI::Success& help_or_version) {
    return app.exit(help_or_version, std::cout, std::cerr);
  } catch (const CLI::ParseError& error) {
    std::cerr << usage_line(app, error) << '\n';
    return exit_usage;
  }
  refuse_misplaced_options(app);
  if (!session.action) {
    std::cerr << "charm: no command given; 'charm --help' lists the commands\n";
    return exit_usage;
  }
  charm::base::report_mistyped_variables();
  const int code = session.action();
  std::cout.flush();
  if (!std::cout) {
    std::cerr << "charm: cannot write to standard output; is the disk full?\n";
    return session.failure_code;
  }
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  charm::os::hold_closed_streams();
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    const auto failure = charm::cli::judge(error);
    std::cerr << failure.line << '\n';
    return failure.exit_code;
  }
}
