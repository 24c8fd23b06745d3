#include "os/machine_use.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "os/clock_ticks.hpp"
#include "os/cpu_load.hpp"
#include "os/stall_time.hpp"

namespace charm::os {
namespace {

namespace fs = std::filesystem;

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string content(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

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
  use.at_s = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  const auto times = cpu_times(root);
  use.cpus = static_cast<int>(times.size());
  for (const auto& [cpu, time] : times) {
    use.busy_s += static_cast<double>(time.busy - time.stolen) * tick_s();
    use.stolen_s += static_cast<double>(time.stolen) * tick_s();
    (void)cpu;
  }
  std::ifstream loads(root + "/proc/loadavg");
  if (double average = 0; loads >> average) use.load_average = average;
  if (const auto us = stall_time_us("cpu", root.ends_with('/') ? root : root + "/")) {
    use.waiting_s = static_cast<double>(*us) * 1e-6;
  }
  for (auto& process : processes(root)) use.processes.emplace(process.pid, std::move(process));
  return use;
}

std::map<std::string, std::vector<int>> frequency_governors(const std::string& root) {
  std::map<std::string, std::vector<int>> governors;
  for (const auto& path : entries(root + "/sys/devices/system/cpu")) {
    const std::string name = path.filename().string();
    if (!name.starts_with("cpu")) continue;
    const auto cpu = number(std::string_view(name).substr(3));
    if (!cpu) continue;
    std::istringstream words(content(path / "cpufreq" / "scaling_governor"));
    if (std::string governor; words >> governor) governors[governor].push_back(*cpu);
  }
  for (auto& [governor, cpus] : governors) std::sort(cpus.begin(), cpus.end());
  return governors;
}

}  // namespace charm::os
