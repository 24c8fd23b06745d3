// What holds for every machine, whatever it was read from; and short ways to look at one.
#pragma once

#include <charm/machine.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace charm::test {

inline std::string topology_file(const std::string& name) {
  return std::string(CHARM_TEST_DATA) + "/topologies/" + name;
}

inline bool has_note(const Machine& machine, const std::string& part) {
  return std::any_of(machine.notes.begin(), machine.notes.end(),
                     [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

inline CpuSet cpus_of(const Machine& machine, int chiplet) {
  CpuSet cpus;
  for (int id : machine.chiplets.at(static_cast<std::size_t>(chiplet)).cores)
    cpus |= machine.cores.at(static_cast<std::size_t>(id)).siblings;
  return cpus;
}

template <class Set = CpuSet>
Set range(int first, int last) {
  Set numbers;
  for (int i = first; i <= last; ++i) numbers.insert(i);
  return numbers;
}

inline CpuSet ranges(int a, int b, int c, int d) { return range(a, b) | range(c, d); }

/// The structure of charm/machine.hpp: ids are positions, everything nests, every allowed cpu is in exactly one core.
/// Answers with the first thing that is wrong, or with "".
inline std::string structure_error(const Machine& m) {
#define CHARM_REQUIRE(condition) \
  if (!(condition)) return #condition
  auto at = [](const auto& items, int id) -> const auto& { return items.at(static_cast<std::size_t>(id)); };
  std::vector<int> cpus;
  int chiplet_before = 0;
  for (std::size_t i = 0; i < m.cores.size(); ++i) {
    const Core& core = m.cores[i];
    CHARM_REQUIRE(core.id == static_cast<int>(i));
    CHARM_REQUIRE(!core.siblings.empty() && core.cpu == core.siblings.front());
    cpus.insert(cpus.end(), core.siblings.begin(), core.siblings.end());
    const Chiplet& chiplet = at(m.chiplets, core.chiplet);
    CHARM_REQUIRE(chiplet.cores.contains(core.id));
    CHARM_REQUIRE(chiplet.node == core.node && chiplet.socket == core.socket);
    CHARM_REQUIRE(core.chiplet >= chiplet_before);  // a chiplet's cores are neighbours
    chiplet_before = core.chiplet;
    const Node& node = at(m.nodes, core.node);
    for (int cpu : core.siblings) {
      CHARM_REQUIRE(node.cpus.contains(cpu));
      CHARM_REQUIRE(m.core_of_cpu(cpu) == &core);
    }
  }
  std::sort(cpus.begin(), cpus.end());
  CHARM_REQUIRE(cpus == m.allowed_cpus.values());
  CHARM_REQUIRE(std::adjacent_find(cpus.begin(), cpus.end()) == cpus.end());

  std::size_t in_chiplets = 0;
  int socket_before = 0;
  for (std::size_t i = 0; i < m.chiplets.size(); ++i) {
    const Chiplet& chiplet = m.chiplets[i];
    CHARM_REQUIRE(chiplet.id == static_cast<int>(i));
    CHARM_REQUIRE(!chiplet.cores.empty());
    in_chiplets += chiplet.cores.size();
    CHARM_REQUIRE(chiplet.socket >= socket_before);  // a socket's chiplets are neighbours
    socket_before = chiplet.socket;
    const auto& siblings = at(m.sockets, chiplet.socket).chiplets;
    CHARM_REQUIRE(siblings.contains(chiplet.id));
    const int node_socket = at(m.nodes, chiplet.node).socket;
    CHARM_REQUIRE(node_socket == -1 || node_socket == chiplet.socket);
  }
  CHARM_REQUIRE(in_chiplets == m.cores.size());

  std::size_t in_sockets = 0;
  for (std::size_t i = 0; i < m.sockets.size(); ++i) {
    const Socket& socket = m.sockets[i];
    CHARM_REQUIRE(socket.id == static_cast<int>(i));
    CHARM_REQUIRE(!socket.chiplets.empty() || !socket.nodes.empty());
    in_sockets += socket.chiplets.size();
    for (int node : socket.nodes) CHARM_REQUIRE(at(m.nodes, node).socket == socket.id);
  }
  CHARM_REQUIRE(in_sockets == m.chiplets.size());

  std::size_t in_nodes = 0;
  std::set<int> os_indices;
  for (std::size_t i = 0; i < m.nodes.size(); ++i) {
    CHARM_REQUIRE(m.nodes[i].id == static_cast<int>(i));
    CHARM_REQUIRE(os_indices.insert(m.nodes[i].os_index).second);
    in_nodes += m.nodes[i].cpus.size();
  }
  CHARM_REQUIRE(in_nodes == m.allowed_cpus.size());
  CHARM_REQUIRE(m.node_distance.empty() || m.node_distance.size() == m.nodes.size());
  for (const auto& row : m.node_distance) CHARM_REQUIRE(row.size() == m.nodes.size());

  for (int cpu : m.forbidden_cpus) {
    CHARM_REQUIRE(!m.allowed_cpus.contains(cpu));
    CHARM_REQUIRE(m.core_of_cpu(cpu) == nullptr);
  }
  CHARM_REQUIRE(m.allowed_cpus.size() + m.forbidden_cpus.size() == static_cast<std::size_t>(m.total.cpus));
  CHARM_REQUIRE(m.cores.size() <= static_cast<std::size_t>(m.total.cores));
  CHARM_REQUIRE(m.nodes.size() <= static_cast<std::size_t>(m.total.nodes));
  CHARM_REQUIRE(m.sockets.size() <= static_cast<std::size_t>(m.total.sockets));
  return "";
#undef CHARM_REQUIRE
}

}  // namespace charm::test
