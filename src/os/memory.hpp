// How much memory this process takes, and how much it may still take. All that the house reads of procfs and cgroups
// about memory stands here; the root of the file system is an argument, so that tests read a tree of their own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace charm::os {

/// Bytes that the process can still take without swapping: what the kernel calls available, and no more than what its
/// cgroups leave. Nothing where /proc tells neither.
std::optional<std::uint64_t> available_bytes(const std::string& root = "/");

/// What of the process is in memory now; 0 where /proc does not tell.
std::uint64_t resident_bytes() noexcept;

/// The high-water mark of the process's resident memory, from a point in time on.
class PeakMemory {
 public:
  /// Sets the kernel's mark back to what is resident now. Where the kernel does not allow it (some sandboxes),
  /// `exact()` is false and `bytes()` is the mark since the process began.
  PeakMemory();
  [[nodiscard]] bool exact() const { return exact_; }
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  bool exact_ = false;
};

}  // namespace charm::os
