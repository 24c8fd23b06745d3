// Stage 5: the levels that a matrix may have. Every height of the criterion (level.hpp) cuts the tree of stage 2 into
// the innermost groups that reach it; stage 4 makes a partition of them.
#pragma once

#include <vector>

#include "tools/probe/structure/level.hpp"

namespace charm::probe {

struct Candidate {
  double least;  ///< log of the smallest step around any of its groups
  Level level;
};

/// Ordered from the largest step to the smallest; candidates with more than a few inferred items come last.
struct Candidates {
  std::vector<Candidate> seen, inferred;
};

Candidates candidate_levels(const Distances& distances);

}  // namespace charm::probe
