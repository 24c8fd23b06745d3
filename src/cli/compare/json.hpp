// A comparison for scripts; docs/compare.md lists the keys, which only ever grow.
#pragma once

#include <string>

#include "cli/bench/host.hpp"
#include "compare/outcome.hpp"

namespace charm::cli {

std::string comparison_json(const Host& host, const compare::Outcome& outcome, int exit_code);

}  // namespace charm::cli
