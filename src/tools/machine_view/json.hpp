// A machine as JSON for scripts. The keys are stable (docs/design/json.md); ids are those of charm::Machine.
#pragma once

#include <charm/machine.hpp>

#include <string>

#include "base/json.hpp"

namespace charm::machine_view {

base::Json to_json(const Machine& machine);

/// Indented, with a line break at its end; bytes of firmware names that are not UTF-8 are replaced.
std::string json_text(const Machine& machine);

}  // namespace charm::machine_view
