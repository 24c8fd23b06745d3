// Runs a program as a child that behaves as if it had replaced the caller (exec): the same process group, terminal,
// standard streams, limits and signal dispositions. Signals that are sent to the caller reach the child, the two stop
// and continue together, and the caller can exit the way the child did.
//
// - While a Child exists, every signal that can be passed on is blocked in the caller and read from a descriptor, so
//   that none is lost and none interrupts a system call. The child starts with the caller's original mask.
// - The terminal's signals come once: signals from the terminal reach the whole process group directly and are not
//   passed on a second time.
// - Stop and continue together: when the child stops, the caller stops, too, and when either of them is continued, both
//   continue. After a SIGSTOP this holds only if a shell with job control waits for the caller, because the shell has
//   to be told.
// - While a Child exists, the caller ignores SIGPIPE, so that a reader that goes away does not change its exit code.
//   The child has the disposition that the caller had.
#pragma once

#include <functional>
#include <optional>
#include <signal.h>
#include <string>
#include <utility>
#include <vector>

#include <sys/resource.h>
#include <sys/signalfd.h>

namespace charm::os {

struct Ended {
  int code = 0;    ///< exit code, where no signal ended it
  int signal = 0;  ///< the signal that ended it; 0: it exited
  rusage used{};   ///< what it and the children that it waited for have used
};

class Child {
 public:
  struct Start {
    std::vector<std::string> words;                              ///< program and arguments
    std::vector<std::pair<std::string, std::string>> variables;  ///< set in its environment
    /// Called in the child before exec. The child still shares the caller's memory, and must not change it.
    std::function<void()> prepare;
  };
  /// Starts the program. \throws NotStarted if it cannot be run; Error (system) if no process can be made.
  explicit Child(const Start& start);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// The exec that failed.
  struct NotStarted {
    int error;  ///< an errno
  };

  [[nodiscard]] int pid() const { return pid_; }
  /// Becomes readable when attend() has something to do.
  [[nodiscard]] int descriptor() const { return signals_; }
  /// Passes signals on, stops with the child, and finds out whether it has ended. Does not wait.
  std::optional<Ended> attend();

 private:
  void pass_on(const signalfd_siginfo& signal) const;
  std::optional<Ended> reap();
  void stop_with(int signal) const;
  void restore_dispositions() const;

  int pid_ = -1;
  int signals_ = -1;
  sigset_t before_{};
  struct sigaction child_before_{}, pipe_before_{};
};

/// Whether a program of this name would be found, as exec finds it by PATH. \returns 0, or ENOENT or EACCES.
int cannot_run(const std::string& program);

/// Signals that ask a process to end, read from a descriptor, for a caller without a child. They are blocked while it
/// exists, and SIGPIPE is ignored.
class EndSignals {
 public:
  EndSignals();
  ~EndSignals();
  EndSignals(const EndSignals&) = delete;
  EndSignals& operator=(const EndSignals&) = delete;
  [[nodiscard]] int descriptor() const { return signals_; }
  /// A signal that has arrived, or 0. Does not wait.
  int arrived();

 private:
  int signals_ = -1;
  sigset_t before_{};
  struct sigaction pipe_before_{};
};

/// Ends the calling process the way the child ended: by the same signal (without a core dump of its own), in which case
/// it does not return; else it returns the exit code to use.
int end_like(const Ended& ended);

}  // namespace charm::os
