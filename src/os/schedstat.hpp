// How long a thread ran and waited, from the kernel's "schedstat", one file for each thread. The file may be kept open,
// since opening it costs several times as much as reading it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace charm::os {

/// What a thread has done since it started.
struct ThreadTime {
  std::uint64_t run_ns = 0;   ///< on a cpu
  std::uint64_t wait_ns = 0;  ///< ready to run, without a cpu; 0 where the kernel does not tell
};

/// "time on a cpu, time waiting, times scheduled"; nothing where the text does not begin with a number.
std::optional<ThreadTime> parse_schedstat(std::string_view text) noexcept;

/// The open file of one thread, and of no other that gets its number later.
class ThreadClock {
 public:
  explicit ThreadClock(const std::string& path);
  ~ThreadClock();
  ThreadClock(const ThreadClock&) = delete;
  ThreadClock& operator=(const ThreadClock&) = delete;

  /// Nothing where the thread has ended, or the kernel keeps no such file.
  [[nodiscard]] std::optional<ThreadTime> read() const noexcept;

 private:
  int file_;
};

}  // namespace charm::os
