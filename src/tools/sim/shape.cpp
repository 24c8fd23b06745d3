#include "tools/sim/shape.hpp"

namespace charm::sim {

Machine build_machine(const Shape& shape, const std::string& name) {
  int per_socket = 0;
  for (const auto& node : shape.nodes) {
    for (const auto& die : node.chiplets) per_socket += die.cores;
  }
  const int cores = per_socket * shape.sockets;

  Machine machine;
  machine.name = name;
  machine.origin = "model:" + name;
  for (int s = 0; s < shape.sockets; ++s) {
    machine.sockets.push_back({s, {}, {}});
    for (const auto& node_shape : shape.nodes) {
      const int n = static_cast<int>(machine.nodes.size());
      machine.nodes.push_back({n, n, {}, node_shape.memory_bytes, s});
      machine.sockets.back().nodes.insert(n);
      for (const auto& die : node_shape.chiplets) {
        const int c = static_cast<int>(machine.chiplets.size());
        machine.chiplets.push_back({c, {}, die.l3_bytes, n, s});
        machine.sockets.back().chiplets.insert(c);
        for (int k = 0; k < die.cores; ++k) {
          const int core = static_cast<int>(machine.cores.size());
          CpuSet threads;
          for (int t = 0; t < shape.smt; ++t) threads.insert(core + t * cores);
          machine.nodes.back().cpus |= threads;
          machine.allowed_cpus |= threads;
          machine.chiplets.back().cores.insert(core);
          machine.cores.push_back({core, core, threads, c, n, s, 32 << 10, shape.l2_bytes});
        }
      }
    }
  }
  for (const auto bytes : shape.memory_only_bytes) {
    const int n = static_cast<int>(machine.nodes.size());
    machine.nodes.push_back({n, n, {}, bytes, -1});
  }
  machine.total = {cores * shape.smt, cores, static_cast<int>(machine.nodes.size()), shape.sockets};
  return machine;
}

}  // namespace charm::sim
