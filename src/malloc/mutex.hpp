// A lock by the kernel's futex alone: the C library's may be another preloaded library's (that records who waits for
// whom, say), and jemalloc's locks are taken within malloc.
//
// The word is 0 while nobody holds the lock, 1 while a thread does, and 2 while others may sleep for it.
#pragma once

#include <atomic>
#include <cstdint>

#include "os/memory/bare.hpp"

namespace charm::shim {

class Mutex {
 public:
  bool try_lock() noexcept {
    std::uint32_t free = 0;
    return word_.compare_exchange_strong(free, 1, std::memory_order_acquire, std::memory_order_relaxed);
  }
  void lock() noexcept {
    if (!try_lock()) lock_slowly();
  }
  void unlock() noexcept {
    if (word_.exchange(0, std::memory_order_release) == 2) os::bare::wake_one(word_);
  }

 private:
  [[gnu::noinline]] void lock_slowly() noexcept {
    while (word_.exchange(2, std::memory_order_acquire) != 0) os::bare::wait_while(word_, 2);
  }

  std::atomic<std::uint32_t> word_{0};
};

class Locked {
 public:
  explicit Locked(Mutex& mutex) noexcept : mutex_(mutex) { mutex_.lock(); }
  ~Locked() { mutex_.unlock(); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  Mutex& mutex_;
};

}  // namespace charm::shim
