// How many threads a program should have, as one self-contained HTML page: the answer, the curve of scaling with the
// laws that fit, the table, and every run of the last comparison.
#pragma once

#include <string>

#include "tools/cli/bench/host.hpp"
#include "tools/width/search.hpp"

namespace charm::cli {

/// \param command the command that made it, as it was typed.
std::string width_page(const Host& host, const width::Advice& advice, const std::string& command);

}  // namespace charm::cli
