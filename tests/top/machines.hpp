// Sights of machines that are not there.
#pragma once

#include <charm/machine.hpp>

#include <string>

#include "tools/top/watch.hpp"

namespace charm::top::test {

inline os::ThreadView thread(int tid, const std::string& name, int cpu, double cpu_s, double waiting_s = 0,
                             int pid = 4242) {
  os::ThreadView view;
  view.tid = tid;
  view.pid = pid;
  view.name = name;
  view.state = 'R';
  view.cpu = cpu;
  view.cpu_s = cpu_s;
  view.waiting_s = waiting_s;
  view.page_faults = static_cast<std::uint64_t>(cpu_s * 10);
  return view;
}

/// Each cpu busy for the share of `seconds` since 0 that `busy` gives it.
template <class Busy>
std::map<int, os::CpuTime> cpu_times(const Machine& machine, double seconds, Busy busy) {
  std::map<int, os::CpuTime> times;
  for (const int cpu : machine.allowed_cpus) {
    os::CpuTime time;
    time.total = static_cast<std::uint64_t>(seconds * 1000);
    time.busy = static_cast<std::uint64_t>(seconds * 1000 * busy(cpu));
    times[cpu] = time;
  }
  return times;
}

inline counters::Reading reading(double seconds, std::uint64_t other_chiplet, std::uint64_t local_dram) {
  counters::Reading r;
  r.time_ns = static_cast<std::uint64_t>(seconds * 1e9);
  r.has.instructions = true;
  r.instructions = static_cast<std::uint64_t>(seconds * 1e9);
  r.has.fills = {counters::FillSource::other_chiplet, counters::FillSource::local_dram};
  r.fills[index(counters::FillSource::other_chiplet)] = other_chiplet;
  r.fills[index(counters::FillSource::local_dram)] = local_dram;
  return r;
}

}  // namespace charm::top::test
