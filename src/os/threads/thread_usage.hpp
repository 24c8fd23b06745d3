// Counts that the kernel keeps for each thread in any case: page faults, and time spent waiting for a cpu. Also a
// detector by which code notices that it runs in a child of fork().
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "os/threads/schedstat.hpp"

namespace charm::os {

/// Counts of the thread that makes the object.
class ThreadUsage {
 public:
  ThreadUsage();

  [[nodiscard]] static std::uint64_t page_faults() noexcept;  ///< minor and major, of the calling thread
  [[nodiscard]] bool knows_waiting() const noexcept { return knows_waiting_; }
  [[nodiscard]] static std::uint64_t switches() noexcept;  ///< to other threads, of the calling thread
  /// Nanoseconds in which the thread was ready to run and had no cpu.
  [[nodiscard]] std::uint64_t waiting_ns() const noexcept;

 private:
  ThreadClock clock_;
  const bool knows_waiting_;
};

/// A query costs one memory access: the kernel clears a page in a child (MADV_WIPEONFORK). Where the kernel cannot do
/// that, process ids are compared.
class ForkDetector {
 public:
  ForkDetector();
  ~ForkDetector();
  ForkDetector(const ForkDetector&) = delete;
  ForkDetector& operator=(const ForkDetector&) = delete;
  /// Whether this is still the process that made the object.
  [[nodiscard]] bool same_process() const noexcept;

 private:
  const std::atomic<std::uint32_t>* page_ = nullptr;
  int process_ = 0;
};

}  // namespace charm::os
