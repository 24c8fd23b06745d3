// Parses the part of the command line after the dashes into the programs to compare.
#pragma once

#include <string>
#include <vector>

#include "tools/compare/outcome.hpp"

namespace charm::cli {

/// The words after the first "--" of a command line.
std::vector<std::string> after_dashes(const std::vector<std::string>& words);

/// The values of an option that may be given several times, exactly as they were typed (CLI11 takes "[x]" apart), from
/// the words before the first "--".
std::vector<std::string> typed_values(const std::vector<std::string>& words, const std::string& option);

/// One program or more, separated by "--", named A, B, C, …. \throws Error (bad_input)
std::vector<compare::Program> separate_programs(const std::vector<std::string>& words);

/// What is asked for each program.
struct PerProgram {
  std::vector<std::string> names;                    ///< none, or one for each program
  std::vector<std::string> prepare, setup, cleanup;  ///< none, one for all programs, or one for each
  std::vector<compare::Scan> scans;
};

/// The programs with their names and commands, each for every combination of the scanned parameters.
/// \throws Error (bad_input) if fewer than two remain, the numbers do not fit, a parameter is used nowhere, or two
/// programs would have one name.
std::vector<compare::Program> expanded(const std::vector<compare::Program>& programs, const PerProgram& asked);

/// One program under several policies: `tool` run --policy P -- words.
/// \param tool the path of this executable. \throws Error (bad_input)
std::vector<compare::Program> under_policies(const std::string& tool, const std::vector<std::string>& policies,
                                             const std::vector<std::string>& words);

/// Words as they can be pasted into a shell.
std::string as_shell_words(const std::vector<std::string>& words);

/// The same, shortened to `most` characters.
std::string shown_command(const compare::Program& program, std::size_t most);

}  // namespace charm::cli
