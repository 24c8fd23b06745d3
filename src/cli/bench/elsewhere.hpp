// Finds the program that contains the benchmarks (bench.hpp).
#pragma once

#include <string>

namespace charm::cli {

/// Beside the command, as in a build, or where it is installed. \throws Error (system) if it is in neither place.
std::string bench_program();

}  // namespace charm::cli
