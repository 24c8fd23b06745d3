// Running a program to its end and measuring it from outside: fork and exec by posix_spawn(3), the clock around it, and
// what the kernel counted for it and for the children that it waited for (wait4(2)).
//
// While it runs, signals that ask this process to stop are passed on to it and remembered, so that nothing is left
// behind by Ctrl-C. No handler is installed: the signals are blocked and read from a descriptor. That holds for the
// calling thread; a process with others has to block them there itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace charm::os {

struct ChildRequest {
  std::vector<std::string> words;  ///< the program, looked up in PATH, and its arguments
  std::string input = {};          ///< file for its stdin; empty: an empty stdin
  bool show_output = false;        ///< send both of its streams to the caller's stderr; else drop its stdout
  bool hash_output = false;        ///< read its stdout and say what it was, if it is not shown
  std::size_t tail_bytes = 2048;   ///< bytes of the end of its stderr that are kept, if it is not shown
  std::size_t output_bytes = 0;    ///< keep so many bytes of its stdout at most, if it is neither shown nor hashed
  std::vector<std::string> variables = {};  ///< "NAME=value", set in its environment
  double limit_s = 0;                       ///< end it after so long; 0: never
  /// Signals that ask to stop are not blocked in it, although the caller blocks them to read them itself.
  bool may_be_stopped = false;
};

/// What a program wrote to stdout (ChildRequest::hash_output): the 64-bit hash of Fowler, Noll and Vo (1a), and its
/// length.
struct ChildOutput {
  std::uint64_t hash = 0xcbf29ce484222325U;
  std::uint64_t bytes = 0;
};

struct ChildResult {
  int start_error = 0;  ///< errno if it could not be started; then nothing else is set
  int exit_code = 0;    ///< its exit code, if it exited
  int signal = 0;       ///< the signal that ended it; 0: none
  int interrupted = 0;  ///< signal that asked this process to stop meanwhile; 0: none
  double wall_s = 0;
  double user_s = 0;
  double system_s = 0;
  std::uint64_t peak_bytes = 0;       ///< peak resident memory of the program or the largest of its children
  std::uint64_t floor_bytes = 0;      ///< peaks below it cannot be seen: exec starts from what this process has
  std::uint64_t page_faults = 0;      ///< page faults that had to read or swap
  std::uint64_t forced_switches = 0;  ///< involuntary context switches
  std::string error_tail;             ///< the end of what it wrote to stderr
  std::optional<ChildOutput> output;  ///< if it was asked for
  std::string said;                   ///< what was kept of its stdout
  bool too_long = false;              ///< it was ended because its time was up
};

/// Runs `request` and waits. A program that closes its end of the pipe late (a daemon that it leaves behind) is not
/// waited for.
/// \throws Error (system) if the kernel refuses something that does not depend on the program.
ChildResult run_child(const ChildRequest& request);

}  // namespace charm::os
