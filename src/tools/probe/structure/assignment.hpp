// Stage 4: makes a partition of all items from the groups that show a step around them and the items outside of these
// groups. A few items always miss the step that the others show, because measurements are disturbed and rows or cells
// are missing. Each of them is assigned by the distances that are known of it, and the share that was only inferred is
// reported.
#pragma once

#include <optional>

#include "tools/probe/structure/level.hpp"

namespace charm::probe {

/// \param groups not empty. \return nothing if so many items are in no group that this is not a level.
std::optional<Level> assign_items(const Distances& distances, Partition groups, const Group& unassigned);

}  // namespace charm::probe
