// The core of a worker.
#pragma once

#include <charm/detail/requirements.hpp>

namespace charm {

/// The core on which a worker runs; all ids are those of `Machine`. All fields are -1 where the policy does not bind
/// workers (os).
struct WorkerCore {
  int core = -1;     ///< index in Machine::cores
  int cpu = -1;      ///< the operating system's number of the hardware thread
  int chiplet = -1;  ///< id of its chiplet
  int node = -1;     ///< id of its NUMA node
  int socket = -1;   ///< id of its socket
  friend bool operator==(const WorkerCore&, const WorkerCore&) = default;  ///< the same place
};

}  // namespace charm
