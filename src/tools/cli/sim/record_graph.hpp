// Records what the graph kernels touch, for the simulator's graph workloads.
#pragma once

#include "tools/cli/command.hpp"
#include "tools/sim/graph_record.hpp"

namespace charm::cli {

/// Runs the kernels on one worker on a Kronecker graph of 2^scale vertices; the same for every machine.
sim::GraphRecord record_graph(int scale);

/// Prints it, by the program that has the kernels (bench/bench_options.hpp). \returns the exit code.
int print_graph_record(int scale, Session& session);

}  // namespace charm::cli
