// A comparison as JSON; docs/design/json.md lists the keys. Keys are added but never removed.
#pragma once

#include <string>

#include "tools/cli/bench/host.hpp"
#include "tools/compare/outcome.hpp"

namespace charm::cli {

std::string comparison_json(const Host& host, const compare::Outcome& outcome, int exit_code);

}  // namespace charm::cli
