// The `charm` executable: parses, runs the chosen command, and turns whatever went wrong into one line on stderr and an
// exit code (docs/command-line.md). Nothing but this file decides exit codes of failures.
#include "cli/command.hpp"
#include "cli/failure.hpp"

#include <exception>
#include <iostream>

namespace {

int run(int argc, char** argv) {
  using namespace charm::cli;
  Session session{std::cout, std::cerr, {}};
  CLI::App app;
  declare_all(app, session);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help_or_version) {
    return app.exit(help_or_version, std::cout, std::cerr);
  } catch (const CLI::ParseError& error) {
    std::cerr << usage_line(app, error) << '\n';
    return exit_usage;
  }
  if (!session.action) {
    std::cerr << "charm: no command given; 'charm --help' lists the commands\n";
    return exit_usage;
  }
  const int code = session.action();
  std::cout.flush();
  if (!std::cout) {
    std::cerr << "charm: cannot write to standard output; is the disk full?\n";
    return exit_failed;
  }
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    const auto failure = charm::cli::judge(error);
    std::cerr << failure.line << '\n';
    return failure.exit_code;
  }
}
