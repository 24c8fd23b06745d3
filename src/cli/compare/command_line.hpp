// Parses the part of the command line after the dashes into the programs to compare.
#pragma once

#include <string>
#include <vector>

#include "compare/outcome.hpp"

namespace charm::cli {

/// The words after the first "--" of a command line.
std::vector<std::string> after_dashes(const std::vector<std::string>& words);

/// Two programs, separated by "--". \throws Error (bad_input)
std::vector<compare::Program> two_programs(const std::vector<std::string>& words);

/// One program under several policies: `tool` run --policy P -- words.
/// \param tool the path of this executable. \throws Error (bad_input)
std::vector<compare::Program> under_policies(const std::string& tool, const std::vector<std::string>& policies,
                                             const std::vector<std::string>& words);

/// Words as they can be pasted into a shell.
std::string as_shell_words(const std::vector<std::string>& words);

/// The same, shortened to `most` characters.
std::string shown_command(const compare::Program& program, std::size_t most);

}  // namespace charm::cli
