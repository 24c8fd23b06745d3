// Bandwidth and latency of reads between chosen cpus and the memory of chosen NUMA nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "os/memory/node_memory.hpp"

namespace charm::probe {

/// GB/s (10^9 bytes) that the cpus together read from the nodes, each cpu the same part of each node: the best of the
/// rounds. \param nodes OS numbers. \param bytes_each of a cpu, larger than its caches.
/// \throws Error (system) where there is not that much memory, or it cannot be bound to the nodes.
double read_gb_per_s(const std::vector<int>& cpus, const std::vector<int>& nodes, std::size_t bytes_each, int rounds);

/// Nanoseconds of a read by a cpu that depends on the one before it, anywhere in `bytes` of the node: the least of the
/// rounds. \throws Error likewise.
double read_latency_ns(int cpu, int node, std::size_t bytes, int rounds);

/// Memory that is bound to a node (OS number). \throws Error (system) where the kernel does not bind it.
os::NodeMemory memory_on(std::size_t bytes, int node);

/// Reads a multiple of eight words as fast as a core can.
std::uint64_t sum_of_words(const std::uint64_t* words, std::size_t count);

}  // namespace charm::probe
