// What counting may take from the program: time and open files. Counting takes at most half a percent of the time of a
// thread, also where a hypervisor traps every access to a counter, and leaves the program a quarter of the files that
// the process may open.
//
// Pure functions; the costs are measured at the start (Description::reading_s, switch_s).
#pragma once

#include <cstddef>

#include "counters/plan.hpp"

namespace charm::counters {

/// Shares of a thread's time: readings take the first, and what counters add to its switches takes the second.
inline constexpr double readings_share = 0.003;
inline constexpr double switches_share = 0.002;

/// The least time between two readings of a thread, in seconds.
constexpr double reading_pause(double reading_s) { return reading_s / readings_share; }
/// So many switches a second may a counted thread make; 0: any number.
constexpr double most_switches(double added_s) { return added_s > 0 ? switches_share / added_s : 0; }

/// Of the files that the process may open those that its counters may keep; the others are the program's.
constexpr std::size_t files_for_counters(std::size_t files) { return files / 4 * 3; }

struct FileRation {
  int threads = 0;  ///< so many threads are counted
  int events = 0;   ///< by so many events each
};

/// Divides the files among threads that want `events` each, where each event is a file. Where these are too many each
/// thread gets fewer events, but not fewer than three (work, other chiplets, memory), since with less a controller
/// cannot decide; then fewer threads are counted. \param files that the process may open; 0: no limit. \param threads
/// 0: not known, no limit.
FileRation ration(std::size_t files, int threads, int events);

struct RationedPlan {
  EventPlan plan;
  int threads = 0;  ///< so many threads are counted
};
/// The plan of each thread, and the number of threads, as ration() says. \param by_group whether a group is one file
/// (EventGroup), so that fewer groups are what saves files.
RationedPlan rationed(const EventPlan& plan, std::size_t files, int threads, bool by_group, const Limits& limits);

int events_of(const EventPlan& plan);

/// Whether a thread is one of the `counted` of `threads`, which are spread evenly.
constexpr bool is_counted(int thread, int counted, int threads) {
  if (counted >= threads) return true;
  const long at = thread % threads;
  return at * counted / threads != (at + 1) * counted / threads;
}

/// The plan with at most so many events: those that tell most. A sum stays whole or is left out.
EventPlan trimmed(const EventPlan& plan, int events, const Limits& limits);

}  // namespace charm::counters
