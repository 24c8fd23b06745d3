// Measures what one cpu gets from memory by the size of the working set: latency of dependent loads, and bandwidth of
// reading, from the first-level cache to a node's DRAM. Also what writing costs a group of cpus by how much they write:
// CHARM §2.3, Fig. 5.
#pragma once

#include <cstddef>
#include <vector>

#include "tools/probe/measuring/deadline.hpp"
#include "tools/probe/measuring/samples.hpp"

namespace charm::probe {

struct WorkingSet {
  Summary latency_ns;
  Summary gb_per_s;
  int home = -1;
};

/// Reading `bytes` of a node's memory in order, from `cpu`; GB/s.
/// \param until ends it early, with what there is or nothing, as in the others below.
/// \throws Error (system) where the memory cannot be had.
Summary read_rate(int cpu, int node, std::size_t bytes, double ms, const Deadline& until = {});

/// \param node OS number of the node whose memory is used; below 0 the cpu's own.
/// \param ms to spend on each of the two, more or less.
WorkingSet working_set(int cpu, int node, std::size_t bytes, double ms, const Deadline& until = {});

/// Nanoseconds for `cpus` to write `bytes` together once, each its own contiguous part. Every cpu passes over its part
/// once before.
Summary write_once(const std::vector<int>& cpus, std::size_t bytes, double ms, const Deadline& until = {});

}  // namespace charm::probe
