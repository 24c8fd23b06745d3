// Converts readings of counters into the controller's signals; the same for the runtime's workers and for threads of
// other programs.
#pragma once

#include <charm/machine.hpp>

#include <cstddef>

#include "controller/counts.hpp"
#include "counters/source.hpp"

namespace charm::binding {

/// Lines from the core's own L2 are left out, because they say nothing about placement. Memory behind a link that
/// belongs to no node counts as the farthest memory.
inline void add_reading(controller::Counts& counts, const counters::Reading& reading) {
  using topology::FillSource;
  const auto add = [&](FillSource to, FillSource from) {
    counts.fills[controller::index_beyond_l2(to)] += static_cast<double>(reading.fill(from));
  };
  for (const FillSource source : controller::sources_beyond_l2) add(source, source);
  add(FillSource::remote_dram, FillSource::other);
  counts.instructions += static_cast<double>(reading.instructions);
}

/// Whether the counters have what a controller needs: how much was done, and whether it waited for remote data.
inline bool measures_enough(const counters::Measured& has) {
  using counters::FillSource;
  const bool far = has.fills.has(FillSource::other_chiplet) || has.fills.has(FillSource::remote_cache) ||
                   has.fills.has(FillSource::local_dram) || has.fills.has(FillSource::remote_dram);
  return has.instructions && far;
}

/// Whether lines of other chiplets are counted among others, so that a count of 0 says nothing about them.
inline bool hides_chiplets(const counters::Measured& has, const Machine& machine) {
  return measures_enough(has) && !has.fills.has(counters::FillSource::other_chiplet) &&
         machine.chiplets.size() > machine.nodes.size();
}

/// What to tell a user whose policy needs what the counters hide.
inline constexpr const char* hidden_chiplets =
    "these counters cannot tell the lines of other chiplets apart, by which alone Algorithm 1 decides: it keeps its "
    "level; use adaptive, or charm-alg1:events=any";

}  // namespace charm::binding
