#include "tools/attach/gathering.hpp"

#include <algorithm>
#include <cstddef>

namespace charm::attach {
namespace {

std::size_t cpus_of(const Machine& machine, const Chiplet& chiplet) {
  std::size_t cpus = 0;
  for (const int core : chiplet.cores) cpus += machine.cores[static_cast<std::size_t>(core)].siblings.size();
  return cpus;
}

}  // namespace

bool kernel_would_gather(const Machine& machine, int workers, const placement::Standing& standing) {
  if (workers < 2 || standing.spread != 1 || machine.chiplets.size() < 2 || machine.nodes.size() != 1) return false;
  const Chiplet& first = machine.chiplets.front();
  const std::size_t cpus = cpus_of(machine, first);
  const bool equal = std::all_of(machine.chiplets.begin(), machine.chiplets.end(), [&](const Chiplet& each) {
    return each.cores.size() == first.cores.size() && each.l3_bytes == first.l3_bytes && cpus_of(machine, each) == cpus;
  });
  if (!equal) return false;
  // A thread moves home while the home cache holds at most half of its cpus' work; and a process with more threads than
  // four fifths of the cores is left alone.
  const auto threads = static_cast<std::size_t>(workers);
  return 2 * threads <= cpus + 2 && 10 * threads < 8 * first.cores.size();
}

}  // namespace charm::attach
