// Domains: groups of cores within a last-level cache that a user, or the clusters of the kernel, tell apart: the tiles
// of an Intel Xeon behind one L3, cores in twos and fours that share an L2. They take the place of the chiplets;
// chiplets that share a cache are nearer to each other than to others (Machine::distance). Source: OLAP on chiplets
// §4.5.1: engines on two Xeon 8480+ gain up to a worker for each of their eight tiles.
#pragma once

#include <charm/machine.hpp>

#include <string>

namespace charm::topology {

/// \param domains empty or "auto": as it is, with a note where the processor is known to have tiles; "cluster": the
/// machine's clusters (Core::cluster), what is left of a chiplet being one domain; a number: so many parts of each
/// chiplet, by its cores in their order; lists of cpus, separated by semicolons, or a file with one in each line.
/// \throws Error (bad_input) that names what is wrong with the text, or what does not fit the machine.
Machine with_domains(Machine machine, const std::string& domains);

/// The same machine with a chiplet for each last-level cache, for whoever knows nothing of what is between its domains.
Machine with_whole_caches(Machine machine);

}  // namespace charm::topology
