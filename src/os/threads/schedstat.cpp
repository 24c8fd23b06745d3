#include "os/threads/schedstat.hpp"

#include <array>
#include <charconv>
#include <fcntl.h>
#include <unistd.h>

#include "os/files/set_aside.hpp"

namespace charm::os {

std::optional<ThreadTime> parse_schedstat(std::string_view text) noexcept {
  ThreadTime time;
  const char* const end = text.data() + text.size();
  const auto run = std::from_chars(text.data(), end, time.run_ns);
  if (run.ec != std::errc()) return std::nullopt;
  if (run.ptr != end) std::from_chars(run.ptr + 1, end, time.wait_ns);
  return time;
}

ThreadClock::ThreadClock(const std::string& path)
    : file_(open_aside([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); })) {}

ThreadClock::~ThreadClock() {
  if (file_ >= 0) close(file_);
}

std::optional<ThreadTime> ThreadClock::read() const noexcept {
  std::array<char, 96> text{};
  const ssize_t got = file_ < 0 ? 0 : pread(file_, text.data(), text.size(), 0);
  return got <= 0 ? std::nullopt : parse_schedstat({text.data(), static_cast<std::size_t>(got)});
}

}  // namespace charm::os
