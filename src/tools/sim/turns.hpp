// What workers wait for each other where one line, or a few, must go from holder to holder: counters and locks.
#pragma once

#include "tools/sim/job.hpp"
#include "tools/sim/timing.hpp"

namespace charm::sim {

/// The time from asking for a turn to its end, of workers that compute for `think_ns` between turns of `turn_ns` and
/// choose one of `lines` evenly: exact mean value analysis of a closed network (Reiser and Lavenberg, 1980).
double turn_response_ns(int workers, double think_ns, double turn_ns, double lines);

/// Adds to each worker's rate what a turn of the phase costs, and the lines that it fetches. Who held the line before
/// is chance: so many of the turns find it on the own core as the worker takes of all.
void take_turns(const Job& job, std::vector<WorkerRate>& workers);

}  // namespace charm::sim
