// The task graph of a recording: which task made which, how long each ran and where, and what it waited for.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "trace/recording.hpp"

namespace charm::trace {

/// An interval in which a task ran on one worker, from its begin or resume to its suspension or end.
struct Part {
  int worker = 0;
  double from = 0, to = 0;  // ns since the start
};

/// The wait of a task after its n-th part.
struct Wait {
  double after = 0;      // ns for which the task had run
  double length = 0;     // ns; until the recording's end if the wait had not ended
  std::uint64_t by = 0;  // the task that ended the wait; 0: none that was seen (the task yielded, or a thread outside)
  double by_after = 0;   // ns for which that task had run then
  bool over = false;
};

struct Task {
  enum class Edge : std::uint8_t { root, spawn, fork };
  std::uint64_t id = 0;  // 1, 2, ... in the order of their begins
  std::uint64_t function = 0;
  std::uint64_t parent = 0;  // 0: none that was seen
  Edge edge = Edge::root;
  double parent_after = 0;  // ns for which the parent had run when it made the task, or, for a fork, when it was stolen
  std::vector<Part> parts;
  std::vector<Wait> waits;
  bool ended = false;
  double ran = 0;  // ns
};

/// Builds the graph from the events, in order of time. Dropped events are missing: their tasks have not `ended`.
std::vector<Task> task_graph(Recording& recording);

}  // namespace charm::trace
