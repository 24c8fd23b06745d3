// How everything here becomes JSON: values are built with nlohmann-json and written by one function.
#pragma once

#include <exception>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace charm::base {

/// Members keep the order in which they were added. Whoever builds one includes <nlohmann/json.hpp>.
using Json = nlohmann::ordered_json;

/// Control characters are escaped, and bytes that are no UTF-8 (names of threads, paths) become U+FFFD.
/// \param indent blanks for each level; negative: all on one line.
std::string json_text(const Json& value, int indent = -1);

/// What is wrong with a JSON text, for its reader's user: what an exception of the library says, without its numbers
/// for programmers, in one line of printable text.
std::string json_problem(const std::exception& error);

}  // namespace charm::base
