#include "os/threads/futex.hpp"

#include <cerrno>
#include <ctime>
#include <unistd.h>

#include <linux/futex.h>
#include <sys/syscall.h>

namespace charm::os {

static_assert(sizeof(FutexWord) == sizeof(std::uint32_t), "futex(2) works on the plain word");

bool futex_wait(FutexWord& word, std::uint32_t expected, std::chrono::nanoseconds timeout) noexcept {
  timespec limit{};
  limit.tv_sec = static_cast<time_t>(timeout.count() / 1000000000);
  limit.tv_nsec = static_cast<long>(timeout.count() % 1000000000);
  long result = syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAIT_PRIVATE, expected,
                        timeout.count() < 0 ? nullptr : &limit, nullptr, 0);
  return result == 0 || errno != ETIMEDOUT;
}

void futex_wake(FutexWord& word, int sleepers) noexcept {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAKE_PRIVATE, sleepers, nullptr, nullptr, 0);
}

}  // namespace charm::os
