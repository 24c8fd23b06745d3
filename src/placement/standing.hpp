// Where workers stand while nobody can tell how fast they are: other programs on a machine without counters
// (`charm run`). The rule was chosen by regret over the simulator's machines and workloads (docs/design/simulator.md);
// it uses what is known of any program from outside, the memory that it holds.
#pragma once

#include <charm/machine.hpp>

#include "placement/placement.hpp"

namespace charm::placement {

struct Standing {
  SocketOrder sockets = SocketOrder::fill;
  int spread = 0;  // chiplets, a level of the monotone family with these sockets

  friend bool operator==(const Standing&, const Standing&) = default;
};

/// The fewest chiplets whose last-level caches hold `bytes`, first with as few sockets as hold the workers, then with
/// all. If no caches hold that much, the work goes to memory: as many chiplets as there can be, on all sockets; but of
/// as few sockets as hold the workers, if these leave more than half of the cores there free. So few workers get from
/// one socket's memory nearly all that they can take, and what they share stays near. \throws as placement policies do.
Standing standing_for(const Machine& machine, const Request& request, double bytes);

}  // namespace charm::placement
