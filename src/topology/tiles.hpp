// Processors that are known to be made of several dies behind one L3 cache, which the system does not say apart.
#pragma once

#include <charm/machine.hpp>

#include <string>

namespace charm::topology {

/// Into how many dies a chiplet of so many cores is cut on a processor of that name; 1 where none is known.
/// Source: Intel's product briefs: 4th generation Xeon and Xeon Max 4 tiles, 5th generation 2 (dies of more than 32
/// cores), Xeon 6900P 3 compute dies, 6700P and 6500P 2 (dies of more than 48).
int known_tiles(const std::string& name, int cores);

/// A sentence that says how many tiles there are and how to take them as chiplets; empty where none are known. Which
/// core is on which tile is not known, so that nothing is cut unasked.
std::string note_of_tiles(const Machine& machine);

}  // namespace charm::topology
