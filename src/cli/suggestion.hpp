// "Did you mean …?": the word that a mistyped one was probably meant to be.
#pragma once

#include <string>
#include <vector>

#include "cli/cli11.hpp"

namespace charm::cli {

/// The word of `known` that `word` is most like: one that begins with it, if that is one alone, or the one from which it
/// differs least, by at most a third of its characters (inserted, left out, replaced, or two neighbours exchanged).
/// Empty if there is none, or if several are equally near.
std::string suggestion(const std::string& word, const std::vector<std::string>& known);

/// The names that may stand where `word` stands in the command that was parsed innermost: options if it begins with a
/// dash, commands else.
std::vector<std::string> names_there(const CLI::App& app, const std::string& word);

}  // namespace charm::cli
