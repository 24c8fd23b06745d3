#include "placement/restrict.hpp"

#include <algorithm>

namespace charm::placement {
namespace {

void keep(std::vector<int>& some, const std::vector<int>& cpus) {
  std::erase_if(some, [&](int cpu) { return !std::binary_search(cpus.begin(), cpus.end(), cpu); });
}

}  // namespace

Machine restricted(const Machine& machine, const std::vector<int>& cpus) {
  Machine left = machine;
  keep(left.allowed_cpus, cpus);
  for (int cpu : machine.allowed_cpus) {
    if (!std::binary_search(cpus.begin(), cpus.end(), cpu)) left.forbidden_cpus.push_back(cpu);
  }
  std::sort(left.forbidden_cpus.begin(), left.forbidden_cpus.end());
  for (Node& node : left.nodes) keep(node.cpus, cpus);
  for (Socket& socket : left.sockets) socket.chiplets.clear();
  left.chiplets.clear();
  left.cores.clear();
  for (const Chiplet& chiplet : machine.chiplets) {
    Chiplet rest = chiplet;
    rest.id = static_cast<int>(left.chiplets.size());
    rest.cores.clear();
    for (int id : chiplet.cores) {
      Core core = machine.cores[static_cast<std::size_t>(id)];
      keep(core.siblings, cpus);
      if (core.siblings.empty()) continue;
      core.cpu = core.siblings.front();
      core.id = static_cast<int>(left.cores.size());
      core.chiplet = rest.id;
      rest.cores.push_back(core.id);
      left.cores.push_back(std::move(core));
    }
    if (rest.cores.empty()) continue;
    const Core& first = left.cores[static_cast<std::size_t>(rest.cores.front())];
    rest.node = first.node;
    left.sockets[static_cast<std::size_t>(rest.socket)].chiplets.push_back(rest.id);
    left.chiplets.push_back(std::move(rest));
  }
  return left;
}

}  // namespace charm::placement
