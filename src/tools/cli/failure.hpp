// The message for a user when a command fails: always one line, "charm: what, where; remedy", and an exit
// code.
#pragma once

#include <exception>
#include <string>

#include "tools/cli/cli11.hpp"

namespace charm::cli {

struct Failure {
  std::string line;
  int exit_code;
};

/// The line and exit code for an exception that ended a command.
Failure judge(const std::exception& error);

/// The line for a command line that could not be parsed; it names the subcommand whose help has the remedy.
std::string usage_line(const CLI::App& app, const CLI::ParseError& error);

}  // namespace charm::cli
