#include "ranks/distances.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "os/files/system_files.hpp"
#include "os/processes/this_process.hpp"

namespace charm::remote {
namespace {

std::uint64_t hash_of(std::string_view text) {  // FNV-1a, which is the same in every process
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}

/// The machine model has only the cpus that this rank may use, so other ranks would not know its chiplet by that.
std::uint64_t cache_of(int cpu) {
  const auto cpus =
      os::first_line("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cache/index3/shared_cpu_list");
  return cpus ? hash_of(*cpus) : 0;
}

const Node* node_of(const Machine& machine, int os_index) {
  for (const Node& node : machine.nodes)
    if (node.os_index == os_index) return &node;
  return nullptr;
}

}  // namespace

RankPlace place_of_rank(const Machine& machine, int cpu) {
  RankPlace place;
  place.host = hash_of(os::host_name());
  const Core* core = cpu >= 0 ? machine.core_of_cpu(cpu) : nullptr;
  if (core == nullptr && !machine.cores.empty()) core = &machine.cores.front();
  if (core == nullptr) return place;
  if (machine.is_live()) place.cache = cache_of(core->cpu);
  const auto node = static_cast<std::size_t>(core->node);
  if (core->node >= 0 && node < machine.nodes.size()) place.node = machine.nodes[node].os_index;
  return place;
}

double distance_between(const Machine& machine, const RankPlace& a, const RankPlace& b) {
  if (a.host != b.host) return other_host;
  if (a.cache != 0 && a.cache == b.cache) return 1;
  if (a.node == b.node) return 2;
  const Node* na = node_of(machine, a.node);
  const Node* nb = node_of(machine, b.node);
  if (na == nullptr || nb == nullptr) return 4;
  if (na->socket >= 0 && na->socket == nb->socket) return 3;
  if (machine.node_distance.empty()) return 4;
  const auto at = [&](const Node* from, const Node* to) {
    return machine.node_distance[static_cast<std::size_t>(from->id)][static_cast<std::size_t>(to->id)];
  };
  const double local = std::min(at(na, na), at(nb, nb));
  const double far = std::max(at(na, nb), at(nb, na));
  return std::clamp(3.0 + (local > 0 ? far / local : 1.0), 4.0, other_host - 1);
}

std::vector<double> distances_from(const Machine& machine, const std::vector<RankPlace>& ranks, int from) {
  std::vector<double> all;
  const RankPlace& own = ranks[static_cast<std::size_t>(from)];
  for (const RankPlace& other : ranks) all.push_back(&other == &own ? 0 : distance_between(machine, own, other));
  return all;
}

std::vector<int> order_by_distance(const std::vector<double>& distances, int from) {
  const int ranks = static_cast<int>(distances.size());
  std::vector<int> order;
  for (int i = 1; i < ranks; ++i) order.push_back((from + i) % ranks);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    const auto key = [&](int rank) {
      return std::pair(distances[static_cast<std::size_t>(rank)], (rank - from + ranks) % ranks);
    };
    return key(a) < key(b);
  });
  return order;
}

}  // namespace charm::remote
