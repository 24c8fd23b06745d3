// The results of a benchmark as JSON; docs/command-line.md lists the keys. Keys are added but never removed.
#pragma once

#include <string>

#include "tools/cli/bench/host.hpp"
#include "tools/cli/bench/result.hpp"

namespace charm::cli {

std::string results_json(const Host& host, const BenchResult& outcome);

}  // namespace charm::cli
