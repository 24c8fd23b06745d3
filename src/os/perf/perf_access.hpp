// What limits a process's access to hardware counters: the kernel's settings, the process's rights, the devices. Read
// below `root`, so that tests can use a tree of their own.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace charm::os {

struct PerfAccess {
  std::optional<int> paranoid;       ///< kernel.perf_event_paranoid; nothing if the kernel has no perf events
  std::optional<int> user_access;    ///< rdpmc: /sys/.../cpu/rdpmc on x86, kernel.perf_user_access on arm64
  bool seccomp = false;              ///< a seccomp filter is active for the process
  bool privileged = false;           ///< CAP_PERFMON or CAP_SYS_ADMIN
  bool guest = false;                ///< /proc/cpuinfo says that this is a virtual machine
  std::vector<std::string> devices;  ///< /sys/bus/event_source/devices, sorted

  /// Whether the cores have a counter unit for which the kernel has a driver.
  [[nodiscard]] bool has_core_unit() const;
};

PerfAccess read_perf_access(const std::string& root = "/");

/// The kind of an uncore device by its name ("amd_df", "imc", "upi", "cha", "hisi_hha", "hisi_ddrc", "hisi_l3c",
/// "cmn"); empty for others.
std::string uncore_kind(const std::string& device);

}  // namespace charm::os
