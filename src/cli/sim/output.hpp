// The results of `charm sim` as JSON and as text.
#pragma once

#include <string>
#include <vector>

#include "sim/run.hpp"

namespace charm::cli {

std::string sim_json(const std::vector<sim::RunResult>& results);
std::string sim_table(const std::vector<sim::RunResult>& results, bool colour);

/// "1.2 G" with the prefix of thousands.
std::string in_thousands(double value);

}  // namespace charm::cli
