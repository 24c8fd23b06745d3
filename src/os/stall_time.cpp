#include "os/stall_time.hpp"

#include <charconv>
#include <fstream>

namespace charm::os {
namespace {

/// "some avg10=0.00 avg60=0.00 avg300=0.00 total=1234"
std::optional<std::uint64_t> total_of(const std::string& path) {
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("some ")) continue;
    const auto at = line.find("total=");
    if (at == std::string::npos) return std::nullopt;
    std::uint64_t total = 0;
    const auto [end, error] = std::from_chars(line.data() + at + 6, line.data() + line.size(), total);
    if (error != std::errc()) return std::nullopt;
    return total;
  }
  return std::nullopt;
}

std::string own_cgroup(const std::string& root) {
  std::ifstream in(root + "proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("0::")) return line.substr(3);
  }
  return "";
}

}  // namespace

std::optional<std::uint64_t> stall_time_us(const std::string& resource, const std::string& root) {
  if (const std::string group = own_cgroup(root); group.size() > 1) {
    if (auto total = total_of(root + "sys/fs/cgroup" + group + "/" + resource + ".pressure")) return total;
  }
  return total_of(root + "proc/pressure/" + resource);
}

}  // namespace charm::os
