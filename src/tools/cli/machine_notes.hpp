// What commands that decide for a machine say about it besides the decision.
#pragma once

#include <charm/machine.hpp>

#include <string>
#include <vector>

namespace charm::cli {

/// What its description doubts, and its kinds of cores, a sentence each.
std::vector<std::string> machine_notes(const Machine& machine);

}  // namespace charm::cli
