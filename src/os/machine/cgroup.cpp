#include "os/machine/cgroup.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <sstream>
#include <string_view>

#include "os/files/system_files.hpp"

namespace charm::os {
namespace {

namespace fs = std::filesystem;

/// One mounted hierarchy, the process's group in it, and the mount point, where the walk upwards ends.
struct Hierarchy {
  bool v2 = false;
  std::vector<std::string> controllers;  // of v1
  fs::path top;
  fs::path group;

  [[nodiscard]] bool controls(const char* name) const {
    return v2 || std::find(controllers.begin(), controllers.end(), name) != controllers.end();
  }
};

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (true) {
    std::size_t end = text.find(separator, begin);
    parts.emplace_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

/// mountinfo writes blanks and backslashes of a path as \040 and the like.
std::string unescape(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned code = 0;
    if (text[i] == '\\' && i + 3 < text.size() &&
        std::from_chars(&text[i + 1], &text[i + 4], code, 8).ptr == &text[i + 4]) {
      out += static_cast<char>(code);
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

/// The group's directory. In a container the path may be the host's although only a part of the tree is mounted
/// (`mount_root`), or "/.." if the group lies outside of the namespace. Then the top of the mount is used.
fs::path group_directory(const fs::path& mount_point, const std::string& mount_root, const std::string& path) {
  if (path.find("/..") != std::string::npos) return mount_point;
  std::string below = path;
  if (mount_root != "/") {
    if (below.compare(0, mount_root.size(), mount_root) == 0 &&
        (below.size() == mount_root.size() || below[mount_root.size()] == '/')) {
      below.erase(0, mount_root.size());
    } else {
      return mount_point;
    }
  }
  while (!below.empty() && below.front() == '/') below.erase(0, 1);
  fs::path directory = below.empty() ? mount_point : mount_point / below;
  std::error_code ignored;
  return fs::is_directory(directory, ignored) ? directory : mount_point;
}

std::vector<Hierarchy> hierarchies(const fs::path& root, const std::string& process) {
  std::vector<Hierarchy> found;
  const auto member = cgroup_memberships(root.string(), process);
  std::istringstream in(read_text(root / "proc/self/mountinfo"));
  for (std::string line; std::getline(in, line);) {
    // "id parent dev root mountpoint options [optional...] - type source superoptions"
    std::size_t dash = line.find(" - ");
    if (dash == std::string::npos || line.compare(dash + 3, 6, "cgroup") != 0) continue;  // most lines are others'
    auto left = split(std::string_view(line).substr(0, dash), ' ');
    auto right = split(std::string_view(line).substr(dash + 3), ' ');
    if (left.size() < 5 || right.size() < 3 || (right[0] != "cgroup" && right[0] != "cgroup2")) continue;
    Hierarchy h;
    h.v2 = right[0] == "cgroup2";
    if (!h.v2) h.controllers = split(right[2], ',');
    if (!h.v2 && !h.controls("cpuset") && !h.controls("cpu") && !h.controls("pids")) continue;
    std::string point = unescape(left[4]);
    h.top = root / point.substr(std::min<std::size_t>(point.size(), 1));
    for (const auto& m : member) {
      auto names = split(m.controllers, ',');
      bool mine = h.v2 ? m.controllers.empty() : std::any_of(names.begin(), names.end(), [&](const std::string& name) {
        return !name.empty() && std::find(h.controllers.begin(), h.controllers.end(), name) != h.controllers.end();
      });
      if (!mine) continue;
      h.group = group_directory(h.top, unescape(left[3]), m.path);
      found.push_back(h);
      break;
    }
  }
  return found;
}

/// Calls `visit` for the group and every group above it, up to the mount's top, until it answers true.
template <typename Visit>
void upwards(const Hierarchy& h, Visit visit) {
  fs::path directory = h.group.lexically_normal();
  const fs::path top = h.top.lexically_normal();
  while (!visit(directory) && directory != top && directory.has_relative_path()) directory = directory.parent_path();
}

template <class Set>
std::optional<Set> nearest_list(const Hierarchy& h, std::initializer_list<const char*> names) {
  std::optional<Set> found;
  upwards(h, [&](const fs::path& directory) {
    for (const char* name : names) {
      auto line = first_line(directory / name);
      if (!line) continue;
      auto list = Set::try_parse(*line);
      if (list && !list->empty()) {
        found = std::move(list);
        return true;
      }
    }
    return false;
  });
  return found;
}

/// `quota` may be "max" or -1: no limit at this level.
void tighten(double& tightest, const std::string& quota, const std::string& period) {
  std::int64_t q = 0;
  std::int64_t p = 0;
  auto parsed = [](const std::string& text, std::int64_t& value) {
    return std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc();
  };
  if (!parsed(quota, q) || !parsed(period, p) || q <= 0 || p <= 0) return;
  double cpus = static_cast<double>(q) / static_cast<double>(p);
  if (tightest == 0 || cpus < tightest) tightest = cpus;
}

void tighten(std::int64_t& fewest, const std::optional<std::string>& line) {
  std::int64_t count = 0;
  if (!line || std::from_chars(line->data(), line->data() + line->size(), count).ec != std::errc()) return;  // "max"
  if (fewest == 0 || count < fewest) fewest = count;
}

template <class Set>
void intersect(std::optional<Set>& all, std::optional<Set> more) {
  if (!more) return;
  all = all ? *all & *more : std::move(*more);
}

}  // namespace

std::vector<CgroupMembership> cgroup_memberships(const std::string& root, const std::string& process) {
  std::vector<CgroupMembership> found;
  std::istringstream in(read_text(path_below(root, "proc/" + process + "/cgroup")));
  for (std::string line; std::getline(in, line);) {  // "0::/path" (version 2), "4:memory,...:/path" (version 1)
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    found.push_back({line.substr(first + 1, second - first - 1), line.substr(second + 1)});
  }
  return found;
}

CgroupLimits read_cgroup_limits(const std::string& root, const std::string& process) {
  CgroupLimits limits;
  for (const Hierarchy& h : hierarchies(root, process)) {
    if (h.controls("pids")) {
      upwards(h, [&](const fs::path& directory) {
        tighten(limits.threads, first_line(directory / "pids.max"));
        return false;
      });
    }
    if (h.controls("cpuset")) {
      intersect(limits.cpus, h.v2 ? nearest_list<CpuSet>(h, {"cpuset.cpus.effective"})
                                  : nearest_list<CpuSet>(h, {"cpuset.effective_cpus", "cpuset.cpus"}));
      intersect(limits.nodes, h.v2 ? nearest_list<OsNodeSet>(h, {"cpuset.mems.effective"})
                                   : nearest_list<OsNodeSet>(h, {"cpuset.effective_mems", "cpuset.mems"}));
    }
    if (h.controls("cpu")) {
      upwards(h, [&](const fs::path& directory) {
        if (h.v2) {
          if (auto line = first_line(directory / "cpu.max")) {
            auto parts = split(*line, ' ');
            tighten(limits.cpu_quota, parts[0], parts.size() > 1 ? parts[1] : "100000");
          }
        } else {
          auto quota = first_line(directory / "cpu.cfs_quota_us");
          auto period = first_line(directory / "cpu.cfs_period_us");
          if (quota) tighten(limits.cpu_quota, *quota, period.value_or("100000"));
        }
        return false;
      });
    }
  }
  return limits;
}

}  // namespace charm::os
