#include "tools/deploy/memory.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "base/format.hpp"

namespace charm::deploy {
namespace {

constexpr std::uint64_t mib = std::uint64_t{1} << 20U;
constexpr std::uint64_t gib = std::uint64_t{1} << 30U;
constexpr std::uint64_t least_for_a_worker = 64 * mib;

bool sizes_known(const Machine& machine) {
  return std::any_of(machine.nodes.begin(), machine.nodes.end(), [](const Node& node) { return node.bytes > 0; });
}

bool has_memory(const Host& host, const Node& node, bool given) {
  if (host.memory_nodes && !host.memory_nodes->contains(node.os_index)) return false;
  return given ? node.bytes > 0 : !node.cpus.empty();
}

/// A tenth, at least 1 GiB, at most half; or what the request says.
std::uint64_t left_to_system(std::uint64_t bytes, const Request& request) {
  return request.reserve.value_or(std::min(std::max(bytes / 10, gib), bytes / 2));
}

/// part / whole of `bytes`, in whole MiB; without overflow for 2^64 bytes.
std::uint64_t share_of(std::uint64_t bytes, std::uint64_t part, std::uint64_t whole) {
  return bytes / mib / whole * part * mib + bytes / mib % whole * part / whole * mib;
}

void refuse_small(const Worker& worker, std::uint64_t bytes) {
  if (bytes >= least_for_a_worker) return;
  throw Error(Errc::bad_input,
              "worker " + worker.name + " would have " + base::format_bytes(bytes) + " of memory, less than " +
                  base::format_bytes(least_for_a_worker),
              "plan fewer workers (--policy, --per-chiplet), or leave less to the system with --reserve");
}

using Shares = std::vector<std::map<int, std::uint64_t>>;  // by worker: bytes on each node (index)

/// All shares by the same factor, so that together they are within the cgroup's limit.
void fit_into_limit(const Host& host, const Request& request, Shares& shares, HostPlan& plan) {
  if (host.memory_limit == 0) return;
  const std::uint64_t system = left_to_system(host.memory_limit, request);
  const std::uint64_t budget = host.memory_limit - std::min(host.memory_limit, system);
  std::uint64_t sum = 0;
  for (const auto& share : shares) {
    for (const auto& [node, bytes] : share) sum += bytes;
  }
  if (sum <= budget) return;
  for (auto& share : shares) {
    for (auto& [node, bytes] : share) {
      const std::uint64_t wanted = bytes / mib, left = budget / mib, all = sum / mib;
      bytes = static_cast<std::uint64_t>(static_cast<double>(wanted) * static_cast<double>(left) /
                                         static_cast<double>(all)) *
              mib;
    }
  }
  plan.notes.push_back("The cgroup allows " + base::format_bytes(host.memory_limit) + " of memory: the workers share " +
                       base::format_bytes(budget) + " of it.");
}

}  // namespace

std::uint64_t java_heap(std::uint64_t bytes) {
  if (bytes < 768 * mib) return bytes / 2 / mib * mib;
  return (bytes - std::max(bytes / 5, 384 * mib)) / mib * mib;
}

std::vector<int> memory_homes(const Host& host, const Machine& machine) {
  const bool given = sizes_known(machine);
  std::vector<int> home_of_node(machine.nodes.size(), -1);
  for (const Node& node : machine.nodes) {
    if (has_memory(host, node, given)) {
      home_of_node[at(node.id)] = node.id;
      continue;
    }
    std::optional<std::tuple<double, bool, bool, int>> nearest;
    for (const Node& other : machine.nodes) {
      if (!has_memory(host, other, given)) continue;
      const double distance = machine.node_distance.empty() ? 0 : machine.node_distance[at(node.id)][at(other.id)];
      const std::tuple candidate{distance, other.socket != node.socket, other.cpus.empty(), other.id};
      if (!nearest || candidate < *nearest) nearest = candidate;
    }
    if (nearest) home_of_node[at(node.id)] = std::get<3>(*nearest);
  }
  std::vector<int> homes;
  for (const Core& core : machine.cores) {
    homes.push_back(home_of_node[at(core.node)]);
    if (homes.back() >= 0) continue;
    throw Error(Errc::bad_input, "no NUMA node of " + host.name + " has memory that may be used",
                "allow one in the cgroup's cpuset.mems");
  }
  return homes;
}

void share_memory(const Host& host, const Machine& machine, const Request& request, std::vector<Worker>& workers,
                  HostPlan& plan) {
  const std::vector<int> homes = memory_homes(host, machine);
  std::map<int, std::uint64_t> cores_at;  // cores whose memory comes from a node
  OsNodeSet without_memory;
  for (const Core& core : machine.cores) {
    ++cores_at[homes[at(core.id)]];
    if (homes[at(core.id)] != core.node) without_memory.insert(machine.nodes[at(core.node)].os_index);
  }
  for (const int os_index : without_memory) {
    for (const Node& node : machine.nodes) {
      if (node.os_index != os_index) continue;
      const auto core = std::find_if(machine.cores.begin(), machine.cores.end(),
                                     [&](const Core& each) { return each.node == node.id; });
      plan.notes.push_back("NUMA node " + std::to_string(os_index) +
                           " has cores but no memory that may be used: theirs comes from node " +
                           std::to_string(machine.nodes[at(homes[at(core->id)])].os_index) + ", the nearest.");
    }
  }

  std::map<int, std::uint64_t> for_workers;
  OsNodeSet unknown;
  bool unused = false;
  for (const Node& node : machine.nodes) {
    if (!cores_at.contains(node.id)) {
      const bool memory_only = node.cpus.empty() && has_memory(host, node, sizes_known(machine));
      plan.left_over.push_back(
          {{},
           OsNodeSet{node.os_index},
           memory_only ? "memory without cores of the workers" + (node.kind.empty() ? "" : " (" + node.kind + ")")
                       : "no memory for the workers"});
      continue;
    }
    // What the kernel tells of this machine is right; a description's sizes may be hwloc's, who takes 1 GiB for
    // unknown.
    const bool as_given = node.bytes > 0 && (request.node_memory == 0 || machine.origin == "live");
    if (as_given && request.node_memory > 0) unused = true;
    NodeShare share{node.os_index, as_given ? node.bytes : request.node_memory, 0, 0};
    if (share.bytes == 0) unknown.insert(node.os_index);
    share.system_bytes = left_to_system(share.bytes, request);
    if (share.bytes > 0 && share.system_bytes >= share.bytes) {
      throw Error(Errc::bad_input,
                  "--reserve " + base::format_bytes(share.system_bytes) + " leaves nothing of NUMA node " +
                      std::to_string(node.os_index) + ", which has " + base::format_bytes(share.bytes),
                  "reserve less");
    }
    if (share.bytes == 0) share.system_bytes = 0;
    for_workers[node.id] = share.bytes - share.system_bytes;
    plan.memory.push_back(share);
  }
  if (unused)
    plan.notes.emplace_back("--node-memory is not used: this machine reports how much memory its nodes have.");
  if (!unknown.empty()) {
    plan.notes.push_back("The memory of NUMA node" + std::string(unknown.size() == 1 ? " " : "s ") + unknown.to_text() +
                         " is unknown: memory limits are left out; --node-memory gives a node's size.");
  }

  Shares shares;
  for (const Worker& worker : workers) {
    std::map<int, std::uint64_t> cores;
    for (const int core : worker.cores) ++cores[homes[at(core)]];
    auto& share = shares.emplace_back();
    for (const auto& [node, count] : cores) share[node] = share_of(for_workers[node], count, cores_at[node]);
  }
  fit_into_limit(host, request, shares, plan);

  for (std::size_t w = 0; w < workers.size(); ++w) {
    Worker& worker = workers[w];
    worker.memory = request.memory_in_force();
    for (const auto& [node, bytes] : shares[w]) {
      const int os_index = machine.nodes[at(node)].os_index;
      worker.nodes.insert(os_index);
      worker.memory_bytes += bytes;
      for (NodeShare& share : plan.memory) share.workers_bytes += share.node == os_index ? bytes : 0;
    }
    if (worker.memory == Memory::preferred && worker.nodes.size() > 1) {
      throw Error(Errc::bad_config,
                  "--memory preferred: worker " + worker.name + " has cores at NUMA nodes " + worker.nodes.to_text() +
                      ", and the kernel prefers a single one",
                  "take --memory bind or none, or --policy win");
    }
    if (worker.memory == Memory::weighted && worker.nodes.size() < 2) {
      throw Error(Errc::bad_config,
                  "--memory weighted: worker " + worker.name + " has cores at NUMA node " + worker.nodes.to_text() +
                      " alone, so there is nothing to interleave",
                  "take --memory bind, or --policy wim");
    }
    if (!unknown.empty()) {
      worker.memory_bytes = 0;
      continue;
    }
    refuse_small(worker, worker.memory_bytes);
    worker.heap_bytes = java_heap(worker.memory_bytes);
  }
  if (!unknown.empty()) {
    for (NodeShare& share : plan.memory) share.workers_bytes = 0;
  }
  std::uint64_t all = 0;
  for (const Worker& worker : workers) all += worker.memory_bytes;
  if (host.memory_available > 0 && all > host.memory_available) {
    plan.notes.push_back("Other programs leave " + base::format_bytes(host.memory_available) +
                         " of memory at the moment, less than the " + base::format_bytes(all) +
                         " that the workers may have: end some, or give --reserve.");
  }
}

}  // namespace charm::deploy
