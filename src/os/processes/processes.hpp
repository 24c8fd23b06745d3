// Other processes and their threads as /proc shows them; the root of the file system is an argument, so that tests can
// use a tree of their own. A process or thread may have ended meanwhile: then the result is empty, which is no error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "os/processes/process_stat.hpp"
#include "os/threads/schedstat.hpp"

namespace charm::os {

/// Identifies a process. Process ids are reused, so the start time belongs to the identity.
struct ProcessIdentity {
  int pid = 0;
  std::uint64_t started = 0;  ///< clock ticks after the boot
  friend bool operator==(const ProcessIdentity&, const ProcessIdentity&) = default;
};

struct ProcessStatus {
  std::uint64_t started = 0;
  int parent = 0;
  char state = '?';                ///< as ps shows it: R, S, D, T, Z ...
  bool kernel = false;             ///< a thread of the kernel, which has no program
  std::uint64_t used_ticks = 0;    ///< cpu time of all its threads, user and system
  std::uint64_t waited_ticks = 0;  ///< the same of children that have ended and for which it waited
  std::uint64_t resident_pages = 0;
};

/// Why /proc does not show this process and its children by the numbers that it knows them by: it is not mounted, or is
/// that of another PID namespace (unshare --pid without --mount-proc). Empty where it does.
std::string proc_trouble();

/// Where /proc is of no use (proc_trouble), no process is there: its numbers would be those of others.
class Processes {
 public:
  explicit Processes(std::string root = "/");

  [[nodiscard]] std::optional<ProcessStatus> status(int pid) const;
  /// Owner (effective user) of a process.
  [[nodiscard]] std::optional<unsigned> owner(int pid) const;
  /// The process of a thread: the id itself if it is that of a process, else the process that has the thread.
  [[nodiscard]] std::optional<int> process_of(int thread) const;
  /// Ids of the threads, the first thread's first, in the order in which they began; empty where the process has ended.
  [[nodiscard]] std::vector<int> threads(int pid) const;
  /// Processes that a thread of this process has started and that still exist.
  [[nodiscard]] std::vector<int> children(int pid, int thread) const;
  [[nodiscard]] std::optional<ThreadTime> time(int pid, int thread) const;
  /// Whether it runs or waits for a cpu.
  [[nodiscard]] bool runnable(int pid, int thread) const;
  /// Path of the thread's schedstat, for a ThreadClock.
  [[nodiscard]] std::string schedstat(int pid, int thread) const { return file(pid, thread, "schedstat"); }
  /// The name that the program has given the thread, at most 15 characters; base::printable(), as anybody may choose
  /// it.
  [[nodiscard]] std::string name(int pid, int thread) const;
  /// Id of the process or thread that was created last in the caller's PID namespace. While it does not
  /// change nothing was created. Nothing if it is not known, or does not come from the kernel itself.
  [[nodiscard]] std::optional<int> last_created() const;
  [[nodiscard]] bool alive(const ProcessIdentity& process) const;

 private:
  [[nodiscard]] std::string file(int pid, const char* name) const;
  [[nodiscard]] std::string file(int pid, int thread, const char* name) const;
  std::string root_;
  std::string proc_;
  bool trusts_loadavg_ = false;
};

/// A process that is there; its start time is 0 where it is not.
ProcessIdentity identity(int pid, const Processes& processes = Processes());

/// The calling process.
ProcessIdentity this_process(const Processes& processes = Processes());

/// Number of the PID namespace of the calling process; 0 if it is not known.
std::uint64_t process_namespace(const std::string& root = "/");

}  // namespace charm::os
