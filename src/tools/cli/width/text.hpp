// What the search for a number of threads has found, in words and as JSON.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/bench/host.hpp"
#include "tools/width/scaling.hpp"
#include "tools/width/search.hpp"

namespace charm::cli {

/// The answer in a sentence or two.
std::string width_answer(const width::Advice& advice);
/// The laws of scaling that fit, a sentence each; empty where too few levels were run.
std::vector<std::string> law_sentences(const width::Advice& advice);
/// Whatever makes the answer doubtful.
std::vector<std::string> width_warnings(const width::Advice& advice);
/// The laws, fitted to the levels that the system placed.
std::optional<width::Laws> laws_of(const width::Advice& advice);
/// The time of the fewest threads that were tried, over the level's.
double speedup_of(const width::Advice& advice, const width::Tried& tried);
/// The levels, the most threads first.
std::vector<width::Tried> in_order(const width::Advice& advice);

/// For the terminal: the table with bars, the answer, and the command to use.
std::string width_text(const width::Advice& advice, bool colour);
std::string width_json(const Host& host, const width::Advice& advice);

}  // namespace charm::cli
