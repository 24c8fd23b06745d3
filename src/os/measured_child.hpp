// Running a program to its end and measuring it from outside: fork and exec by posix_spawn(3), the clock around it, and
// what the kernel counted for it and for the children that it waited for (wait4(2)).
//
// While it runs, signals that ask this process to stop are passed on to it and remembered, so that nothing is left
// behind by Ctrl-C. No handler is installed: the signals are blocked and read from a descriptor. That holds for the
// calling thread; a process with others has to block them there itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace charm::os {

struct ChildRequest {
  std::vector<std::string> words;  ///< the program, looked up in PATH, and its arguments
  std::string input = {};          ///< file for its stdin; empty: nothing to read there
  bool show_output = false;        ///< both of its streams go to our stderr; else its stdout is thrown away
  std::size_t tail_bytes = 2048;   ///< so much of the end of its stderr is kept, where it is not shown
};

struct ChildResult {
  int start_error = 0;  ///< errno where it could not be started; then nothing else is set
  int exit_code = 0;    ///< where it ended by itself
  int signal = 0;       ///< that it was ended by; 0: by none
  int interrupted = 0;  ///< signal that asked this process to stop meanwhile; 0: none
  double wall_s = 0;
  double user_s = 0;
  double system_s = 0;
  std::uint64_t peak_bytes = 0;       ///< resident, of it or of the largest of its children
  std::uint64_t floor_bytes = 0;      ///< peaks below it cannot be seen: exec starts from what this process has
  std::uint64_t page_faults = 0;      ///< that had to read or swap
  std::uint64_t forced_switches = 0;  ///< times it was taken off a cpu
  std::string error_tail;             ///< the end of what it wrote to stderr
};

/// Runs `request` and waits. A program that closes its end of the pipe late (a daemon that it leaves behind) is not
/// waited for.
/// \throws Error (system) where the kernel refuses what has nothing to do with the program.
ChildResult run_child(const ChildRequest& request);

}  // namespace charm::os
