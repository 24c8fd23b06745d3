#include "os/memory.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <limits>
#include <string_view>
#include <unistd.h>

#include <sys/resource.h>

namespace charm::os {
namespace {

std::optional<std::uint64_t> first_number(std::string_view text) {
  const auto start = text.find_first_of("0123456789");
  if (start == std::string_view::npos) return std::nullopt;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data() + start, text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  return value;
}

/// The bytes of a "Name:   123 kB" line of a procfs file.
std::optional<std::uint64_t> kilobytes_of(const std::string& path, std::string_view name) {
  std::ifstream in(path);
  std::string line;
  while (std::getline(in, line)) {
    if (!line.starts_with(name)) continue;
    if (const auto number = first_number(line)) return *number * 1024;
  }
  return std::nullopt;
}

/// A cgroup file's number; nothing for "max", a missing file, or version 1's "no limit", which is near 2^63.
std::optional<std::uint64_t> cgroup_number(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  if (!std::getline(in, line)) return std::nullopt;
  const auto number = first_number(line);
  if (!number || *number > (1ULL << 62U)) return std::nullopt;
  return number;
}

/// File pages that a cgroup holds: they count as its usage, and go when memory is asked for.
std::uint64_t reclaimable(const std::string& folder, std::string_view prefix) {
  std::ifstream in(folder + "memory.stat");
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

/// What is left below the tightest limit from `group` up to the mount.
std::optional<std::uint64_t> left_in(const std::string& mount, std::string group, const CgroupFiles& files) {
  std::optional<std::uint64_t> least;
  while (true) {
    const std::string folder = mount + group + "/";
    if (const auto most = cgroup_number(folder + files.limit)) {
      const std::uint64_t held = cgroup_number(folder + files.usage).value_or(0);
      const std::uint64_t used = held - std::min(held, reclaimable(folder, files.stat_prefix));
      const std::uint64_t left = *most > used ? *most - used : 0;
      least = std::min(least.value_or(left), left);
    }
    if (group.empty()) return least;
    group.resize(group.find_last_of('/') == std::string::npos ? 0 : group.find_last_of('/'));
  }
}

std::optional<std::uint64_t> left_in_cgroups(const std::string& root) {
  std::optional<std::uint64_t> least;
  std::ifstream in(root + "proc/self/cgroup");
  std::string line;
  while (std::getline(in, line)) {  // "0::/path" (version 2), "4:memory,…:/path" (version 1)
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    std::string controllers(1, ',');
    controllers.append(line, first + 1, second - first - 1).append(1, ',');
    std::string group = line.substr(second + 1);
    if (group == "/") group.clear();
    std::optional<std::uint64_t> left;
    if (controllers == ",,") {
      left = left_in(root + "sys/fs/cgroup", group, {"memory.max", "memory.current", ""});
    } else if (controllers.find(",memory,") != std::string::npos) {
      left =
          left_in(root + "sys/fs/cgroup/memory", group, {"memory.limit_in_bytes", "memory.usage_in_bytes", "total_"});
    }
    if (left) least = std::min(least.value_or(*left), *left);
  }
  return least;
}

}  // namespace

std::optional<std::uint64_t> available_bytes(const std::string& root) {
  const auto system = kilobytes_of(root + "proc/meminfo", "MemAvailable:");
  const auto cgroups = left_in_cgroups(root);
  if (!system) return cgroups;
  return std::min(*system, cgroups.value_or(std::numeric_limits<std::uint64_t>::max()));
}

std::uint64_t resident_bytes() noexcept {
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  unsigned long long total = 0;
  unsigned long long resident = 0;
  const int read = std::fscanf(file, "%llu %llu", &total, &resident);
  std::fclose(file);
  return read == 2 ? resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) : 0;
}

PeakMemory::PeakMemory() {
  std::ofstream mark("/proc/self/clear_refs");
  mark << "5" << std::flush;
  exact_ = static_cast<bool>(mark);
}

std::uint64_t PeakMemory::bytes() const {
  if (const auto mark = kilobytes_of("/proc/self/status", "VmHWM:")) return *mark;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace charm::os
