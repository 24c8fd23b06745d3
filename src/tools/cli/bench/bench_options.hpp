// `charm bench` behind its options.
//
// The runtimes that CHARM is compared with are linked to a separate program, charm-bench, because OpenMP's library
// takes time to load and binds its process as OMP_PROC_BIND says, which must not happen to the command that places
// other programs. `charm` becomes that program when it needs it (exec).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "tools/cli/bench/plan.hpp"
#include "tools/cli/bench/workload.hpp"
#include "tools/cli/command.hpp"
#include "tools/cli/console.hpp"

namespace charm::cli {

struct BenchOptions {
  OutputOptions output;
  BenchRequest request;
  std::unique_ptr<Workload> workload;
  std::optional<std::string> report;
};

/// In charm-bench: checks the options, runs, and prints the results. In charm: becomes charm-bench.
/// \returns the exit code. \throws Error.
int run_bench(const BenchOptions& options, Session& session);

}  // namespace charm::cli
