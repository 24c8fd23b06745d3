// A placement: for every worker and every spread level, the seat that the worker takes. Pure values and functions; no
// system call, no clock (docs/placement.md).
#pragma once

#include <charm/machine.hpp>
#include <charm/placement.hpp>

#include <vector>

namespace charm::placement {

enum class SocketOrder { fill, balance };

struct Request {
  int workers = 1;
  SocketOrder sockets = SocketOrder::fill;
  int spread = 0;            // chiplets to start from; 0: the policy's own choice
  bool smt = false;          // hardware threads count as cores
  bool share_cores = false;  // more workers than cores is allowed; they share in turn
};

/// Levels are numbers of chiplets, ascending; the workers start at `initial`, an index into them.
struct Placement {
  std::vector<int> levels;
  int initial = 0;
  std::vector<std::vector<Seat>> seats;  // [level index][worker]

  /// \param spread is clamped to the levels there are.
  [[nodiscard]] const Seat& lookup(int worker, int spread) const;
  [[nodiscard]] const std::vector<Seat>& start() const { return seats[static_cast<std::size_t>(initial)]; }
};

}  // namespace charm::placement
