// The interface to the system for placing another program's threads: which threads there are, what they do, where they
// may run. Tests replace it by simulated threads.
#pragma once

#include <charm/id_set.hpp>

#include <compare>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "counters/source.hpp"
#include "os/machine/cpu_load.hpp"
#include "os/processes/processes.hpp"

namespace charm::attach {

struct ThreadId {
  int process = 0;
  int thread = 0;
  friend auto operator<=>(const ThreadId&, const ThreadId&) = default;
};

struct Found {
  ThreadId id;
  bool followed = true;  ///< false: a thread of a child process whose threads are not placed
  int parent = 0;        ///< the process that started its process; 0: not known
};

/// Work that a program says it has done.
struct WorkReport {
  double done = 0;  ///< so far, in units of its own
  double at = 0;    ///< when that was so, by the clock of the caller
  double next = 0;  ///< when the next word will have come, if that is known
};

class System {
 public:
  System() = default;
  virtual ~System() = default;
  System(const System&) = delete;
  System& operator=(const System&) = delete;

  /// Whether threads may have begun since the last call; cheap.
  virtual bool news() = 0;
  /// A descriptor that becomes readable when news() may return true, so that there is no need to call it before; -1 if
  /// there is none.
  [[nodiscard]] virtual int announces() const { return -1; }
  /// All present threads of the program and of the processes that descend from it, ascending.
  virtual std::vector<Found> threads() = 0;
  /// Threads of followed processes that were announced and had ended before threads() was called the last time.
  virtual std::vector<ThreadId> ended_unseen() { return {}; }
  /// The time that a thread has run; nothing if it has ended.
  virtual std::optional<os::ThreadTime> time(const ThreadId& id) = 0;
  /// Whether it runs or waits for a cpu at this moment.
  virtual bool runnable(const ThreadId& id) = 0;
  virtual std::string name(const ThreadId& id) = 0;
  /// The affinity mask of a thread; empty if it has ended.
  virtual CpuSet mask(const ThreadId& id) = 0;
  /// Binds a thread. \returns 0 or an errno.
  virtual int bind(const ThreadId& id, const CpuSet& cpus) = 0;
  /// Cpu time of the program and of its children, also of those that are not followed and those that have ended;
  /// in seconds, or 0 if it is not known.
  virtual double used() = 0;
  /// Memory that the program and its children hold, in bytes; 0 if it is not known.
  virtual double resident_bytes() { return 0; }
  /// What the program has said latest of its work; nothing if it says nothing.
  virtual std::optional<WorkReport> progress(double /*now*/) { return std::nullopt; }
  /// Whether the kernel gathers the threads of a process on one cache by itself.
  virtual bool gathers() { return false; }
  /// The kernel's counts of each cpu, for all programs.
  virtual std::map<int, os::CpuTime> cpu_times() = 0;
  /// Counters of a thread; null if there are none.
  virtual std::unique_ptr<counters::ThreadCounters> counters(const ThreadId& id) = 0;
};

}  // namespace charm::attach
