// How many cores each holder of a lease is due: max-min fair by weight. Cores are assigned one by one to the holder
// with the highest quotient (D'Hondt: weight / (has + 1)), as long as it wants more and may use a core that is left.
// Every holder gets a first core before any gets a second, so nobody starves while there are enough cores; if there are
// not enough, the holders that came first get one. A holder that is alone on its cores is due all of them, whatever it
// wants: giving cores up would help nobody, and its demand may be underestimated.
//
// Invariant: all counts can be met at the same time, whatever cpus each holder may use. If only a holder that has more
// could use a core, the core is passed on along a path of exchanges, as in a bipartite matching. The result depends on
// the holders alone, so all programs that read the same table agree.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "base/id_sets.hpp"

namespace charm::lease {

struct Holder {
  int weight = 1;
  int want = 0;      ///< cores that it can use at the moment
  CoreCpuSet may;    ///< cores that it may use
  CoreCpuSet holds;  ///< those that it has; disjoint from the others'
};

/// The number of cores that each holder is due.
std::vector<int> fair_counts(const std::vector<Holder>& holders);

/// The exchange that `self` has to make so that in the end a holder that is short of cores, and may use none of the
/// free ones, gets one: {core to give up, free core to take instead}. Nothing if it is not this holder's turn.
std::optional<std::pair<int, int>> exchange(const std::vector<Holder>& holders, const std::vector<int>& counts,
                                            std::size_t self);

/// Cores that some holder may use and none has.
CoreCpuSet free_cores(const std::vector<Holder>& holders);

}  // namespace charm::lease
