// The "stat" file of a process or thread, proc(5), and the unit of its times.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace charm::os {

struct ProcessStat {
  std::string_view name;  ///< name of the program or thread; a part of the text that was read
  char state = '?';
  int parent = 0;
  std::uint64_t flags = 0;  ///< the kernel's PF_... bits
  std::uint64_t minor_faults = 0;
  std::uint64_t major_faults = 0;
  std::uint64_t used_ticks = 0;    ///< user and system time of all threads of the process (or of the thread alone)
  std::uint64_t waited_ticks = 0;  ///< the same of children that have ended and for which it waited
  int threads = 0;
  std::uint64_t resident_pages = 0;
  std::optional<std::uint64_t> started;  ///< ticks after the boot
  int cpu = -1;                          ///< the cpu on which it ran last; -1 if it is not known
};

/// Parses such a file; nothing if the text is none. Fields behind the times may be missing.
std::optional<ProcessStat> parse_process_stat(std::string_view text);

/// A tick of the kernel's counts in /proc, in seconds.
double tick_seconds();

}  // namespace charm::os
