// Moving the pages of other processes to nodes: move_pages(2), for memory whose place nobody has chosen. Needs the
// rights of the process's user.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/id_sets.hpp"

namespace charm::os {

class PageMover {
 public:
  /// Finds the memory of these processes that lies on other nodes: private, without a policy of the program's own, not
  /// of a file. \return bytes of it; what was found before is forgotten.
  std::uint64_t find(const std::vector<int>& processes, const OsNodeSet& nodes);

  struct Moved {
    std::uint64_t bytes = 0;    ///< that have arrived
    std::uint64_t refused = 0;  ///< bytes that the kernel left where they were: shared or pinned pages, a full node
    bool end = false;           ///< nothing is left of what was found
  };
  /// Moves about so many bytes of it, in whole steps of 2 MiB, to the nodes in turn. Looks at 256 MiB of addresses at
  /// most, which takes some milliseconds.
  Moved move(std::uint64_t most);

 private:
  struct Range {
    int process = 0;
    std::uint64_t begin = 0, end = 0;
  };
  [[nodiscard]] Moved step(const Range& range, std::uint64_t bytes, int to) const;

  OsNodeSet nodes_;
  std::vector<Range> ranges_;  ///< the next one is the last
  std::size_t turn_ = 0;       ///< of the nodes
};

}  // namespace charm::os
