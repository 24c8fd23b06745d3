#include "tools/cli/sim/measured.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <chrono>
#include <sstream>
#include <thread>

#include "counters/recording.hpp"
#include "os/files/bounded_file.hpp"
#include "tools/os/working_set.hpp"

namespace charm::cli {

double measured_working_set(int pid, double seconds) {
  os::forget_touched_memory(pid);
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  return static_cast<double>(os::touched_memory(pid)) / 1048576;
}

MeasuredTraffic measured_traffic(const std::string& file) {
  using counters::FillSource;
  const os::BoundedText text = os::read_bounded(file, {.bytes = std::size_t{1} << 30U});
  if (!text.problem.empty())
    throw Error(Errc::bad_input, "'" + file + "' " + text.problem, "give a file of CHARM_COUNTERS=record:FILE");
  std::istringstream in(text.text);
  const counters::Recording recording = counters::read_recording(in, file);
  MeasuredTraffic out;
  double caches = 0, memory = 0;
  bool caches_counted = false, memory_counted = false;
  std::uint64_t from = UINT64_MAX, until = 0;
  for (const auto& [worker, readings] : recording.workers) {
    if (readings.size() < 2) continue;
    ++out.workers;
    const auto &first = readings.front(), &last = readings.back();
    from = std::min(from, first.time_ns);
    until = std::max(until, last.time_ns);
    const auto add = [&](FillSource source, double& sum, bool& counted) {
      if (!last.has.fills.has(source)) return;
      sum += static_cast<double>(last.fill(source) - first.fill(source));
      counted = true;
    };
    add(FillSource::other_chiplet, caches, caches_counted);
    add(FillSource::remote_cache, caches, caches_counted);
    add(FillSource::local_dram, memory, memory_counted);
    add(FillSource::remote_dram, memory, memory_counted);
  }
  if (!caches_counted && !memory_counted) {
    throw Error(Errc::bad_input, "'" + file + "' holds no counted cache fills",
                "record where there are hardware counters (charm counters), or give --sharing and --bandwidth");
  }
  if (caches_counted && memory_counted && caches + memory > 0) out.sharing = caches / (caches + memory);
  if (memory_counted && until > from) out.bandwidth_gb_per_s = memory * 64 / static_cast<double>(until - from);
  return out;
}

}  // namespace charm::cli
