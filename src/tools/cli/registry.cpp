// The commands of `charm`; see command.hpp.
#include <array>

#include "tools/cli/commands.hpp"

namespace charm::cli {

namespace {

Command under(const char* group, Command command) {
  command.group = group;
  return command;
}

}  // namespace

std::span<const Command> commands() {
  static const std::array all = {
      under("See", topo_entry()),          under("See", top_entry()),        under("See", counters_entry()),
      under("See", settings_entry()),      under("Measure", probe_entry()),  under("Measure", bench_entry()),
      under("Measure", compare_entry()),   under("Run", run_entry()),        under("Run", attach_entry()),
      under("Run", malloc_entry()),        under("Deploy", advise_entry()),  under("Deploy", deploy_entry()),
      under("Research", evaluate_entry()), under("Research", sim_entry()),   under("Research", batch_entry()),
      under("Help", help_entry()),         under("Help", completion_entry())};
  return all;
}

}  // namespace charm::cli
