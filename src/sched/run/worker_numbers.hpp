// The numbers of workers, which are unique among those that the process has at a time (WorkerBase::number). What is
// kept for each worker is found by the number, so numbers are used again: a program may open and close any number of
// arenas.
#pragma once

#include <algorithm>
#include <vector>

namespace charm::sched {

struct NumberRange {
  int first, count;
};

/// The lowest `count` numbers in a row in [begin, end) of which none is taken. \return the first; -1 if there are none.
inline int first_free_number(std::vector<NumberRange> taken, int begin, int count, int end) {
  std::sort(taken.begin(), taken.end(), [](const NumberRange& a, const NumberRange& b) { return a.first < b.first; });
  int first = begin;
  for (const NumberRange& each : taken) {
    if (each.first - first >= count) break;
    first = std::max(first, each.first + each.count);
  }
  return count <= end - first ? first : -1;
}

}  // namespace charm::sched
