// A machine as JSON and back (the keys: docs/design/json.md): what `charm topo --json` prints, and what a measured
// profile contains as the system's description, so that a decision can be replayed elsewhere.
#pragma once

#include <charm/machine.hpp>

#include <string>

#include "base/json.hpp"

namespace charm::topology {

base::Json machine_to_json(const Machine& machine);

/// \param name appears in errors.
/// \throws Error (bad_input) if it is not a machine or its ids are inconsistent.
Machine machine_from_json(const base::SortedJson& json, const std::string& name);

}  // namespace charm::topology
