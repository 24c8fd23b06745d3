// Stage 4: turns groups that a step was seen around, and the items outside of all of them, into a partition of all
// items. Measurements are disturbed, and rows or cells are missing, so that a few items always miss the step that the
// others show. Each is assigned by what is known of it, and what rests on inference is counted.
#pragma once

#include <optional>

#include "probe/level.hpp"

namespace charm::probe {

/// \param groups not empty. Nothing where too many items stay alone to speak of a level.
std::optional<Level> assign_items(const Distances& distances, Partition groups, const Group& unassigned);

}  // namespace charm::probe
