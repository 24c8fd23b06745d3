// How busy cpus are, from /proc/stat; the root of the file system is an argument, so that tests read a tree of their
// own.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace charm::os {

struct CpuTime {
  std::uint64_t busy = 0;    // ticks: user, nice, system, interrupts, stolen by other guests
  std::uint64_t total = 0;   // `busy`, idle, and waiting for a device
  std::uint64_t stolen = 0;  // the part of `busy` that other guests took
};

/// The times by OS number of the cpu; empty if there is no /proc.
std::map<int, CpuTime> cpu_times(const std::string& root = "/");

/// Share of time, 0 to 1, in which the cpus of `later` were busy since `earlier`.
double busy_share(const std::map<int, CpuTime>& earlier, const std::map<int, CpuTime>& later);

}  // namespace charm::os
