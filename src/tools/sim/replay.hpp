// Recorded task graphs: the section "charm" of a CHARM_TRACE file (docs/trace.md), to be run on any machine.
#pragma once

#include <string>

#include "tools/sim/tasks.hpp"

namespace charm::sim {

/// \param origin appears in errors.
/// \throws Error (bad_input) if it is not such a file.
TaskGraph parse_trace(const std::string& json, const std::string& origin);

}  // namespace charm::sim
