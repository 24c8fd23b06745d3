// Where the pages of a process lie, mapping by mapping: /proc/PID/numa_maps. The root of the file system is an
// argument, so that tests can use a tree of their own.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace charm::os {

struct MappedPages {
  std::uint64_t address = 0;
  std::string policy;                  ///< the kernel's words: "default", "interleave:0-3", "prefer:1",
                                       ///< "weighted interleave:0-1"
  std::string what;                    ///< "heap", "stack", a file's path, or empty: anonymous memory
  std::map<int, std::uint64_t> bytes;  ///< that are present, by node (OS number)
  [[nodiscard]] std::uint64_t total() const;
};

/// By address; nothing where there is no such process, it is another user's, or the kernel has no NUMA.
std::optional<std::vector<MappedPages>> numa_maps(int pid, const std::string& root = "/");

}  // namespace charm::os
