#include "placement/restrict.hpp"

#include <utility>

namespace charm::placement {

Machine restricted(const Machine& machine, const CpuSet& cpus) {
  Machine left = machine;
  left.allowed_cpus &= cpus;
  left.forbidden_cpus |= machine.allowed_cpus - cpus;
  for (Node& node : left.nodes) node.cpus &= cpus;
  for (Socket& socket : left.sockets) socket.chiplets.clear();
  left.chiplets.clear();
  left.cores.clear();
  for (const Chiplet& chiplet : machine.chiplets) {
    Chiplet rest = chiplet;
    rest.id = static_cast<int>(left.chiplets.size());
    rest.cores.clear();
    for (int id : chiplet.cores) {
      Core core = machine.cores[static_cast<std::size_t>(id)];
      core.siblings &= cpus;
      if (core.siblings.empty()) continue;
      core.cpu = core.siblings.front();
      core.id = static_cast<int>(left.cores.size());
      core.chiplet = rest.id;
      rest.cores.insert(core.id);
      left.cores.push_back(std::move(core));
    }
    if (rest.cores.empty()) continue;
    const Core& first = left.cores[static_cast<std::size_t>(rest.cores.front())];
    rest.node = first.node;
    left.sockets[static_cast<std::size_t>(rest.socket)].chiplets.insert(rest.id);
    left.chiplets.push_back(std::move(rest));
  }
  return left;
}

}  // namespace charm::placement
