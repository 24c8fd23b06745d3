// `charm bench` behind its options.
//
// The runtimes that CHARM is compared with are linked to a program of their own, charm-bench: OpenMP's library binds
// the process that it is loaded into as the user's variables say (OMP_PROC_BIND), which must not befall the command
// that places other programs, and takes time to load. `charm` becomes that program where it needs it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/bench/plan.hpp"
#include "cli/bench/workload.hpp"
#include "cli/command.hpp"
#include "cli/console.hpp"

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
