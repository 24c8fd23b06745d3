// Where the kernel takes new pages from: for a thread by set_mempolicy(2), for a range of memory by mbind(2). The
// numbers are those of linux/mempolicy.h, which not every distribution installs by default.
#pragma once

#include <cstddef>
#include <vector>

#include "base/id_sets.hpp"

namespace charm::os {

enum class MemoryPolicy : int {
  preferred = 1,           ///< from one node while it has memory, then from others
  bind = 2,                ///< from the given nodes and no others
  interleave = 3,          ///< from the given nodes in turn, page by page
  weighted_interleave = 6  ///< in turn, each as many pages as its weight says (since Linux 6.9)
};

inline constexpr int default_memory_policy = 0;
inline constexpr unsigned long mpol_f_node = 1;  // get_mempolicy: the node of an address,
inline constexpr unsigned long mpol_f_addr = 2;  // instead of the thread's policy

/// A set of nodes as these system calls take it.
struct NodeMask {
  explicit NodeMask(const OsNodeSet& nodes) {
    for (const int node : nodes) {
      const auto at = static_cast<std::size_t>(node);
      if (words.size() <= at / word_bits) words.resize(at / word_bits + 1, 0);
      words[at / word_bits] |= 1UL << (at % word_bits);
    }
  }
  /// The number to pass: the kernel reads one bit less.
  [[nodiscard]] std::size_t bits() const { return words.size() * word_bits + 1; }

  static constexpr std::size_t word_bits = 8 * sizeof(unsigned long);
  std::vector<unsigned long> words;
};

}  // namespace charm::os
