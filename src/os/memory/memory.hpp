// How much memory this process takes, and how much it may still take. Everything that is read about memory from procfs
// and cgroups is read here; the root of the file system is an argument, so that tests can use a tree of their own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/id_sets.hpp"

namespace charm::os {

/// Bytes that the process can still allocate without swapping: the memory that the kernel calls available, at most what
/// the limits of its cgroups leave. Nothing if /proc has neither.
std::optional<std::uint64_t> available_bytes(const std::string& root = "/");

/// The tightest memory limit of the process's cgroups; nothing where there is none.
std::optional<std::uint64_t> cgroup_memory_limit(const std::string& root = "/");

/// Nodes whose memory the process may use (cpuset.mems); nothing where /proc does not say.
std::optional<OsNodeSet> allowed_memory_nodes(const std::string& root = "/");

/// Resident memory of the process; 0 if /proc does not say.
std::uint64_t resident_bytes() noexcept;

/// Mappings that a process may have (vm.max_map_count); nothing where /proc does not say.
std::optional<std::uint64_t> mapping_limit();

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
