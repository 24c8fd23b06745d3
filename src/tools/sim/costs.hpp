// The costs of a machine: the numbers that a model adds to the topology. Each is measured or published, or
// marked as an estimate; the simulator knows no machine by name.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace charm::sim {

struct Number {
  double value = 0;
  std::string source;  // where it was published or measured, or "estimate"
};

struct Costs {
  Number l2_ns, l3_ns;               // hits of a load that waits
  Number same_chiplet_ns;            // a line that another core of the chiplet wrote
  Number other_chiplet_ns;           // from another chiplet's cache, same NUMA node
  Number other_node_ns;              // from a cache of another node of the socket
  Number other_socket_ns;            // from a cache of another socket
  Number dram_ns;                    // memory of the own node
  Number other_node_dram_ns;         // memory of another node of the socket
  Number remote_dram_ns;             // memory of another socket
  Number far_dram_ns;                // memory of a memory-only node (CXL); 0 if there is none
  Number issue_ns;                   // a core's own time for one line of loads and stores
  Number mlp;                        // misses in flight for independent accesses
  Number stream_mlp;                 // the same for a sweep, which the prefetchers recognise
  Number link_read, link_write;      // GB/s of one chiplet; 0: no limit of its own
  Number memory_read, memory_mixed;  // GB/s of one node: all reads; half of it writes
  Number node_link, socket_link;     // GB/s into a node from its socket, into a socket; 0: no limit
  Number far_memory;                 // GB/s of a memory-only node
  Number barrier_ns;                 // fixed part of a barrier or an empty parallel step
  Number move_ns;                    // a worker that changes its core
};

struct CostField {
  std::string_view name;
  Number Costs::* member;
  std::string_view unit;
};

/// All numbers by name, in the order in which they are shown.
std::span<const CostField> cost_fields();

/// The numbers that are no machine's: those that were fitted to the papers' figures, those that were chosen with a
/// figure in view, and estimates. docs/design/simulator.md and `charm sim assumptions` list them with their sources
/// and with what the figures say when each of them moves (assumptions.hpp). All figures use the same values.
struct Free {
  // Fitted.
  double streamcluster_turns = 160;   // serialised turns of a worker in a pass of Streamcluster: CHARM Fig. 9
  double streamcluster_fresh = 0.13;  // share of its lines that stay for one pass only: CHARM Tab. 2
  double blind_writes = 0.2;  // share of the touches of a vertex that write its line although no result changes, in the
                              // kernels whose vertices hold flags (workloads/graph.cpp): CHARM Tab. 1
  // Chosen with a figure in view.
  double gups_buffers_mb = 64;   // MiB of a node's buffers for batches of updates: CHARM Tab. 1
  double gups_update_ns = 160;   // a thread's time for an update that is handed over: CHARM Fig. 7
  double asymsched_lines = 1e6;  // lines a second of a worker from memory above which AsymSched spreads: CHARM Fig. 7
  // Estimates.
  double clean_forward = 0.5;  // probability that a clean line comes from another chiplet's cache and not from memory
  double message_ns = 2;       // RING's cost of an access to another node's data, in a batch
};
inline constexpr Free free_defaults{};

}  // namespace charm::sim
