// The counts that a controller reads: what a worker, or a group of them, did since a moment or during an interval.
//
// The runtime's workers, `charm run` and the simulator fill in Counts, a control group adds them up, and the controller
// gets the difference between two ticks. for_each_count() is the only list of the numbers: all arithmetic goes through
// it, so a new count is added in one place.
#pragma once

#include <array>
#include <cstddef>

#include "topology/fill_source.hpp"

namespace charm::controller {

using topology::FillSource;

/// The sources of fills beyond a core's own L2, which alone say something about placement, in the order in which a
/// controller has their numbers. Memory that belongs to no node counts as remote.
inline constexpr std::array<FillSource, 5> sources_beyond_l2 = {FillSource::own_chiplet, FillSource::other_chiplet,
                                                                FillSource::remote_cache, FillSource::local_dram,
                                                                FillSource::remote_dram};

/// \param source one of sources_beyond_l2.
constexpr std::size_t index_beyond_l2(FillSource source) noexcept {
  return topology::index(source) - topology::index(sources_beyond_l2.front());
}

/// \tparam Number double, or std::atomic<double> where one thread writes and others read.
template <class Number>
struct BasicCounts {
  Number busy{};          // worker-seconds inside of tasks
  Number waited{};        // worker-seconds in which its thread was ready and had no cpu; 0 where nobody asks for it
  Number tasks{};         // tasks finished
  Number user_work{};     // in the program's own units; 0 where it gives none
  Number task_work{};     // tasks weighted by the cost of their kind; 0 where unknown
  Number instructions{};  // 0, as the fills, if there are no counters
  std::array<Number, sources_beyond_l2.size()> fills{};

  [[nodiscard]] double fill(FillSource source) const { return fills[index_beyond_l2(source)]; }
};
using Counts = BasicCounts<double>;

/// Calls `each` once for each count, with that count of every argument.
template <class Each, class... Some>
void for_each_count(Each&& each, Some&... some) {
  each(some.busy...);
  each(some.waited...);
  each(some.tasks...);
  each(some.user_work...);
  each(some.task_work...);
  each(some.instructions...);
  for (std::size_t f = 0; f < sources_beyond_l2.size(); ++f) each(some.fills[f]...);
}

inline Counts& operator+=(Counts& sum, const Counts& more) {
  for_each_count([](double& a, double b) { a += b; }, sum, more);
  return sum;
}
inline Counts& operator-=(Counts& rest, const Counts& less) {
  for_each_count([](double& a, double b) { a -= b; }, rest, less);
  return rest;
}
[[nodiscard]] inline Counts operator+(Counts a, const Counts& b) { return a += b; }
[[nodiscard]] inline Counts operator-(Counts a, const Counts& b) { return a -= b; }

/// A worker's running totals since it started, as it stores them for its control group.
struct WorkerTotals : Counts {
  double running_since = 0;     // time at which the present work began, which `busy` does not contain yet; 0 while idle
  bool counters = false;        // whether instructions and fills are measured
  bool hides_chiplets = false;  // lines of other chiplets are counted among those of the own one
};

}  // namespace charm::controller
