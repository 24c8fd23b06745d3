// Which cpus each thread may use, and whose doing that is.
#pragma once

#include <charm/id_set.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tools/top/snapshot.hpp"

namespace charm::top {

/// "cpuset", "charm", "program"; empty for nobody.
std::string_view name_of(MaskFrom from);

class MaskReader {
 public:
  /// \param root of /proc, /sys and the cgroup mounts; below another one than "/" masks are read from files.
  explicit MaskReader(std::string root = "/");
  /// Adds its mask to each row, and where that comes from. A thread that has ended meanwhile has none.
  void read(std::vector<ThreadShare>& rows);

 private:
  [[nodiscard]] CpuSet mask_of(const ThreadShare& row) const;
  [[nodiscard]] MaskFrom from(const ThreadShare& row);

  std::string root_;
  CpuSet online_;
  struct Process {
    CpuSet granted;        ///< by its cgroups
    bool claimed = false;  ///< `charm run` or `charm attach` places its threads
  };
  std::map<int, Process> processes_;  ///< of this read, those with a thread that may not use all cpus
};

}  // namespace charm::top
