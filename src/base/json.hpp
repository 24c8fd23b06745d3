// How everything here becomes JSON: values are built with nlohmann-json and written by one function.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace charm::base {

/// Members keep the order in which they were added. Whoever builds one includes <nlohmann/json.hpp>.
using Json = nlohmann::ordered_json;

/// Control characters are escaped, and bytes that are no UTF-8 (names of threads, paths) become U+FFFD.
/// \param indent blanks for each level; negative: all on one line.
std::string json_text(const Json& value, int indent = -1);

}  // namespace charm::base
