// The modelled part of `charm deploy bench` (tools/sim/deployments.hpp), as JSON for charm-deploy-bench.
#pragma once

#include <string>

#include "tools/cli/deploy/commands.hpp"

namespace charm::cli {

/// For every machine a run for each policy, and the geometric mean of the speed-ups over one process by the number of
/// processes. \throws Error (bad_input, bad_config).
std::string modelled_deployments(const DeployBenchOptions& options);

}  // namespace charm::cli
