// The "stat" file of a process or thread, proc(5), and the unit of its times.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace charm::os {

struct ProcessStat {
  std::string_view name;  ///< of the program or thread; lies in the text that was read
  char state = '?';
  int parent = 0;
  std::uint64_t flags = 0;  ///< the kernel's PF_... bits
  std::uint64_t minor_faults = 0;
  std::uint64_t major_faults = 0;
  std::uint64_t used_ticks = 0;    ///< user and system time of all its threads (of a thread: its own)
  std::uint64_t waited_ticks = 0;  ///< the same of children that have ended and that it waited for
  int threads = 0;
  std::optional<std::uint64_t> started;  ///< ticks after the boot
  int cpu = -1;                          ///< that it ran on last; -1 where it is not told
};

/// Nothing where the text is no such file. Fields behind the times may be missing.
std::optional<ProcessStat> parse_process_stat(std::string_view text);

/// A tick of the kernel's counts in /proc, in seconds.
double tick_seconds();

}  // namespace charm::os
