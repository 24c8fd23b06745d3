// A comparison as one self-contained HTML page: the verdict, every run in the order of time, every
// pair's ratio beside the interval, the figures, and the disturbances.
#pragma once

#include <string>

#include "tools/cli/bench/host.hpp"
#include "tools/compare/outcome.hpp"

namespace charm::cli {

/// \param command the command that made it, as it was typed.
std::string comparison_page(const Host& host, const compare::Outcome& outcome, const std::string& command);

}  // namespace charm::cli
