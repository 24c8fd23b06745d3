#include "tools/os/page_mover.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>
#include <unistd.h>

#include <sys/syscall.h>

#include "os/files/system_files.hpp"
#include "os/memory/stack_memory.hpp"
#include "tools/os/numa_maps.hpp"

namespace charm::os {
namespace {

constexpr std::uint64_t step_bytes = 2U << 20U;  // a huge page, which moves as a whole
constexpr int most_steps = 128;                  // of one call: mappings may be large and nearly empty
constexpr int move_own_pages = 2;                // MPOL_MF_MOVE: those that no other process maps

/// Where each mapping ends, by where it begins.
std::map<std::uint64_t, std::uint64_t> ends_of_mappings(int process) {
  std::map<std::uint64_t, std::uint64_t> ends;
  const std::string text = read_text("/proc/" + std::to_string(process) + "/maps");
  for (std::string_view rest = text; !rest.empty();) {  // "7f2a40000000-7f2a48000000 rw-p ..."
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    std::uint64_t begin = 0, end = 0;
    const char* const last = line.data() + line.size();
    const auto [dash, error] = std::from_chars(line.data(), last, begin, 16);
    if (error != std::errc() || dash == last || *dash != '-') continue;
    if (std::from_chars(dash + 1, last, end, 16).ec == std::errc()) ends[begin] = end;
  }
  return ends;
}

/// \param targets null: only asks where the pages are. \return false where the kernel refuses altogether.
bool move_pages(int process, std::vector<void*>& pages, const int* targets, std::vector<int>& status) {
#ifdef SYS_move_pages
  return syscall(SYS_move_pages, process, pages.size(), pages.data(), targets, status.data(),
                 targets == nullptr ? 0 : move_own_pages) >= 0;
#else
  return false;
#endif
}

}  // namespace

std::uint64_t PageMover::find(const std::vector<int>& processes, const OsNodeSet& nodes) {
  nodes_ = nodes;
  ranges_.clear();
  std::uint64_t found = 0;
  for (const int process : processes) {
    const auto mappings = numa_maps(process);
    if (!mappings) continue;
    const auto ends = ends_of_mappings(process);
    for (const MappedPages& mapping : *mappings) {
      const bool nobodys = mapping.policy == "default" || mapping.policy == "local";
      const bool anonymous = mapping.what.empty() || mapping.what == "heap" || mapping.what == "stack";
      const auto end = ends.find(mapping.address);
      if (!nobodys || !anonymous || end == ends.end()) continue;
      std::uint64_t elsewhere = 0;
      for (const auto& [node, bytes] : mapping.bytes) elsewhere += nodes.contains(node) ? 0 : bytes;
      if (elsewhere == 0) continue;
      found += elsewhere;
      ranges_.push_back({process, mapping.address, end->second});
    }
  }
  return found;
}

PageMover::Moved PageMover::move(std::uint64_t most) {
  Moved all;
  for (int steps = 0; steps < most_steps && !ranges_.empty() && all.bytes + all.refused < most; ++steps) {
    Range& range = ranges_.back();
    // Steps end where huge pages do.
    const std::uint64_t bytes = std::min(range.end, (range.begin / step_bytes + 1) * step_bytes) - range.begin;
    const Moved one = step(range, bytes, nodes_[turn_++ % nodes_.size()]);
    all.bytes += one.bytes;
    all.refused += one.refused;
    range.begin += bytes;
    if (range.begin >= range.end) ranges_.pop_back();
  }
  all.end = ranges_.empty();
  return all;
}

PageMover::Moved PageMover::step(const Range& range, std::uint64_t bytes, int to) const {
  const auto page = static_cast<std::uint64_t>(page_bytes());
  std::vector<void*> pages;
  for (std::uint64_t at = 0; at < bytes; at += page) pages.push_back(reinterpret_cast<void*>(range.begin + at));
  std::vector<int> where(pages.size(), -1);
  if (!move_pages(range.process, pages, nullptr, where)) return {};
  std::vector<void*> away;
  for (std::size_t p = 0; p < pages.size(); ++p) {
    if (where[p] >= 0 && !nodes_.contains(where[p])) away.push_back(pages[p]);
  }
  if (away.empty()) return {};
  const std::vector<int> targets(away.size(), to);
  std::vector<int> after(away.size(), -1);
  if (!move_pages(range.process, away, targets.data(), after)) return {0, away.size() * page, false};
  const auto arrived = static_cast<std::uint64_t>(std::count(after.begin(), after.end(), to));
  return {arrived * page, (away.size() - arrived) * page, false};
}

}  // namespace charm::os
