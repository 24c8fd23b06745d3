// Stage 3: the criterion by which a group, and a level of groups, stands out in the distances. All later stages use it:
// the step around a group, that is, how far each member's distance to the nearest outsiders lies above its distances
// within. On a mesh, where latency grows with distance, members at a group's rim are as near to outsiders as to their
// own, and no step is found however large the spread.
#pragma once

#include "tools/probe/structure/distances.hpp"

namespace charm::probe {

// The smallest step that counts: latencies outside at least an eighth above those inside. Clusters that share
// a tag directory or a mesh stop within one last-level cache show smaller steps, and so does the timer's resolution.
inline const double smallest_step = std::log(1.13);

/// Known distances between the members of a group, and from each member to its nearest outsiders.
struct GroupDistances {
  std::vector<double> within;
  std::vector<double> beyond;
};
GroupDistances distances_of(const Distances& d, const Group& group);

/// Log of the step around a group that all but a quarter of its members reach; NaN if it is not known.
double step_of(const Distances& d, const Group& group);

/// A partition of all items, and how its groups stand out.
struct Level {
  Partition groups;
  Group remainder;            ///< the group, if any, of the items that were left when the other groups were found
  double step = 0;            ///< log of the step that all but the weakest tenth of the groups reach
  double spread = 0;          ///< how far the middle four fifths of the log latencies within a group usually lie apart
  double within = 0;          ///< median log latency within groups (NaN where all are single items)
  double beyond = 0;          ///< median log latency to the nearest outsiders
  double inferred_share = 0;  ///< share of items whose group was inferred and not seen
  [[nodiscard]] bool found() const { return groups.size() > 1; }
};

/// Computes `step`, `spread`, `within` and `beyond` from the groups.
void describe(const Distances& d, Level& level);

/// Number of groups that consist of a single item.
std::size_t single_items(const Partition& groups);

}  // namespace charm::probe
