// The entries of the registry, one in each file.
#pragma once

#include "tools/cli/command.hpp"

namespace charm::cli {

Command topo_entry();
Command probe_entry();
Command bench_entry();
Command batch_entry();
Command sim_entry();
Command run_entry();
Command attach_entry();
Command advise_entry();
Command compare_entry();
Command top_entry();
Command counters_entry();
Command deploy_entry();
Command evaluate_entry();
Command malloc_entry();
Command settings_entry();
Command help_entry();
Command completion_entry();

}  // namespace charm::cli
