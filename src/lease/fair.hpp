// How many cores each holder of a share is due: max-min fair by weight. Cores are dealt one by one, each to whom it is
// due most (D'Hondt: weight / (has + 1)), as far as the holder wants more and there is a core that it may use. A first
// core comes before all second ones, so that nobody starves while there are cores for all; where there are not, those
// who came first have one.
//
// Invariant: the counts can be met at the same time, whatever cpus each may use: a core that could only go to somebody
// with more is handed on along a path of exchanges, as in a bipartite matching. The outcome depends on the holders
// alone, so all who look at the same table agree.
#pragma once

#include <optional>
#include <utility>
#include <vector>

namespace charm::lease {

/// A core is named by one of its cpus, the same by all who may use it.
struct Holder {
  int weight = 1;
  int want = 0;            ///< cores that it can use at the moment
  std::vector<int> may;    ///< cores that it may use, ascending
  std::vector<int> holds;  ///< those that it has, ascending; disjoint from the others'
};

/// Cores due to each.
std::vector<int> fair_counts(const std::vector<Holder>& holders);

/// The exchange that `self` has to make so that somebody who is short of cores and may use none that is free gets one
/// in the end: {core to give up, free core to take instead}. Nothing where it is not its turn.
std::optional<std::pair<int, int>> exchange(const std::vector<Holder>& holders, const std::vector<int>& counts,
                                            std::size_t self);

/// Cores that somebody may use and nobody has, ascending.
std::vector<int> free_cores(const std::vector<Holder>& holders);

}  // namespace charm::lease
