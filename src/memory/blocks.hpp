// Blocks of pages on any machine: the work behind charm::PageBlock, with the kernel and the machine as arguments.
#pragma once

#include <charm/detail/target.hpp>
#include <charm/id_set.hpp>
#include <charm/machine.hpp>
#include <charm/page_options.hpp>
#include <charm/placement.hpp>

#include <cstddef>
#include <vector>

#include "os/memory/page_system.hpp"

namespace charm::memory {

struct Block {
  void* data = nullptr;
  std::size_t bytes = 0;
  std::size_t unit = 0;  ///< page size; the length is a multiple of it
  /// What is spread as a whole: a page; a huge page in large blocks that get those.
  std::size_t touched = 0;
  bool placed = false;
};

/// \param alignment a power of two; 0: that of the pages. \throws Error (system).
Block map_block(os::PageSystem& system, std::size_t bytes, HugePages huge, std::size_t alignment = 0);

/// Block::touched of a block that was mapped so.
std::size_t touched_at_once(os::PageSystem& system, std::size_t bytes, std::size_t unit, HugePages huge);

/// Sets the preferred node of runs of pages, or alternates pages over nodes. \param machine nullptr, or one from a
/// description: nothing is placed.
bool place_runs(os::PageSystem& system, const Machine* machine, const Block& block, const std::vector<PageRun>& runs);
bool place_in_turns(os::PageSystem& system, const Machine* machine, const Block& block, const NodeSet& nodes);
/// The same for the system's numbers of nodes; without any nothing is placed.
bool place_in_turns(os::PageSystem& system, const Block& block, const OsNodeSet& numbers);
/// The system's numbers of nodes; none where nothing can be placed on the machine. \throws Error (bad_input) if there
/// is no such node.
OsNodeSet numbers_of(const Machine* machine, const NodeSet& nodes);

/// Whether the kernel accepted a placement. Reports once why it did not. \param error 0 or an errno of
/// PageSystem::place.
bool took(int error);

PageCensus census(os::PageSystem& system, const Machine& machine, const void* data, std::size_t bytes);

/// \throws Error (bad_input).
int node_of_target(const Machine& machine, const std::vector<WorkerCore>& worker_cores, detail::Target target);

/// Id of the node that a cpu (OS number) belongs to; 0 if it belongs to none.
int node_of_cpu(const Machine& machine, int cpu);

/// The nodes that have cpus; all nodes if none is known to have any.
NodeSet nodes_with_cpus(const Machine& machine);

/// The node of every worker. Workers that are not bound could run anywhere: they are assigned evenly to the nodes with
/// cpus, so that no node gets too many.
std::vector<int> nodes_of_workers(const Machine& machine, const std::vector<WorkerCore>& worker_cores);

/// The nodes that have workers; if a worker is not bound, all nodes with cpus.
NodeSet nodes_with_workers(const Machine& machine, const std::vector<WorkerCore>& worker_cores);

}  // namespace charm::memory
