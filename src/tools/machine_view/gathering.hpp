// Collects all views of a machine (views.hpp): this one's system, processors and stored profile, or whatever a
// description contains.
#pragma once

#include "tools/machine_view/views.hpp"
#include "topology/discovery.hpp"

namespace charm::machine_view {

/// \param source its topology as Machine::from takes it; empty: this machine.
/// \throws Error (bad_input).
Views gather(const topology::MachineSource& source);

}  // namespace charm::machine_view
