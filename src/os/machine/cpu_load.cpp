#include "os/machine/cpu_load.hpp"

#include <sstream>
#include <vector>

#include "os/files/system_files.hpp"

namespace charm::os {

std::map<int, CpuTime> cpu_times(const std::string& root) {
  std::map<int, CpuTime> times;
  std::istringstream stat(read_text(path_below(root, "proc/stat")));
  for (std::string line; std::getline(stat, line);) {
    if (line.compare(0, 3, "cpu") != 0 || line.size() < 4 || line[3] < '0' || line[3] > '9') continue;
    std::istringstream words(line.substr(3));
    int cpu = 0;
    words >> cpu;
    CpuTime time;
    std::uint64_t ticks = 0;
    // user nice system idle iowait irq softirq steal; guest time is part of user time
    for (int field = 0; field < 8 && words >> ticks; ++field) {
      time.total += ticks;
      if (field != 3 && field != 4) time.busy += ticks;
      if (field == 7) time.stolen = ticks;
    }
    times[cpu] = time;
  }
  return times;
}

double busy_share(const std::map<int, CpuTime>& earlier, const std::map<int, CpuTime>& later) {
  std::uint64_t busy = 0;
  std::uint64_t total = 0;
  for (const auto& [cpu, time] : later) {
    const auto before = earlier.find(cpu);
    if (before == earlier.end() || time.total < before->second.total || time.busy < before->second.busy) continue;
    busy += time.busy - before->second.busy;
    total += time.total - before->second.total;
  }
  return total == 0 ? 0 : static_cast<double>(busy) / static_cast<double>(total);
}

}  // namespace charm::os
