// Machines by hand: plain values of any shape, whole or with cpus taken away, and a RapidCheck generator of them.
#pragma once

#include <charm/machine.hpp>

#include <algorithm>
#include <cstdint>
#include <rapidcheck.h>
#include <set>
#include <utility>
#include <vector>

namespace charm::test {

enum class Numbering {
  threads_last,  // cpu = core, then all second threads (AMD, Intel servers)
  adjacent,      // siblings are neighbours: 0 and 1 are one core (Power, hwloc's synthetic machines)
  interleaved,   // cpu numbers go round the sockets (older Xeons)
};

struct Shape {
  struct Die {
    int cores;
    std::uint64_t l3;
  };
  std::vector<std::vector<std::vector<Die>>> sockets;  // [socket][node][chiplet]
  int smt = 1;
  Numbering numbering = Numbering::threads_last;
  std::set<int> forbidden;  // cpus that the process may not use
};

inline Machine build(const Shape& shape) {
  struct Place {
    int socket, node, chiplet, within_socket;
    std::uint64_t l3;
  };
  std::vector<Place> places;  // physical cores in hardware order
  int nodes = 0, chiplets = 0;
  for (std::size_t s = 0; s < shape.sockets.size(); ++s) {
    int within = 0;
    for (const auto& node : shape.sockets[s]) {
      for (const auto& die : node) {
        for (int c = 0; c < die.cores; ++c) places.push_back({static_cast<int>(s), nodes, chiplets, within++, die.l3});
        ++chiplets;
      }
      ++nodes;
    }
  }
  const int physical = static_cast<int>(places.size());
  std::vector<int> rank(places.size());  // position in the numbering
  for (std::size_t i = 0; i < places.size(); ++i) rank[i] = static_cast<int>(i);
  if (shape.numbering == Numbering::interleaved) {
    std::vector<std::size_t> by_turn(places.size());
    for (std::size_t i = 0; i < places.size(); ++i) by_turn[i] = i;
    std::sort(by_turn.begin(), by_turn.end(), [&](auto a, auto b) {
      return std::pair(places[a].within_socket, a) < std::pair(places[b].within_socket, b);
    });
    for (std::size_t i = 0; i < by_turn.size(); ++i) rank[by_turn[i]] = static_cast<int>(i);
  }

  Machine machine;
  machine.name = "by hand";
  machine.origin = "synthetic:by hand";
  machine.total = {physical * shape.smt, physical, nodes, static_cast<int>(shape.sockets.size())};
  for (int n = 0; n < nodes; ++n) machine.nodes.push_back({n, n, {}, 0, -1});
  for (std::size_t s = 0; s < shape.sockets.size(); ++s) machine.sockets.push_back({static_cast<int>(s), {}, {}});
  int last_chiplet = -1;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Place& place = places[i];
    CpuSet siblings;
    for (int t = 0; t < shape.smt; ++t) {
      int cpu = shape.numbering == Numbering::adjacent ? rank[i] * shape.smt + t : rank[i] + t * physical;
      if (!shape.forbidden.count(cpu)) siblings.insert(cpu);
    }
    if (siblings.empty()) continue;
    auto& node = machine.nodes[static_cast<std::size_t>(place.node)];
    auto& socket = machine.sockets[static_cast<std::size_t>(place.socket)];
    node.socket = place.socket;
    node.cpus |= siblings;
    machine.allowed_cpus |= siblings;
    int core = static_cast<int>(machine.cores.size());
    if (place.chiplet != last_chiplet) {
      last_chiplet = place.chiplet;
      int id = static_cast<int>(machine.chiplets.size());
      machine.chiplets.push_back({id, {}, place.l3, place.node, place.socket});
      socket.chiplets.insert(id);
      socket.nodes.insert(place.node);
    }
    auto& chiplet = machine.chiplets.back();
    chiplet.cores.insert(core);
    machine.cores.push_back(
        {core, siblings.front(), siblings, chiplet.id, place.node, place.socket, 32 << 10, 1 << 20});
  }
  return machine;
}

/// Equal chiplets of `cores` cores and 32 MiB, one node a socket.
inline Machine uniform(int sockets, int chiplets, int cores, int smt = 1,
                       Numbering numbering = Numbering::threads_last) {
  Shape shape;
  shape.smt = smt;
  shape.numbering = numbering;
  std::vector<Shape::Die> dies(static_cast<std::size_t>(chiplets), {cores, 32ULL << 20});
  shape.sockets.assign(static_cast<std::size_t>(sockets), {dies});
  return build(shape);
}

/// Any machine: up to three sockets of one or two nodes, unequal chiplets, SMT, any numbering, cpusets with holes.
inline rc::Gen<Machine> any_machine() {
  return rc::gen::exec([] {
    Shape shape;
    shape.sockets.resize(*rc::gen::inRange<std::size_t>(1, 4));
    bool equal = *rc::gen::arbitrary<bool>();
    bool sized = *rc::gen::inRange(0, 4) != 0;  // some machines tell no cache sizes
    const int same = *rc::gen::inRange(1, 7);
    int cpus = 0;
    shape.smt = *rc::gen::inRange(1, 3);
    for (auto& socket : shape.sockets) {
      socket.resize(*rc::gen::inRange<std::size_t>(1, 3));
      for (auto& node : socket) {
        node.resize(*rc::gen::inRange<std::size_t>(1, 5));
        for (auto& die : node) {
          die.cores = equal ? same : *rc::gen::inRange(1, 9);
          die.l3 = !sized  ? 0
                   : equal ? 32ULL << 20
                           : *rc::gen::element<std::uint64_t>(8ULL << 20, 16ULL << 20, 32ULL << 20, 96ULL << 20);
          cpus += die.cores * shape.smt;
        }
      }
    }
    shape.numbering = *rc::gen::element(Numbering::threads_last, Numbering::adjacent, Numbering::interleaved);
    if (*rc::gen::arbitrary<bool>()) {
      int keep = *rc::gen::inRange(0, cpus);
      for (int cpu = 0; cpu < cpus; ++cpu) {
        if (cpu != keep && *rc::gen::inRange(0, 4) == 0) shape.forbidden.insert(cpu);
      }
    }
    return build(shape);
  });
}

/// Any machine, with kinds of cores by chiplet or by core.
inline rc::Gen<Machine> any_machine_with_kinds() {
  return rc::gen::exec([] {
    Machine machine = *any_machine();
    const bool by_chiplet = *rc::gen::arbitrary<bool>();
    std::vector<CoreKind> of_chiplet;
    const auto any_kind =
        rc::gen::element(CoreKind::performance, CoreKind::middle, CoreKind::efficiency, CoreKind::low_power);
    for (std::size_t c = 0; c < machine.chiplets.size(); ++c) of_chiplet.push_back(*any_kind);
    for (Core& core : machine.cores) {
      core.kind = by_chiplet ? of_chiplet[static_cast<std::size_t>(core.chiplet)] : *any_kind;
      core.capacity = 1024 - 250 * static_cast<int>(core.kind);
    }
    return machine;
  });
}

}  // namespace charm::test
