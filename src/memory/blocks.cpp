#include "memory/blocks.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>

#include "base/notices.hpp"

namespace charm::memory {
namespace {

constexpr std::size_t round_up(std::size_t n, std::size_t unit) { return (n + unit - 1) / unit * unit; }

/// Pages that begin on a boundary of `alignment`: more is mapped, and both ends are given back.
void* map_aligned(os::PageSystem& system, std::size_t bytes, std::size_t alignment, bool reserved_huge) {
  const std::size_t unit = reserved_huge ? system.huge_page_bytes() : system.page_bytes();
  if (alignment <= unit) return system.map(bytes, reserved_huge);
  void* mapped = bytes + alignment > bytes ? system.map(bytes + alignment, reserved_huge) : nullptr;
  if (mapped == nullptr) return nullptr;
  auto* begin = static_cast<std::byte*>(mapped);
  const auto address = reinterpret_cast<std::uintptr_t>(mapped);
  const std::size_t head = round_up(address, alignment) - address;
  if (head > 0) system.unmap(begin, head);
  if (alignment > head) system.unmap(begin + head + bytes, alignment - head);
  return begin + head;
}

/// Whether memory comes in huge pages where it can: it asks for them, or the kernel gives them to all programs. In an
/// array that begins elsewhere than on their border, nodes that take turns would get unequal parts.
bool gets_huge_pages(const os::PageSystem& system, HugePages huge) {
  return huge != HugePages::no || system.touched_bytes() == system.huge_page_bytes();
}

/// Whether pages can be placed at all, reported once where they cannot.
bool usable(const Machine* machine) { return machine != nullptr && machine->is_live(); }

int os_node(const Machine& machine, int node) {
  if (node < 0 || static_cast<std::size_t>(node) >= machine.nodes.size()) {
    throw Error(
        Errc::bad_input,
        "there is no NUMA node " + std::to_string(node) + "; the machine has " + std::to_string(machine.nodes.size()),
        "give an id of Machine::nodes");
  }
  return machine.nodes[static_cast<std::size_t>(node)].os_index;
}

}  // namespace

bool took(int error) {
  if (error == 0) return true;
  if (error == EINVAL) {
    base::notice("memory: node",
                 "the process may not use a NUMA node that memory was asked on (its cgroup's "
                 "cpuset.mems); the memory lies elsewhere");
  } else {
    base::notice("memory: mbind", "memory cannot be placed on NUMA nodes (mbind: " + std::string(std::strerror(error)) +
                                      "); it lies where it is touched first; allow mbind in the container");
  }
  return false;
}

Block map_block(os::PageSystem& system, std::size_t bytes, HugePages huge, std::size_t alignment) {
  Block block;
  if (bytes == 0) return block;
  const std::size_t huge_unit = system.huge_page_bytes();
  // A small block would waste most of a huge page, so it gets one only if it was requested.
  const bool large = huge == HugePages::requested || (bytes >= huge_unit && gets_huge_pages(system, huge));
  block.unit = block.touched = huge == HugePages::requested ? huge_unit : system.page_bytes();
  block.bytes = round_up(bytes, block.unit);
  if (block.bytes >= bytes) {
    const std::size_t border = std::max(alignment, large ? huge_unit : block.unit);
    if (huge == HugePages::requested) block.data = map_aligned(system, block.bytes, border, true);
    if (block.data != nullptr) return block;
    block.data = map_aligned(system, block.bytes, border, false);
  }
  if (block.data == nullptr) {
    throw Error(Errc::system, "the system refuses an array of " + std::to_string(bytes >> 20U) + " MiB",
                "use less memory, or raise the limit (ulimit -v, the cgroup's memory.max)");
  }
  if (large && huge != HugePages::no) {
    const int error = system.advise_huge(block.data, block.bytes);
    if (error != 0 && huge == HugePages::requested) {
      base::notice("memory: huge pages",
                   "there are no huge pages: none are reserved, and the kernel has no transparent ones (" +
                       std::string(std::strerror(error)) + "); reserve some with sysctl vm.nr_hugepages");
    }
    if (error != 0) return block;
  }
  if (large) block.touched = touched_at_once(system, block.bytes, block.unit, huge);
  return block;
}

std::size_t touched_at_once(os::PageSystem& system, std::size_t bytes, std::size_t unit, HugePages huge) {
  const std::size_t huge_unit = system.huge_page_bytes();
  return gets_huge_pages(system, huge) && bytes / 16 >= huge_unit ? huge_unit : unit;
}

bool place_runs(os::PageSystem& system, const Machine* machine, const Block& block, const std::vector<PageRun>& runs) {
  if (machine == nullptr) return false;
  std::vector<int> nodes;
  nodes.reserve(runs.size());
  for (const PageRun& run : runs) nodes.push_back(run.node < 0 ? -1 : os_node(*machine, run.node));
  if (!usable(machine) || block.data == nullptr) return false;
  bool all = !runs.empty();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::size_t begin = std::min(runs[i].offset, block.bytes);
    const std::size_t length = std::min(round_up(runs[i].bytes, block.unit), block.bytes - begin);
    if (nodes[i] < 0 || length == 0) continue;
    auto* data = static_cast<std::byte*>(block.data) + begin;
    all = took(system.place(data, length, os::MemoryPolicy::preferred, {nodes[i]})) && all;
  }
  return all;
}

