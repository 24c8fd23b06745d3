// What counters must show of accesses whose sources are known, also where they cannot tell all sources apart: a sum
// that contains a source is at least as large as that source, and a sum of some sources at most as large as all of
// them.
#pragma once

#include <vector>

#include "counters/source.hpp"

namespace charm::counters {

inline bool meets(FillSet covers, FillSet sources) {
  for (const FillSource each : all_fill_sources) {
    if (covers.has(each) && sources.has(each)) return true;
  }
  return false;
}

inline bool is_within(FillSet covers, FillSet sources) {
  for (const FillSource each : all_fill_sources) {
    if (covers.has(each) && !sources.has(each)) return false;
  }
  return true;
}

struct Bounds {
  double least = 0, most = 0;  // fills from these sources were no fewer and, where all are counted, no more
};

/// What the difference of two readings says of fills from any of `sources`.
inline Bounds fills_from(FillSet sources, const Reading& before, const Reading& after,
                         const std::vector<FillClass>& classes) {
  Bounds all;
  for (const FillClass& each : classes) {
    if (!after.has.fills.has(each.reported_as)) continue;
    const auto fills = static_cast<double>(after.fill(each.reported_as) - before.fill(each.reported_as));
    if (meets(each.covers, sources)) all.most += fills;
    if (is_within(each.covers, sources)) all.least += fills;
  }
  return all;
}

}  // namespace charm::counters
