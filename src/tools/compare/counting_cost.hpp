// Decides whether counting costs a program so much that it changes the measurement. If a hypervisor emulates the
// counters, each exec and exit takes long, and a program of half a millisecond takes twice as long when it is counted.
// Pure.
#pragma once

#include <string>
#include <vector>

#include "tools/os/measured_child.hpp"

namespace charm::compare {

/// What counting adds to the start and the end of a program, in seconds; 0 if it is nothing.
/// \param counted, plain runs of one short program in turns; the least disturbed ones tell.
double counting_cost(const std::vector<os::ChildResult>& counted, const std::vector<os::ChildResult>& plain);

/// Why programs are not counted: the cost is above one percent of the shortest one's time. Empty: it is not.
/// \param shortest seconds; 0 or less: not known, and they are counted.
std::string too_dear(double cost, double shortest);

}  // namespace charm::compare
