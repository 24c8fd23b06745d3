// The machine as lists of bins, and the workers' share of each list, from which the policies build their families.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "placement/family.hpp"

namespace charm::placement {

/// The number of cores for one worker each: allowed physical cores, or hardware threads with `smt`.
int capacity(const Machine& machine, bool smt);

/// \returns the number of workers that get a core of their own: all of them, or with `share_cores` at most the
/// capacity.
/// \throws Error (too_many_workers) that names both numbers, or (bad_config) below one worker.
int placed_workers(const Machine& machine, const Request& request);

/// The chiplets of each socket, as far as they have any of `cores`, in hardware order, those of nodes that were
/// measured to have faster memory first, and so are the sockets (placement/memory_rate.hpp); a bin's cores are its
/// cores ascending, with `smt` all first threads before all second ones. Sockets without an allowed core are left out.
std::vector<std::vector<Bin>> bins_by_socket(const Machine& machine, const std::vector<const Core*>& cores, bool smt);

/// The same, further divided by NUMA node; a chiplet that spans nodes becomes one bin per node.
std::vector<std::vector<std::vector<Bin>>> bins_by_socket_and_node(const Machine& machine,
                                                                   const std::vector<const Core*>& cores, bool smt);

/// Workers per group: `fill` and `widen` never enter a group before the one ahead of it is full; `balance` shares
/// evenly.
std::vector<int> share_out(std::span<const int> capacities, int workers, SocketOrder order);

/// The order that they have, unless fewer chiplets suffice when the largest come first (a cpuset has left holes): then
/// those come first.
std::vector<Bin> fewest_first(std::vector<Bin> bins, int workers);

/// The families of each kind of cores in turn, the fastest first: `families_of` is given the cores of a kind and as
/// many of the workers as they hold.
std::vector<Family> families_by_kind(
    const Machine& machine, bool smt, int workers,
    const std::function<std::vector<Family>(const std::vector<const Core*>& cores, int workers)>& families_of);

/// The monotone family of docs/design/placement.md for each kind of cores, one per socket that gets workers; with
/// `widen` one over all sockets, where the workers leave a socket free.
std::vector<Family> socket_families(const Machine& machine, const Request& request, int workers);

/// Gives the surplus workers the cores of the others, in turn.
Placement share_worker_cores(Placement placement, int workers);

}  // namespace charm::placement
