// `charm bench` on several processes (ranks): what it refuses, and how the processes are started. Pure.
//
// The ranks run in a program of their own, charm-bench-ranks, because it links MPI, which the other benchmarks must not
// load. `charm` becomes mpirun, or that program where an mpirun has started `charm` itself or there is one rank.
#pragma once

#include <string>
#include <vector>

#include "ranks/launch.hpp"
#include "tools/cli/bench/bench_options.hpp"

namespace charm::cli {

/// Whether the benchmark runs as ranks: by --ranks, or because an mpirun has started several processes.
bool runs_on_ranks(const BenchOptions& options, const remote::Launch& launch);

/// \throws Error (bad_config) for options that ranks cannot keep.
void check_ranks(const BenchOptions& options, const remote::Launch& launch);

/// The command that becomes the ranks. \param words of the command line. \param mpirun path of the program that starts
/// processes; empty if CHARM was built without MPI. \param colour of this process's output. \throws Error (refused) if
/// several ranks need one.
std::vector<std::string> rank_command(const BenchOptions& options, const remote::Launch& launch,
                                      const std::string& program, const std::vector<std::string>& words,
                                      const std::string& mpirun, bool colour);

}  // namespace charm::cli
