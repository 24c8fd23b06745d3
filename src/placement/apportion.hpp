// How many workers each chiplet takes: D'Hondt apportionment under capacities.
//
// Invariant (house-monotone in the number of chiplets): adding a chiplet after the others never gives one of the others
// more workers. It holds because the loads are the T highest claims of a growing set under one total order. The first
// claim of every chiplet ranks above all second ones, so that spreading over s chiplets uses all s of them even if one
// has several times another's cache; after that weight/(k+1) decides, which for equal weights is plain D'Hondt.
// (Largest-remainder rounding is not monotone: 1,1,3 and 1 more at three workers.)
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace charm::placement {

struct Claimant {
  std::uint64_t weight = 1;  // cache of the chiplet; at least 1
  int capacity = 0;          // workers it can take at most
};

/// Loads of `chiplets` for `workers`; the workers must fit into the capacities.
std::vector<int> apportion(std::span<const Claimant> chiplets, int workers);

}  // namespace charm::placement
