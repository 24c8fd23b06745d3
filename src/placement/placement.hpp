// A placement: for every worker and every spread level, the core that the worker takes. Pure values and functions; no
// system call, no clock (docs/placement.md).
//
// Invariant of every placement but `literal` and shared cores: a core belongs to at most one worker over all levels, so
// workers may be at different levels and move at different times without ever sharing a core. lookup() is wait-free:
// two table loads and no loop, and may be called from any thread while nobody assigns to the placement. CHARM §4.2-4.3.
#pragma once

#include <charm/machine.hpp>
#include <charm/placement.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/setting_choices.hpp"

namespace charm::placement {

using base::SocketOrder;

struct Request {
  int workers = 1;
  SocketOrder sockets = SocketOrder::widen;
  int spread = 0;            // chiplets to start from; 0: the policy's own choice
  bool smt = false;          // hardware threads count as cores
  bool share_cores = false;  // more workers than cores are allowed; they take turns on the cores
};

/// Levels are numbers of chiplets, ascending; the workers start at `initial`, an index into them.
struct Placement {
  std::vector<int> levels;
  int initial = 0;
  std::vector<std::vector<WorkerCore>> worker_cores;  // [level index][worker]
  std::vector<std::uint16_t> level_table;             // [spread]: index of the highest level that is not above it

  Placement() = default;
  /// \param start the spread to start at, clamped to the levels.
  Placement(std::vector<int> level_list, std::vector<std::vector<WorkerCore>> core_table, int start);

  /// Index of the highest level that is not above `spread`; below the first level it is the first.
  [[nodiscard]] int level_index(int spread) const {
    if (spread <= 0) return 0;
    auto at = static_cast<std::size_t>(spread);
    return at < level_table.size() ? level_table[at] : static_cast<int>(levels.size()) - 1;
  }

  /// \param spread number of chiplets, clamped to the levels.
  [[nodiscard]] const WorkerCore& lookup(int worker, int spread) const {
    return worker_cores[static_cast<std::size_t>(level_index(spread))][static_cast<std::size_t>(worker)];
  }

  [[nodiscard]] const std::vector<WorkerCore>& start() const { return worker_cores[static_cast<std::size_t>(initial)]; }
};

}  // namespace charm::placement
