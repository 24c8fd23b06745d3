// A command of the `charm` tool as a value: its name, its help text, and the function that declares its options. The
// registry (registry.cpp) lists all commands; help, completion and main know none by name. A new command is one file
// and one line.
#pragma once

#include <functional>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "tools/cli/cli11.hpp"

namespace charm::cli {

/// What the commands of one invocation share. All of a command's options are parsed first, and only then does
/// `action` run: a usage error can never come after work has begun.
struct Session {
  std::ostream& out;
  std::ostream& err;
  std::string command_line;     // as it was typed, for results that name the command that made them
  std::function<int()> action;  // set by the callback of the command that was asked for; returns the exit code
  // The words of the command line, for commands that start a program with some of them.
  std::vector<std::string> words = {};
  int failure_code = 1;  // exit code if an output cannot be written; not 1 for commands where 1 is an answer
};

struct Command {
  const char* name;
  const char* summary;
  const char* example;  // lines for the end of --help, each a command that works as printed
  void (*declare)(CLI::App& app, Session& session);
  const char* group = "";  // the heading of the help under which it stands
};

/// All commands, in the order in which help shows them.
std::span<const Command> commands();

/// The whole command line: every registered command with its options, ready to parse. Actions go to `session`.
/// \param only declare this command alone, if there is one of that name: declaring all takes a millisecond, and behind
/// the first command the names of the others are words as any.
void declare_all(CLI::App& app, Session& session, const std::string& only = "");

// The exit codes of every command.
inline constexpr int exit_done = 0;
inline constexpr int exit_failed = 1;  // the run went wrong: a wrong answer, or the system refused something
inline constexpr int exit_usage = 2;   // bad input, bad option, bad setting: nothing was run

}  // namespace charm::cli
