// What a controller cannot see on this machine, in words: sources that the counters add up or do not count at all.
#pragma once

#include <charm/machine.hpp>

#include <string>
#include <vector>

#include "counters/source.hpp"

namespace charm::counters {

/// One sentence each: what is not seen, and what the policies do instead.
std::vector<std::string> blind_spots(const Description& description, const Machine& machine);

}  // namespace charm::counters
