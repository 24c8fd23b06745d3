// The core of a worker.
#pragma once

namespace charm {

/// A worker's place on the machine; all ids are those of `Machine`. `core` and `cpu` are -1 where the policy does not
/// bind (os), and then so are the others.
struct WorkerCore {
  int core = -1;     ///< index in Machine::cores
  int cpu = -1;      ///< number that the operating system gives it
  int chiplet = -1;  ///< id
  int node = -1;     ///< id of the NUMA node
  int socket = -1;   ///< id
  friend bool operator==(const WorkerCore&, const WorkerCore&) = default;  ///< the same place
};

}  // namespace charm
