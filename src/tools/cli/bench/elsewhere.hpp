// Finds the programs that contain benchmarks (bench/here.cpp, deploy/deploy_bench.py).
#pragma once

#include <string>

namespace charm::cli {

/// Beside the command, as in a build, or where it is installed. \throws Error (system) if it is in neither place.
std::string bench_program();
/// charm-deploy-bench, likewise.
std::string deploy_bench_program();

}  // namespace charm::cli
