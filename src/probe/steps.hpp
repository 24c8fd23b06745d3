// Finds the innermost level of grouping that a latency matrix shows: groups whose members are closer to each other than
// to anybody else, by a step and not by a slope.
//
// No latency is compared with a number of nanoseconds. A group's step is how far the latencies of its members to their
// nearest outsiders lie above those within, member by member; on a mesh, where latency grows with distance, members at
// a group's rim are as near to outsiders as to their own, and no step is found however large the spread. A level is a
// partition of all items; a finer one replaces a coarser one only where it divides (nearly) all of the coarser groups,
// so that chance cannot split one of them. Steps are local: a socket whose lines were homed elsewhere, and whose
// latencies are all raised for that, still shows its own steps.
#pragma once

#include <vector>

#include "probe/linkage.hpp"

namespace charm::probe {

struct Level {
  std::vector<std::vector<int>> groups;  ///< item numbers, ascending; a partition of all items
  std::vector<int> leftovers;            ///< the group, if any, that was inferred because nothing else is left
  double step = 0;                       ///< log of the step that all but the weakest tenth of the groups reach
  double spread = 0;  ///< how far the middle four fifths of the log latencies within a group usually lie apart
  double within = 0;  ///< median log latency within groups (NaN where all are single items)
  double beyond = 0;  ///< median log latency to the nearest outsiders
  double doubt = 0;   ///< share of items that were put into a group, or left alone, by inference
  [[nodiscard]] bool found() const { return groups.size() > 1; }
};

struct Search {
  Level level;           ///< not found(): one group of everything
  double runner_up = 0;  ///< log of the step of the strongest finer partition that was turned down; 0 if none
  int refined = 0;       ///< items whose group was mended (refine.hpp)
};

Search innermost_level(const Distances& distances);

}  // namespace charm::probe
