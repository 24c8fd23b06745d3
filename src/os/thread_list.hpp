// The threads of processes as /proc shows them: names, the cpu each ran on last, cpu time and time without a cpu. Read
// below `root`, so that a made-up tree can stand in for the machine's. Threads come and go while it is read; what is
// gone is left out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace charm::os {

struct ThreadView {
  int tid = 0;
  int pid = 0;
  std::string name;
  char state = '?';  ///< R running or ready, S asleep, D waits for a device ...
  int cpu = -1;      ///< that it ran on last
  double cpu_s = 0;  ///< ran so long; to the nanosecond where the kernel keeps schedstat, else to its tick
  std::optional<double> waiting_s;  ///< was ready to run and had no cpu; nothing where the kernel keeps no schedstat
  std::uint64_t page_faults = 0;    ///< minor and major
};

struct ProcessView {
  int pid = 0;
  std::string name;
  int threads = 0;
  double cpu_s = 0;           ///< of all its threads, those that have ended as well
  std::uint64_t started = 0;  ///< ticks after boot: with the id it names the process for ever
};

/// All that can be seen.
std::vector<ProcessView> processes(const std::string& root = "/");
/// Nothing where there is none (any more).
std::optional<ProcessView> process(int pid, const std::string& root = "/");
/// Ascending by tid; empty where the process is gone.
std::vector<ThreadView> threads_of(int pid, const std::string& root = "/");

}  // namespace charm::os
