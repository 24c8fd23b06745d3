#include "os/memory/memory.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <sstream>
#include <string_view>
#include <unistd.h>

#include <sys/resource.h>

#include "os/files/system_files.hpp"
#include "os/machine/cgroup.hpp"
#include "os/memory/stack_memory.hpp"

namespace charm::os {
namespace {

/// A cgroup file's number; nothing for "max", a missing file, or version 1's "no limit", which is near 2^63.
std::optional<std::uint64_t> cgroup_number(const std::string& path) {
  const auto number = first_number(first_line(path).value_or(""));
  return number && *number <= (1ULL << 62U) ? number : std::nullopt;
}

/// File pages that a cgroup holds: they count as its usage, and go when memory is asked for.
std::uint64_t reclaimable(const std::string& folder, std::string_view prefix) {
  std::istringstream in(read_text(folder + "memory.stat"));
  std::uint64_t sum = 0;
  std::string name;
  std::uint64_t value = 0;
  while (in >> name >> value) {
    if (!name.starts_with(prefix)) continue;
    const std::string_view kind = std::string_view(name).substr(prefix.size());
    if (kind == "inactive_file" || kind == "active_file") sum += value;
  }
  return sum;
}

/// The names of one cgroup version's memory files.
struct CgroupFiles {
  const char* limit;
  const char* usage;
  const char* stat_prefix;  // of the lines that count a group's children in
};

std::uint64_t limit_itself(std::uint64_t most, const std::string& /*folder*/, const CgroupFiles& /*files*/) {
  return most;
}

std::uint64_t left_below(std::uint64_t most, const std::string& folder, const CgroupFiles& files) {
  const std::uint64_t held = cgroup_number(folder + files.usage).value_or(0);
  const std::uint64_t used = held - std::min(held, reclaimable(folder, files.stat_prefix));
  return most > used ? most - used : 0;
}

using Measure = std::uint64_t (*)(std::uint64_t most, const std::string& folder, const CgroupFiles& files);

/// The least of what `measure` says of the limits from `group` up to the mount.
std::optional<std::uint64_t> least_in(const std::string& mount, std::string group, const CgroupFiles& files,
                                      Measure measure) {
  std::optional<std::uint64_t> least;
  while (true) {
    const std::string folder = mount + group + "/";
    if (const auto most = cgroup_number(folder + files.limit)) {
      const std::uint64_t here = measure(*most, folder, files);
      least = std::min(least.value_or(here), here);
    }
    if (group.empty()) return least;
    group.resize(group.find_last_of('/') == std::string::npos ? 0 : group.find_last_of('/'));
  }
}

std::optional<std::uint64_t> least_in_cgroups(const std::string& root, Measure measure) {
  std::optional<std::uint64_t> least;
  for (const CgroupMembership& member : cgroup_memberships(root)) {
    const std::string controllers = "," + member.controllers + ",";
    const std::string group = member.path == "/" ? "" : member.path;
    std::optional<std::uint64_t> here;
    if (controllers == ",,") {
      here = least_in(path_below(root, "sys/fs/cgroup"), group, {"memory.max", "memory.current", ""}, measure);
    } else if (controllers.find(",memory,") != std::string::npos) {
      here = least_in(path_below(root, "sys/fs/cgroup/memory"), group,
                      {"memory.limit_in_bytes", "memory.usage_in_bytes", "total_"}, measure);
    }
    if (here) least = std::min(least.value_or(*here), *here);
  }
  return least;
}

}  // namespace

std::optional<std::uint64_t> available_bytes(const std::string& root) {
  const auto system = kilobytes_of(read_text(path_below(root, "proc/meminfo")), "MemAvailable:");
  const auto cgroups = least_in_cgroups(root, left_below);
  if (!system) return cgroups;
  return std::min(*system, cgroups.value_or(std::numeric_limits<std::uint64_t>::max()));
}

std::optional<std::uint64_t> cgroup_memory_limit(const std::string& root) {
  return least_in_cgroups(root, limit_itself);
}

std::optional<OsNodeSet> allowed_memory_nodes(const std::string& root) {
  const std::string status = read_text(path_below(root, "proc/self/status"));
  const auto list = value_of(status, "Mems_allowed_list:");
  return list ? OsNodeSet::try_parse(*list) : std::nullopt;
}

std::uint64_t resident_bytes() noexcept {
  std::array<char, 128> buffer{};
  std::string_view text = read_start("/proc/self/statm", buffer);
  next_number<std::uint64_t>(text);  // mapped
  return next_number<std::uint64_t>(text).value_or(0) * page_bytes();
}

std::optional<std::uint64_t> mapping_limit() { return first_number(read_text("/proc/sys/vm/max_map_count")); }

PeakMemory::PeakMemory() {
  std::ofstream mark("/proc/self/clear_refs");
  mark << "5" << std::flush;
  exact_ = static_cast<bool>(mark);
}

std::uint64_t PeakMemory::bytes() const {
  if (const auto mark = kilobytes_of(read_text("/proc/self/status"), "VmHWM:")) return *mark;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace charm::os
