// A family: the cores of a group of workers at every level of spreading over an ordered list of chiplets.
//
// Invariants, from which everything else follows (docs/design/placement.md): level s uses exactly the first s chiplets;
// a worker moves only into a chiplet that is new at that level; every other chiplet only loses workers, from the tail.
// So a chiplet is filled once, at the level where it is new, and a core belongs to one worker over all levels. This
// replaces CHARM §4.3, Algorithm 2, which collides as soon as two workers are at different levels.
#pragma once

#include <charm/placement.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "placement/placement.hpp"

namespace charm::placement {

/// A chiplet, or the part of it that may be used: its cores, in the order in which workers get them.
struct Bin {
  std::uint64_t weight = 0;  // bytes of its last-level cache; if any bin has 0, all count as equal
  std::vector<WorkerCore> worker_cores;
};

struct Family {
  std::vector<int> levels;                            // chiplets in use, ascending
  std::vector<std::vector<WorkerCore>> worker_cores;  // [level index][worker of the family]
};

/// The least number of leading bins that have cores for `workers`, which must not be more than all bins have.
int least_level(std::span<const Bin> order, int workers);

/// The least level, then every power of two above it, then the number of all bins, or of workers if these are fewer.
std::vector<int> doubling_levels(std::span<const Bin> order, int workers);

/// \param levels ascending, the first not below least_level, none above the number of bins or of workers.
Family build_family(std::span<const Bin> order, int workers, std::span<const int> levels);

/// Families side by side as one placement: the workers of the first family come first, all families change level
/// together, and the level of the placement is the number of chiplets that they use.
/// \param start the spread to start at, clamped to the levels.
Placement combine(const std::vector<Family>& families, int start);

}  // namespace charm::placement
