// Turns groups that a step was seen around, and the items outside of all of them, into a partition of all items.
//
// Measurements are disturbed, and rows or cells are missing, so that a few items always miss the step that the others
// show. Each is placed by what is known of it, and every placing that rests on inference adds to the level's doubt.
#pragma once

#include <optional>

#include "probe/grouping.hpp"
#include "probe/steps.hpp"

namespace charm::probe {

/// \param groups not empty. Nothing where too many items stay alone to speak of a level.
std::optional<Level> settle(const Distances& distances, std::vector<Group> groups, Group stragglers);

/// Fills in what a level's groups look like: step, spread, within and beyond.
void describe(const Distances& distances, Level& level);

}  // namespace charm::probe
