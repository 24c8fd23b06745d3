// Where a worker sits.
#pragma once

namespace charm {

/// A worker's place on the machine; all ids are those of `Machine`. `core` and `cpu` are -1 where the policy does not
/// bind (os), and then so are the others.
struct Seat {
  int core = -1;
  int cpu = -1;
  int chiplet = -1;
  int node = -1;
  int socket = -1;
  friend bool operator==(const Seat&, const Seat&) = default;
};

}  // namespace charm
