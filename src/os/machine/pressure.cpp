#include "os/machine/pressure.hpp"

#include <algorithm>
#include <string_view>

#include "os/files/system_files.hpp"
#include "os/machine/cgroup.hpp"

namespace charm::os {
namespace {

/// The number behind `name` in the line of stalls that hit some task: "some avg10=0.00 avg60=0.00 avg300=0.00
/// total=12".
template <class Number>
std::optional<Number> some_stalls(const std::string& path, std::string_view name) {
  const std::string text = read_text(path);
  const auto line = value_of(text, "some ");
  if (!line) return std::nullopt;
  const std::size_t at = line->find(name);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = line->substr(at + name.size());
  return next_number<Number>(rest);
}

}  // namespace

std::optional<double> cpu_pressure(const std::string& root) {
  return some_stalls<double>(path_below(root, "proc/pressure/cpu"), "avg10=");
}

std::optional<std::uint64_t> stall_time_us(const std::string& resource, const std::string& root) {
  constexpr std::string_view total = "total=";
  for (const CgroupMembership& group : cgroup_memberships(root)) {
    if (!group.controllers.empty() || group.path.size() <= 1) continue;
    const std::string path = path_below(root, "sys/fs/cgroup") + group.path + "/" + resource + ".pressure";
    if (const auto stalled = some_stalls<std::uint64_t>(path, total)) return stalled;
  }
  return some_stalls<std::uint64_t>(path_below(root, "proc/pressure/" + resource), total);
}

}  // namespace charm::os
