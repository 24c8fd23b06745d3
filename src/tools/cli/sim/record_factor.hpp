// Records the task graphs of the factorisations, for the simulator (tools/sim/task_dag.hpp).
#pragma once

#include "tools/cli/command.hpp"

namespace charm::cli {

/// Runs the kernels on one thread on a Laplacian of a cube with about `size` columns and prints their tasks, by the
/// program that has the kernels. \returns the exit code.
int print_factor_record(int size, Session& session);

}  // namespace charm::cli
