// What the kernel counts for each thread anyway: page faults, and time spent waiting for a cpu. Also a mark by which a
// child of fork() recognises itself.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "os/schedstat.hpp"

namespace charm::os {

/// The thread that makes it is the one it tells about.
class ThreadUsage {
 public:
  ThreadUsage();

  [[nodiscard]] static std::uint64_t page_faults() noexcept;  ///< minor and major, of the calling thread
  [[nodiscard]] bool knows_waiting() const noexcept { return knows_waiting_; }
  /// Nanoseconds ready to run without a cpu.
  [[nodiscard]] std::uint64_t waiting_ns() const noexcept;

 private:
  ThreadClock clock_;
  const bool knows_waiting_;
};

/// Asking costs a memory access: the kernel empties the page in a child (MADV_WIPEONFORK), or, where it cannot, the
/// process ids are compared.
class ForkDetector {
 public:
  ForkDetector();
  ~ForkDetector();
  ForkDetector(const ForkDetector&) = delete;
  ForkDetector& operator=(const ForkDetector&) = delete;
  /// Whether this is still the process that made the mark.
  [[nodiscard]] bool same_process() const noexcept;

 private:
  const std::atomic<std::uint32_t>* page_ = nullptr;
  int process_ = 0;
};

}  // namespace charm::os
