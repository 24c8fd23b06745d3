// The use of the machine, as totals that are compared between two moments: time of the cpus, time stolen by the
// hypervisor, time in which threads waited for a cpu, and the cpu time of each process. Everything is read below
// `root`, so that tests can use a tree of their own.
#pragma once

#include <charm/id_set.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "os/threads/thread_list.hpp"

namespace charm::os {

struct MachineUse {
  double at_s = 0;                       ///< monotonic clock
  int cpus = 0;                          ///< number of online cpus
  double busy_s = 0;                     ///< busy time of all cpus together, without stolen time
  double stolen_s = 0;                   ///< time in which a cpu wanted to run and the hypervisor did not let it
  std::optional<double> load_average;    ///< load average of the last minute
  std::optional<double> waiting_s;       ///< time in which some thread waited for a cpu
  std::map<int, ProcessView> processes;  ///< the processes that can be seen, by process id
};

MachineUse look_at_machine_use(const std::string& root = "/");

/// Frequency governors ("powersave", "performance") and the cpus that have them; empty where there are none.
std::map<std::string, CpuSet> frequency_governors(const std::string& root = "/");

}  // namespace charm::os
