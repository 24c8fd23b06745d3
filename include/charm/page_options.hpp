// Options of memory in whole pages, and the result of a census of pages: types that PageBlock, the placed arrays and
// memory_resource share. They need no runtime.
#pragma once

#include <charm/detail/requirements.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace charm {

/// Pages of 2 MiB (or what the machine has) instead of the usual ones: fewer address translations for random access to
/// large data, and memory is taken in larger steps.
enum class HugePages : std::uint8_t {
  no,        ///< nothing is asked for: the system's default
  advised,   ///< ask for transparent huge pages if the block is large enough; nothing is reported if there are none
  requested  ///< take reserved ones (MAP_HUGETLB), else transparent ones; if there are neither, report it once
};

/// Options of a block of pages.
struct MemoryOptions {
  HugePages huge = HugePages::no;  ///< whether to ask for huge pages
};

/// Bytes [offset, offset + bytes) of a block, and the node on which they should lie.
struct PageRun {
  std::size_t offset = 0;                                            ///< offset of the first byte in the block
  std::size_t bytes = 0;                                             ///< length in bytes
  int node = -1;                                                     ///< id in Machine::nodes; -1: as touched first
  friend bool operator==(const PageRun&, const PageRun&) = default;  ///< the same run
};

/// How the pages of a range are spread over the nodes, for checks and reports.
struct PageCensus {
  std::vector<std::size_t> pages;  ///< number of pages on each node, by node id
  std::size_t unknown = 0;         ///< number of pages that have not been touched, or of which the kernel says nothing
};

}  // namespace charm
