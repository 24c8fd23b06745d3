// The commands of `charm`; see command.hpp.
#include <array>

#include "tools/cli/commands.hpp"

namespace charm::cli {

std::span<const Command> commands() {
  static const std::array all = {topo_entry(),       probe_entry(),    run_entry(),    attach_entry(), bench_entry(),
                                 compare_entry(),    evaluate_entry(), top_entry(),    sim_entry(),    advise_entry(),
                                 counters_entry(),   malloc_entry(),   deploy_entry(), batch_entry(),  settings_entry(),
                                 completion_entry(), help_entry()};
  return all;
}

}  // namespace charm::cli
