// The idle workers near the caller, for static shares of a batch.
#pragma once

#include <vector>

#include "sched/run/runtime.hpp"
#include "sched/run/worker.hpp"

namespace charm::task_dag {

/// Reserves up to `most` idle workers, nearest to `from` first: of its own chiplet, then by distance. A worker is
/// idle if it runs no job and has its cpu. It stays reserved until the part that is sent to it begins, so that two
/// batches never count on one worker. \param found is cleared first; it must have room for `most`.
void reserve_idle_workers(sched::Runtime& runtime, const sched::Worker& from, std::size_t most,
                          std::vector<sched::Worker*>& found) noexcept;

}  // namespace charm::task_dag
