// The batch schedule of a graph: all nodes that are ready together are divided evenly, in the order in which they
// became ready, among the idle workers near the one that divides them. Each runs its part one node after the other, and
// nobody steals from it. Nodes that become ready meanwhile wait until all parts have ended, and are then the next
// level.
//
// Source: ABSS §3.2 and §3.5.2. Algorithm 3.2 counts a queue once, however many tasks it has; here a part lowers the
// count by its length. A worker's own part needs no queue, so a single worker runs all levels in a row.
#pragma once

#include <charm/detail/job.hpp>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "sched/run/runtime.hpp"
#include "task_dag/graph_run.hpp"

namespace charm::task_dag {

class Levels {
 public:
  /// \throws std::bad_alloc.
  Levels(sched::Runtime& runtime, GraphRun& run);
  /// Runs levels, beginning with the first nodes of `graph`, until the caller is not the last to end its part.
  /// \return whether the run has ended: then done.complete() is to follow, as the last act.
  bool begin(GraphState& graph) noexcept;

 private:
  struct Part : detail::ListedJob {
    explicit Part(Levels& l) noexcept : ListedJob(&Part::start), levels(&l) {}
    static void start(detail::Job* job) noexcept;
    Levels* levels;
    NodeList nodes;
  };
  bool run_levels() noexcept;
  bool run_part(NodeList nodes) noexcept;

  sched::Runtime& runtime_;
  GraphRun& run_;
  std::vector<Part> parts_;               // by worker
  std::vector<sched::Worker*> reserved_;  // of the worker that divides the present level
  std::atomic<std::int64_t> left_{0};     // nodes of the level whose parts have not ended
  std::mutex mutex_;
  NodeList next_;
};

}  // namespace charm::task_dag
