// How long a thread ran and waited, from the kernel's "schedstat", one file for each thread. The file may be kept open,
// since opening it costs several times as much as reading it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace charm::os {

/// Times of a thread since it started.
struct ThreadTime {
  std::uint64_t run_ns = 0;   ///< time on a cpu
  std::uint64_t wait_ns = 0;  ///< time in which it was ready to run and had no cpu; 0 if the kernel does not say
};

/// Parses "time on a cpu, time waiting, times scheduled"; nothing if the text does not begin with a number.
std::optional<ThreadTime> parse_schedstat(std::string_view text) noexcept;

/// The open file of one thread; it never belongs to a thread that gets the same id later.
class ThreadClock {
 public:
  explicit ThreadClock(const std::string& path);
  ~ThreadClock();
  ThreadClock(const ThreadClock&) = delete;
  ThreadClock& operator=(const ThreadClock&) = delete;

  /// Reads the times; nothing if the thread has ended, or the kernel keeps no such file.
  [[nodiscard]] std::optional<ThreadTime> read() const noexcept;

 private:
  int file_;
};

}  // namespace charm::os
