#include "tools/cli/attach/memory.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <thread>

#include "base/choice.hpp"
#include "memory/weight_page.hpp"
#include "os/files/system_files.hpp"
#include "os/memory/memory.hpp"
#include "os/memory/thread_memory.hpp"
#include "os/processes/this_process.hpp"
#include "tools/cli/malloc/source.hpp"
#include "tools/memory_traffic/kernel_weights.hpp"
#include "tools/memory_traffic/publish.hpp"

namespace charm::cli {
namespace {

using attach::Memory;
using memory_traffic::NodeParts;

constexpr std::string_view weighted_by = "weighted=";
constexpr double worth_a_note = .05;

/// Nodes with cores that the program uses, and how many.
NodeParts cores_by_node(const Machine& used) {
  NodeParts cores;
  for (const Core& core : used.cores) {
    if (core.node >= 0) ++cores[used.nodes[static_cast<std::size_t>(core.node)].os_index];
  }
  return cores;
}

/// Nodes from which the program may have memory, each as a part of one.
NodeParts nodes_with_memory() {
  OsNodeSet nodes =
      OsNodeSet::try_parse(os::first_line("/sys/devices/system/node/has_memory").value_or("0")).value_or(OsNodeSet{0});
  if (const auto allowed = os::allowed_memory_nodes()) nodes = nodes & *allowed;
  NodeParts parts;
  for (const int node : nodes) parts[node] = 1;
  return parts;
}

NodeParts parts_in_file(const std::string& path, const Machine& used) {
  std::error_code error;
  if (!std::filesystem::exists(path, error))
    throw Error(Errc::bad_input, "--mem weighted=" + path + ": there is no such file",
                "write one by 'charm malloc weights --file " + path + "', or give auto");
  const memory::WeightPage page = memory_traffic::page_from_bytes(os::read_text(path), path);
  NodeParts parts;
  for (const Core& core : used.cores) {
    const std::uint8_t root = page.root_of_cpu[static_cast<std::size_t>(core.cpu)];
    if (root == memory::no_root) continue;
    for (std::size_t m = 0; m < page.memories; ++m) parts[page.os_node[m]] += page.weights[root][m];
  }
  if (parts.empty())
    throw Error(Errc::bad_input, "the weights in " + path + " are for none of the program's cpus",
                "write them on this machine: charm malloc weights --file " + path);
  return parts;
}

/// On a thread that ends right after: policies are each thread's own.
bool has_weighted_interleaving(const OsNodeSet& nodes) {
  bool has = false;
  std::thread([&] { has = os::set_memory_policy(os::MemoryPolicy::weighted_interleave, nodes); }).join();
  return has;
}

ProgramMemory weighted(const MemoryWish& wish, const Machine& used, std::vector<std::string>& notes) {
  const NodeParts there = nodes_with_memory();
  NodeParts wanted = there;
  if (!wish.weights.empty())
    wanted = wish.weights == "auto" ? parts_of_model(weight_source({}), cores_by_node(used))
                                    : parts_in_file(wish.weights, used);
  std::erase_if(wanted, [&](const auto& one) { return one.second <= 0 || !there.contains(one.first); });
  if (wanted.empty())
    throw Error(Errc::bad_input, "--mem weighted: no node with a weight has memory that the program may use",
                "leave out the weights, or look at the cpuset's nodes");
  ProgramMemory memory{Memory::weighted, {}};
  for (const auto& [node, part] : wanted) memory.nodes.insert(node);
  if (!has_weighted_interleaving(memory.nodes))
    throw Error(Errc::system, "--mem weighted: this kernel does not interleave by weights (Linux 6.9 and later do)",
                "give --mem interleave, which takes the nodes evenly, or --malloc, which weighs the huge blocks of "
                "programs that use malloc");
  if (memory.nodes.size() == 1) {
    notes.emplace_back("all pages come from node " + memory.nodes.to_text() + ": no other has memory for the program");
    return memory;
  }
  const auto kernel = memory_traffic::read_kernel_weights();
  const NodeParts actual = memory_traffic::parts_by(kernel ? kernel->of_node : std::map<int, int>(), wanted);
  notes.emplace_back("new pages: " + memory_traffic::to_text(actual) +
                     (kernel ? " (the kernel's weights)" : " (the kernel's weights cannot be read: taken as equal)"));
  if (wish.weights.empty()) return memory;
  NodeParts asked = memory_traffic::parts_by(memory_traffic::whole_weights(wanted), wanted);
  if (memory_traffic::largest_difference(asked, actual) > worth_a_note)
    notes.emplace_back("asked for were " + memory_traffic::to_text(asked) +
                       ", but a program cannot have weights of its own: 'charm malloc weights --kernel' as root sets "
                       "them for all programs");
  return memory;
}

}  // namespace

std::string no_memory_wish(const std::string& text) {
  if (text.starts_with(weighted_by) && text.size() > weighted_by.size()) return "";
  if (base::choice_named<Memory>(text)) return "";
  return "'" + text + "' is not keep, local, interleave, bind, weighted, weighted=auto or weighted=FILE";
}

MemoryWish memory_wish(const std::string& text) {
  if (text.starts_with(weighted_by)) return {Memory::weighted, text.substr(weighted_by.size())};
  return {base::choice_named<Memory>(text).value_or(Memory::keep), ""};
}

void ProgramMemory::set() const {
  using os::MemoryPolicy;
  if (word == Memory::keep) return;
  if (word == Memory::local) return os::reset_memory_policy();
  const MemoryPolicy policy = word == Memory::bind         ? MemoryPolicy::bind
                              : word == Memory::interleave ? MemoryPolicy::interleave
                                                           : MemoryPolicy::weighted_interleave;
  if (!os::set_memory_policy(policy, nodes))
    os::write_to_stderr("charm: the kernel refused the memory policy; memory comes from where it would anyway\n");
}

ProgramMemory program_memory(const MemoryWish& wish, const Machine& used, std::vector<std::string>& notes) {
  if (wish.word == Memory::weighted) return weighted(wish, used, notes);
  ProgramMemory memory{wish.word, {}};
  for (const auto& [node, cores] : cores_by_node(used)) memory.nodes.insert(node);
  return memory;
}

}  // namespace charm::cli
