// "Did you mean …?": the word that a mistyped one was probably meant to be.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/cli11.hpp"

namespace charm::cli {

/// The words of `known` that `word` is most like, three at most, as "topo or top": those that begin with it, or else
/// those from which it differs least, by at most a third of its characters (inserted, left out, replaced, or two
/// neighbours exchanged). Empty if there are none, or too many.
std::string suggestion(const std::string& word, const std::vector<std::string>& known);

/// The names that may stand where `word` stands in the command that was parsed innermost: options if it begins with a
/// dash, commands else.
std::vector<std::string> names_there(const CLI::App& app, const std::string& word);

}  // namespace charm::cli
