// `charm malloc explain PID`: where the pages of a running program lie, and which policy of the kernel put them there.
// A huge block of the malloc is several mappings, one for each layer (memory/layers.hpp); neighbours count as one
// here.
#include <charm/error.hpp>

#include <algorithm>
#include <map>
#include <ostream>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/format.hpp"
#include "base/json.hpp"
#include "os/processes/this_process.hpp"
#include "os/threads/thread_list.hpp"
#include "tools/cli/malloc/commands.hpp"
#include "tools/cli/text_table.hpp"
#include "tools/os/numa_maps.hpp"

namespace charm::cli {
namespace {

struct MemoryBlock {
  std::uint64_t address = 0;
  std::vector<std::string> policies = {};  // each once
  std::string what;
  std::map<int, std::uint64_t> bytes = {};
  [[nodiscard]] std::uint64_t total() const {
    std::uint64_t sum = 0;
    for (const auto& [node, each] : bytes) sum += each;
    return sum;
  }
};

bool is_placed(const std::string& policy) {
  return policy.rfind("interleave", 0) == 0 || policy.rfind("prefer", 0) == 0;
}

/// Mappings that were placed and lie next to each other are one block; the kernel does not say their ends, so that
/// blocks that were allocated side by side are taken for one.
std::vector<MemoryBlock> blocks_of(const std::vector<os::MappedPages>& mappings) {
  std::vector<MemoryBlock> blocks;
  bool open = false;
  for (const os::MappedPages& mapping : mappings) {
    const bool placed = is_placed(mapping.policy);
    if (!open || !placed || !mapping.what.empty()) blocks.push_back({.address = mapping.address, .what = mapping.what});
    open = placed && mapping.what.empty();
    MemoryBlock& block = blocks.back();
    if (std::find(block.policies.begin(), block.policies.end(), mapping.policy) == block.policies.end())
      block.policies.push_back(mapping.policy);
    for (const auto& [node, bytes] : mapping.bytes) block.bytes[node] += bytes;
  }
  return blocks;
}

std::string reason(const MemoryBlock& block) {
  const bool interleaved = std::any_of(block.policies.begin(), block.policies.end(),
                                       [](const std::string& policy) { return policy.rfind("interleave", 0) == 0; });
  if (interleaved) return "spread by weight";
  if (is_placed(block.policies.front())) return "near the threads that allocate";
  if (block.policies.front().rfind("bind", 0) == 0) return "bound to nodes";
  return "where it was touched first";
}

/// Why the memory of a process cannot be read.
[[noreturn]] void refuse(int pid) {
  const std::string which = "process " + std::to_string(pid);
  const os::ProcessOwner owner = os::owner_of(pid);
  if (!owner.user) throw Error(Errc::bad_input, "there is no " + which, "give the id of a process that runs");
  if (*owner.user != os::user_id() && os::user_id() != 0) {
    throw Error(Errc::bad_input, which + " belongs to the user " + os::user_name(*owner.user) + ", not to you",
                "give a process of yours, or run this as root");
  }
  throw Error(
      Errc::bad_input, "the memory of " + which + " cannot be read",
      "give a program's process (the kernel's own have no memory), on a kernel with NUMA (/proc/PID/numa_maps)");
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

}  // namespace

int malloc_explain(const MallocExplainOptions& options, Session& session) {
  const auto mappings = os::numa_maps(options.pid);
  if (!mappings) refuse(options.pid);
  std::map<int, std::uint64_t> all;
  std::vector<MemoryBlock> shown;
  for (MemoryBlock& block : blocks_of(*mappings)) {
    for (const auto& [node, bytes] : block.bytes) all[node] += bytes;
    if (static_cast<double>(block.total()) >= options.least_mib * (1U << 20U)) shown.push_back(std::move(block));
  }
  std::sort(shown.begin(), shown.end(),
            [](const MemoryBlock& a, const MemoryBlock& b) { return a.total() > b.total(); });
  if (options.output.json) {
    const auto by_node = [](const std::map<int, std::uint64_t>& bytes) {
      base::Json json = base::Json::object();
      for (const auto& [node, each] : bytes) json[std::to_string(node)] = each;
      return json;
    };
    base::Json json{{"pid", options.pid}, {"bytes_by_node", by_node(all)}, {"blocks", base::Json::array()}};
    for (const MemoryBlock& block : shown) {
      json["blocks"].push_back({{"address", fmt::format("0x{:x}", block.address)},
                                {"bytes_by_node", by_node(block.bytes)},
                                {"policies", block.policies},
                                {"what", block.what},
                                {"why", reason(block)}});
    }
    session.out << base::json_text(json, 2) << '\n';
    return exit_done;
  }
  std::vector<Column> columns = {{"address"}, {"size", Column::Align::right}};
  for (const auto& [node, bytes] : all) columns.push_back({"node " + std::to_string(node), Column::Align::right});
  for (const char* title : {"why", "policy of the kernel", "what"}) columns.push_back({title});
  std::vector<std::vector<Cell>> cells;
  const auto line = [&](const std::string& name, const std::map<int, std::uint64_t>& bytes, std::uint64_t total) {
    std::vector<Cell> row = {{name, "1"}, {base::format_bytes(total), ""}};
    for (const auto& [node, ignored] : all) {
      const auto found = bytes.find(node);
      const double part =
          found == bytes.end() || total == 0 ? 0 : static_cast<double>(found->second) / static_cast<double>(total);
      row.push_back({part > 0 ? base::format_percent(part) : "–", part > 0 ? "36" : "2"});
    }
    return row;
  };
  std::uint64_t total = 0;
  for (const auto& [node, bytes] : all) total += bytes;
  cells.push_back(line("all", all, total));
  for (const MemoryBlock& block : shown) {
    cells.push_back(line(fmt::format("{:x}", block.address), block.bytes, block.total()));
    for (const std::string& text : {reason(block), joined(block.policies), block.what})
      cells.back().push_back({text, ""});
  }
  session.out << render_table(columns, cells, colour_on_stdout(options.output.colour));
  return exit_done;
}

}  // namespace charm::cli
