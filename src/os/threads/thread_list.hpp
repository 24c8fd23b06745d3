// The threads of processes as /proc shows them: names, the cpu each ran on last, cpu time and time without a cpu. Read
// below `root`, so that tests can use a tree of their own. Threads come and go while it is read; threads that are
// gone are left out.
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
  char state = '?';                 ///< R running or ready, S asleep, D waits for a device ...
  int cpu = -1;                     ///< the cpu on which it ran last
  double cpu_s = 0;                 ///< cpu time; to the nanosecond if the kernel keeps schedstat, else to its tick
  std::optional<double> waiting_s;  ///< time in which it was ready and had no cpu; nothing without schedstat
  std::uint64_t page_faults = 0;    ///< minor and major
};

struct ProcessView {
  int pid = 0;
  std::string name;
  int threads = 0;
  double cpu_s = 0;           ///< cpu time of all its threads, also of those that have ended
  std::uint64_t started = 0;  ///< ticks after boot; with the id it identifies the process
  int parent = 0;
  char state = '?';                  ///< as of a thread; of a process that of its first thread
  std::uint64_t resident_bytes = 0;  ///< memory that it has now, also what it shares with others
};

/// Whose a process is and how it was called.
struct ProcessOwner {
  std::optional<unsigned> user;  ///< its effective one
  std::string command;           ///< its arguments, at most 4096 bytes of them; empty for the kernel's own
};

/// All processes that can be seen.
std::vector<ProcessView> processes(const std::string& root = "/");
/// One process; nothing if there is none (any more).
std::optional<ProcessView> process(int pid, const std::string& root = "/");
/// Its user and command line; empty where the process is gone.
ProcessOwner owner_of(int pid, const std::string& root = "/");
/// The name of a user, or the number if the system knows none.
std::string user_name(unsigned user);
/// The threads of a process, ascending by tid; empty if the process is gone.
std::vector<ThreadView> threads_of(int pid, const std::string& root = "/");

}  // namespace charm::os
