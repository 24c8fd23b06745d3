// What places threads and pages on this machine besides CHARM: the kernel's cache-aware scheduling (since Linux 7.2), a
// scheduler in BPF (sched_ext), NUMA balancing, and programs that pin others. All of it changes what "no tool" means.
// Everything is read below `root`, so that tests can use a tree of their own; nothing throws.
#pragma once

#include <string>
#include <vector>

namespace charm::os {

struct SystemPlacement {
  /// "on", "off", "not in Linux 6.1.0", "not known, on by default: " or "not known: " and the reason
  std::string cache_aware;
  std::string bpf_scheduler;    ///< its name; empty: none is loaded
  std::string numa_balancing;   ///< "on", "off", "not in this kernel"
  std::vector<std::string> by;  ///< programs that run and may pin others, as "irqbalance"

  /// Whether the kernel gathers the threads of a process on one cache, as far as can be known: where only root can see
  /// the switch, it is taken to be as it is by default.
  [[nodiscard]] bool gathers() const {
    return bpf_scheduler.empty() && (cache_aware == "on" || cache_aware.starts_with("not known, on by default"));
  }
};

SystemPlacement read_system_placement(const std::string& root = "/");

/// "cache-aware scheduling off, no BPF scheduler, NUMA balancing on; numad runs".
std::string one_line(const SystemPlacement& placement);

}  // namespace charm::os
