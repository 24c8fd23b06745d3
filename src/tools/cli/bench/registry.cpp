// The commands of `charm-bench`, each of which `charm` has too (bench/bench_options.hpp).
#include <array>

#include "tools/cli/commands.hpp"

namespace charm::cli {

std::span<const Command> commands() {
  static const std::array all = {bench_entry(), sim_entry()};
  return all;
}

}  // namespace charm::cli
