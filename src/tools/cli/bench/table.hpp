// The results of a benchmark as a terminal table.
#pragma once

#include <string>

#include "tools/cli/bench/result.hpp"

namespace charm::cli {

std::string results_table(const BenchResult& outcome, bool colour);

}  // namespace charm::cli
