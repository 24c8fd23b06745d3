#include "tools/os/machine_use.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/clock.hpp"
#include "os/files/system_files.hpp"
#include "os/machine/cpu_load.hpp"
#include "os/machine/load_average.hpp"
#include "os/machine/pressure.hpp"
#include "os/processes/process_stat.hpp"

namespace charm::os {
namespace {

namespace fs = std::filesystem;

/// Names of the entries of a folder that may vanish while it is read.
std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    paths.push_back(at->path());
  }
  return paths;
}

}  // namespace

MachineUse look_at_machine_use(const std::string& root) {
  MachineUse use;
  use.at_s = base::monotonic_seconds();
  const auto times = cpu_times(root);
  use.cpus = static_cast<int>(times.size());
  for (const auto& [cpu, time] : times) {
    use.busy_s += static_cast<double>(time.busy - time.stolen) * tick_seconds();
    use.stolen_s += static_cast<double>(time.stolen) * tick_seconds();
    (void)cpu;
  }
  if (const auto load = read_load_average(root)) use.load_average = load->one_minute;
  if (const auto us = stall_time_us("cpu", root)) {
    use.waiting_s = static_cast<double>(*us) * 1e-6;
  }
  for (auto& process : processes(root)) use.processes.emplace(process.pid, std::move(process));
  return use;
}

std::map<std::string, CpuSet> frequency_governors(const std::string& root) {
  std::map<std::string, CpuSet> governors;
  for (const auto& path : entries(path_below(root, "sys/devices/system/cpu"))) {
    const std::string name = path.filename().string();
    int cpu = 0;
    if (!name.starts_with("cpu")) continue;
    const auto [end, error] = std::from_chars(name.data() + 3, name.data() + name.size(), cpu);
    if (error != std::errc() || end != name.data() + name.size()) continue;
    const auto governor = first_line(path / "cpufreq" / "scaling_governor");
    if (governor && !governor->empty()) governors[*governor].insert(cpu);
  }
  return governors;
}

}  // namespace charm::os