bool place_in_turns(os::PageSystem& system, const Machine* machine, const Block& block, const NodeSet& nodes) {
  return place_in_turns(system, block, numbers_of(machine, nodes));
}

OsNodeSet numbers_of(const Machine* machine, const NodeSet& nodes) {
  OsNodeSet numbers;
  if (machine == nullptr) return numbers;
  for (const int node : nodes) numbers.insert(os_node(*machine, node));
  return usable(machine) ? numbers : OsNodeSet();
}

bool place_in_turns(os::PageSystem& system, const Block& block, const OsNodeSet& numbers) {
  if (block.data == nullptr || numbers.empty()) return false;
  const auto policy = numbers.size() == 1 ? os::MemoryPolicy::preferred : os::MemoryPolicy::interleave;
  return took(system.place(block.data, block.bytes, policy, numbers));
}

PageCensus census(os::PageSystem& system, const Machine& machine, const void* data, std::size_t bytes) {
  PageCensus result;
  result.pages.resize(machine.nodes.size(), 0);
  if (bytes == 0) return result;
  const std::size_t page = system.page_bytes();
  const auto first = reinterpret_cast<std::uintptr_t>(data) / page;
  const auto last = (reinterpret_cast<std::uintptr_t>(data) + bytes - 1) / page;
  constexpr std::size_t at_once = 512;
  std::array<const void*, at_once> pages{};
  std::array<int, at_once> nodes{};
  for (std::uintptr_t at = first; at <= last; at += at_once) {
    const std::size_t count = std::min<std::size_t>(at_once, last - at + 1);
    for (std::size_t i = 0; i < count; ++i) pages[i] = reinterpret_cast<const void*>((at + i) * page);
    nodes.fill(-ENOENT);
    const int error = system.nodes_of({pages.data(), count}, {nodes.data(), count});
    if (error != 0) {
      base::notice("memory: move_pages", "the kernel does not report where pages lie (move_pages: " +
                                             std::string(std::strerror(error)) + ")");
      result.unknown += last - at + 1;
      return result;
    }
    for (std::size_t i = 0; i < count; ++i) {
      const auto node = std::find_if(machine.nodes.begin(), machine.nodes.end(),
                                     [&](const Node& one) { return one.os_index == nodes[i]; });
      if (node == machine.nodes.end())
        ++result.unknown;
      else
        ++result.pages[static_cast<std::size_t>(node->id)];
    }
  }
  return result;
}

int node_of_target(const Machine& machine, const std::vector<WorkerCore>& worker_cores, detail::Target target) {
  const auto refuse = [&](const char* what, std::size_t there) -> int {
    throw Error(
        Errc::bad_input,
        "there is no " + std::string(what) + " " + std::to_string(target.id) + "; there are " + std::to_string(there),
        "give a number from 0 to " + std::to_string(there == 0 ? 0 : there - 1));
  };
  const auto id = static_cast<std::size_t>(target.id);
  switch (target.kind) {
    case detail::Target::Kind::worker:
      if (target.id < 0 || id >= worker_cores.size()) return refuse("worker", worker_cores.size());
      return std::max(worker_cores[id].node, 0);
    case detail::Target::Kind::chiplet:
      if (target.id < 0 || id >= machine.chiplets.size()) return refuse("chiplet", machine.chiplets.size());
      return machine.chiplets[id].node;
    case detail::Target::Kind::node:
      break;
  }
  if (target.id < 0 || id >= machine.nodes.size()) return refuse("NUMA node", machine.nodes.size());
  return target.id;
}

int node_of_cpu(const Machine& machine, int cpu) {
  for (const Node& node : machine.nodes) {
    if (node.cpus.contains(cpu)) return node.id;
  }
  return 0;
}

NodeSet nodes_with_cpus(const Machine& machine) {
  NodeSet ids;
  for (const Node& node : machine.nodes) {
    if (!node.cpus.empty()) ids.insert(node.id);
  }
  if (ids.empty()) {
    for (const Node& node : machine.nodes) ids.insert(node.id);
  }
  return ids;
}

std::vector<int> nodes_of_workers(const Machine& machine, const std::vector<WorkerCore>& worker_cores) {
  const NodeSet all = nodes_with_cpus(machine);
  std::vector<int> nodes;
  for (std::size_t i = 0; i < worker_cores.size(); ++i) {
    const int dealt = all.empty() ? 0 : all[i * all.size() / worker_cores.size()];
    nodes.push_back(worker_cores[i].node >= 0 ? worker_cores[i].node : dealt);
  }
  return nodes;
}

NodeSet nodes_with_workers(const Machine& machine, const std::vector<WorkerCore>& worker_cores) {
  NodeSet nodes;
  for (const WorkerCore& worker_core : worker_cores) {
    if (worker_core.node < 0) return nodes_with_cpus(machine);
    nodes.insert(worker_core.node);
  }
  return nodes;
}

}  // namespace charm::memory
