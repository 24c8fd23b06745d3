// The tree along which the ranks take steps together: the ranks of a host below the first of them, and these leaders
// below each other as a binomial tree. So each host sends once up and once down, and the depth over the network is the
// logarithm of the number of hosts. (Within a rank, tasks are the levels of the machine.)
#pragma once

#include <vector>

namespace charm::remote {

/// A rank's place in the tree, whose root is rank 0.
struct TreePlace {
  int parent = -1;            ///< -1: the root
  std::vector<int> children;  ///< in the order in which their data follow each other
  std::vector<int> below;     ///< this rank, and what is below its children, in that order
};

/// \param host of each rank: any number that ranks of the same host have in common.
std::vector<TreePlace> tree_of_ranks(const std::vector<int>& host);

}  // namespace charm::remote
