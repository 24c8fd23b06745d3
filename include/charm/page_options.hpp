// What can be asked of memory in whole pages, and where they were found: the values that PageBlock, the placed arrays
// and memory_resource share. Needs no runtime.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace charm {

/// Pages of 2 MiB (or what the machine has) instead of the usual ones: fewer address translations for random access to
/// large data, and memory is taken in larger steps.
enum class HugePages : std::uint8_t {
  no,        ///< as the system is set up
  advised,   ///< ask for transparent ones where the block is large enough; nothing is said where there are none
  requested  ///< take reserved ones (MAP_HUGETLB), else transparent ones; neither is reported once (stats().notices)
};

/// How a block of pages is asked for.
struct MemoryOptions {
  HugePages huge = HugePages::no;  ///< whether to ask for huge pages
};

/// Bytes [offset, offset + bytes) of a block and the node (id of Machine::nodes) they are meant for; -1: wherever they
/// are touched first.
struct PageRun {
  std::size_t offset = 0;                                            ///< of its first byte in the block
  std::size_t bytes = 0;                                             ///< its length
  int node = -1;                                                     ///< id, or -1
  friend bool operator==(const PageRun&, const PageRun&) = default;  ///< the same run
};

/// How the pages of a range are spread, for checks and reports.
struct PageCensus {
  std::vector<std::size_t> pages;  ///< by node id
  std::size_t unknown = 0;         ///< not touched, or the kernel does not tell
};

}  // namespace charm
