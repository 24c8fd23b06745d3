#include "topology/regrouped.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace charm::topology {

Machine regrouped(Machine machine, std::vector<Chiplet> chiplets) {
  const auto place = [&](const Chiplet& chiplet) {
    const Core& first = machine.cores[static_cast<std::size_t>(chiplet.cores.front())];
    return std::tuple(first.socket, first.node, first.id);
  };
  std::sort(chiplets.begin(), chiplets.end(), [&](const Chiplet& a, const Chiplet& b) { return place(a) < place(b); });
  std::vector<Core> cores;
  for (Socket& socket : machine.sockets) socket.chiplets.clear();
  for (std::size_t i = 0; i < chiplets.size(); ++i) {
    Chiplet& chiplet = chiplets[i];
    chiplet.id = static_cast<int>(i);
    for (const int old : std::exchange(chiplet.cores, {})) {
      Core core = machine.cores[static_cast<std::size_t>(old)];
      core.id = static_cast<int>(cores.size());
      core.chiplet = chiplet.id;
      core.position = static_cast<int>(chiplet.cores.size());
      chiplet.cores.insert(core.id);
      cores.push_back(std::move(core));
    }
    chiplet.total_cores = std::max(chiplet.total_cores, static_cast<int>(chiplet.cores.size()));
    const Core& first = cores[static_cast<std::size_t>(chiplet.cores.front())];
    chiplet.node = first.node;
    chiplet.socket = first.socket;
    machine.sockets[static_cast<std::size_t>(chiplet.socket)].chiplets.insert(chiplet.id);
  }
  machine.cores = std::move(cores);
  machine.chiplets = std::move(chiplets);
  return machine;
}

}  // namespace charm::topology
