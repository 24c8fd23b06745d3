// The results of a benchmark for scripts; docs/command-line.md lists the keys, which only ever grow.
#pragma once

#include <string>

#include "cli/bench/host.hpp"
#include "cli/bench/result.hpp"

namespace charm::cli {

std::string results_json(const Host& host, const Outcome& outcome);

}  // namespace charm::cli
