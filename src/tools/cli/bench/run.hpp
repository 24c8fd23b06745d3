// Runs a plan: lets the workload make its input, lets the runtimes of a kernel take turns trial by trial (A B C A B C
// …, so that a drift of the machine affects all alike), and measures each trial's memory on its own.
#pragma once

#include <charm/config.hpp>

#include "tools/cli/bench/plan.hpp"
#include "tools/cli/bench/result.hpp"
#include "tools/cli/bench/workload_run.hpp"
#include "tools/cli/console.hpp"

namespace charm::cli {

/// \param config settings for charm::init besides workers and policy.
/// \throws Error of the workloads and the runtime. A wrong answer gives a row that is not verified, and no exception.
BenchResult run_plan(const BenchPlan& plan, WorkloadRun& workload, const Config& config, Progress& progress);

}  // namespace charm::cli
