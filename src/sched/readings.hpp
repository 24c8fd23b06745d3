// What counters read, in the controller's words: the same for the runtime's workers and for threads of other programs.
#pragma once

#include <cstddef>

#include "controller/gang.hpp"
#include "counters/source.hpp"

namespace charm::sched {

/// A line that this core's L2 had is not a fill from outside and says nothing about placement; memory behind a link
/// that is no node's is as far as memory gets.
inline void add_reading(controller::Counts& counts, const counters::Reading& reading) {
  using controller::Fill;
  using counters::FillSource;
  auto fills = [&](Fill to, FillSource from) {
    counts.fills[static_cast<std::size_t>(to)] += static_cast<double>(reading.fill(from));
  };
  fills(Fill::same_chiplet, FillSource::own_chiplet);
  fills(Fill::other_chiplet, FillSource::other_chiplet);
  fills(Fill::remote_cache, FillSource::remote_cache);
  fills(Fill::local_dram, FillSource::local_dram);
  fills(Fill::remote_dram, FillSource::remote_dram);
  fills(Fill::remote_dram, FillSource::other);
  counts.instructions += static_cast<double>(reading.instructions);
}

/// Whether they tell what a controller asks: how much was done, and whether it waited for something far.
inline bool tells_enough(const counters::Measured& has) {
  using counters::FillSource;
  const bool far = has.fills.has(FillSource::other_chiplet) || has.fills.has(FillSource::remote_cache) ||
                   has.fills.has(FillSource::local_dram) || has.fills.has(FillSource::remote_dram);
  return has.instructions && far;
}

}  // namespace charm::sched
