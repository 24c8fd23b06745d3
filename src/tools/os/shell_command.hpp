// Runs a command by the shell beside everything else, and never waits for it: the caller looks from time to time
// whether it has ended.
//
// The command has a process group of its own, so Ctrl-C does not reach it, an empty stdin, and the signal mask,
// dispositions and limit of open files that a program started by a shell has. It dies with the thread that started it,
// and whatever it has left running in its group is killed when it has ended.
#pragma once

#include <optional>
#include <string>

namespace charm::os {

class ShellCommand {
 public:
  /// \throws Error (system) if the kernel refuses a pipe or a process.
  explicit ShellCommand(const std::string& command);
  ~ShellCommand();
  ShellCommand(const ShellCommand&) = delete;
  ShellCommand& operator=(const ShellCommand&) = delete;

  struct Result {
    std::string said;        ///< what it wrote to stdout, the first 4 KiB
    std::string last_error;  ///< the last line that it wrote to stderr
    int code = 0;            ///< exit code, if no signal ended it
    int signal = 0;          ///< the signal that ended it; 0: none
    bool too_much = false;   ///< it wrote more than 4 KiB, and nobody read the rest
    double cpu_seconds = 0;  ///< of it and the processes that it waited for
  };
  /// What became of it, once.
  std::optional<Result> ended();
  /// Kills it and its children; ended() tells of it as of any other end.
  void kill() const;
  /// Becomes readable when ended() has something to do; -1: nothing does.
  [[nodiscard]] int descriptor() const { return out_; }

 private:
  void close_pipes();

  int process_ = -1;
  int out_ = -1, err_ = -1;
  Result result_;
};

}  // namespace charm::os
