// Where a program's own word comes from about the work that it has done so far: a file, the output of a command that is
// run from time to time, or a descriptor that the program inherits.
//
// - Nothing here waits: neither for a file that is late nor for a command that hangs.
// - Each number has the time at which it was true, as well as that can be known: numbers may come more seldom than the
//   controller ticks, and a rate is the difference of two numbers over the time between them.
// - A command runs only while somebody asks for numbers, at most once a second, so seldom that it takes no more than a
//   hundredth of a cpu, and for five seconds at most.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tools/attach/system.hpp"
#include "tools/os/memory_file.hpp"
#include "tools/os/shell_command.hpp"

namespace charm::attach {

class ProgressSource {
 public:
  ProgressSource() = default;
  virtual ~ProgressSource() = default;
  ProgressSource(const ProgressSource&) = delete;
  ProgressSource& operator=(const ProgressSource&) = delete;

  /// The latest number; nothing until there is one.
  virtual std::optional<WorkReport> latest(double now) = 0;
  /// Does what is due. \returns when to call it again at the latest.
  virtual double step(double /*now*/) { return std::numeric_limits<double>::infinity(); }
  /// Becomes readable when step() has something to do; -1: nothing does.
  [[nodiscard]] virtual int descriptor() const { return -1; }
  /// Why the latest attempt gave no number; empty: it gave one, or there was none.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }

 protected:
  std::string trouble_;
};

/// The first number in a file. While it does not change for less than a second, the program is thought to be on its way
/// to the next one.
class FileProgress final : public ProgressSource {
 public:
  explicit FileProgress(std::string file) : file_(std::move(file)) {}
  std::optional<WorkReport> latest(double now) override;

 private:
  const std::string file_;
  std::optional<WorkReport> latest_;
  double changed_ = 0;
};

/// The first number that a command prints.
class CommandProgress final : public ProgressSource {
 public:
  explicit CommandProgress(std::string command) : command_(std::move(command)) {}
  std::optional<WorkReport> latest(double now) override;
  double step(double now) override;
  [[nodiscard]] int descriptor() const override { return running_ ? running_->descriptor() : -1; }

 private:
  void take(const os::ShellCommand::Result& result, double now);

  const std::string command_;
  std::unique_ptr<os::ShellCommand> running_;
  std::optional<WorkReport> latest_;
  bool killed_ = false;
  double began_ = 0, next_ = 0;
  double asked_ = -std::numeric_limits<double>::infinity();
};

/// The last number that the program has written to a descriptor.
class WrittenProgress final : public ProgressSource {
 public:
  std::optional<WorkReport> latest(double now) override;
  /// Made before the program is, which gets it (os::MemoryFile::give_as).
  [[nodiscard]] const os::MemoryFile& file() const { return file_; }

 private:
  os::MemoryFile file_;
  std::string seen_;
  std::optional<WorkReport> latest_;
};

/// The first number of a text that no letter, digit or dot precedes, so that "eth0: 12" is 12.
std::optional<double> first_number_in(std::string_view text);
/// The last word of a text that is a number and ended.
std::optional<double> last_number_in(std::string_view text);

}  // namespace charm::attach
