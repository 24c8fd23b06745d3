// Which nodes each worker's memory comes from, and how much of it. Pure; keeps "memory adds up" of plan.hpp.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/deploy/plan.hpp"

namespace charm::deploy {

/// The heap of a Java process that may use so many bytes: it needs a fifth beside its heap (threads, code, buffers),
/// and a small one a fixed part.
std::uint64_t java_heap(std::uint64_t bytes);

/// The node (an index in Machine::nodes) that gives each core its memory: its own, or the nearest that has any.
/// \throws Error (bad_input) where no node has memory that may be used.
std::vector<int> memory_homes(const Host& host, const Machine& machine);

/// Sets nodes, memory and heap of `workers`, and the host's shares, left-over nodes and notes.
/// \param machine the part of the host's machine that the workers' cores are of.
/// \throws Error: bad_config where a worker is to prefer one of several nodes, bad_input where too little is left.
void share_memory(const Host& host, const Machine& machine, const Request& request, std::vector<Worker>& workers,
                  HostPlan& plan);

}  // namespace charm::deploy
