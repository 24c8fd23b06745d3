// Machines for these tests: the Kunpeng 920 of TAPMM with its buses as arguments, and random ones.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "tools/memory_traffic/model.hpp"

namespace charm::memory_traffic::test {

/// Two sockets of two dies (SCCL) with a controller of 40 GB/s each; inter-die bus 100 GB/s, `hydra` between the
/// sockets. Domains: 0 machine, 1 socket 0, 2 socket 1, 3 to 6 the dies.
inline Model kunpeng(double hydra) {
  Model model;
  model.name = "Kunpeng 920";
  model.domains = {{.name = "machine", .level = Level::machine}};
  for (const int socket : {0, 1}) {
    model.domains.push_back({.name = "socket" + std::to_string(socket),
                             .level = Level::socket,
                             .parent = 0,
                             .out_gb_per_s = hydra,
                             .hop_ns = 50,
                             .bus = "hydra"});
  }
  for (const int die : {0, 1, 2, 3}) {
    model.domains.push_back({.name = "sccl" + std::to_string(die),
                             .level = Level::node,
                             .parent = 1 + die / 2,
                             .out_gb_per_s = 100,
                             .hop_ns = 10,
                             .bus = "die",
                             .os_node = die});
    model.memories.push_back({die, 3 + die, 40, 100});
  }
  return model;
}

inline constexpr int sccl0 = 3;

/// A model with up to eight memories in up to three levels, and any bandwidths.
inline Model random_model(base::Random& random) {
  const auto bandwidth = [&] { return 1 + static_cast<double>(random.below(200)); };
  Model model;
  model.name = "random";
  model.domains = {{.name = "machine", .level = Level::machine}};
  const auto bus = [&](Domain& domain) {
    if (random.below(4) > 0) domain.out_gb_per_s = bandwidth();
    if (random.below(3) == 0) domain.in_gb_per_s = bandwidth();
    domain.hop_ns = random.below(100);
  };
  const int sockets = 1 + static_cast<int>(random.below(3));
  for (int s = 0; s < sockets; ++s) {
    Domain socket{.name = "socket" + std::to_string(s), .level = Level::socket, .parent = 0};
    bus(socket);
    model.domains.push_back(socket);
  }
  const int nodes = 1 + static_cast<int>(random.below(7));
  for (int n = 0; n < nodes; ++n) {
    // The first has cpus; others may be memory in a socket, or in the machine itself.
    const int around = static_cast<int>(random.below(static_cast<std::uint32_t>(model.domains.size())));
    if (n > 0 && random.below(4) == 0) {
      model.memories.push_back({n, around, bandwidth(), 100.0 + random.below(3) * 50});
      continue;
    }
    Domain node{.name = "node" + std::to_string(n), .level = Level::node, .parent = around, .os_node = n};
    bus(node);
    model.domains.push_back(node);
    model.memories.push_back(
        {n, static_cast<int>(model.domains.size()) - 1, bandwidth(), 100.0 + random.below(3) * 50});
  }
  return model;
}

}  // namespace charm::memory_traffic::test
