// Computes how long lines stay in a cache, in the steady state, for one access pattern and a group of workers that
// share it.
//
// A full cache evicts a random line for each new one, so every line in it leaves at one rate e, the same for
// all ("evict"); e = 0 if all fit. For a cyclic sweep over F bytes in M this is the hit rate h = exp(-(1-h) F/M),
// and for random accesses it is Che's approximation with an exponential characteristic time. e follows from the
// cache being exactly full; see analytic.cpp. Time is counted in operations of a worker.
#pragma once

#include "tools/sim/job.hpp"

namespace charm::sim {

/// A pattern as one cache sees it: `here` of the group's `all` workers use that cache.
struct Share {
  const Component* component = nullptr;
  double lines = 0;  // lines of the group
  double here = 0, all = 0;
  bool wanders = false;
  bool pair_together = true;  // pair: both use the cache
};

/// Lines of the group that are in the cache, on average.
double occupancy(const Share& share, double evict);

/// Chance that an access by a worker of this cache finds its line there.
double hit_rate(const Share& share, double evict);

/// The chance that another cache has a changed copy of a line that misses here, given the others' eviction rate.
double dirty_elsewhere(const Share& share, double evict_here, double evict_there);

/// Chance that one given other cache, used by `there` of the group's workers, holds the line at a random moment.
double presence_there(const Share& share, double there, double evict_there);

/// Lines written back to memory per access.
double write_backs(const Share& share, double evict);

}  // namespace charm::sim
