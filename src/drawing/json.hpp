// A machine as JSON for scripts. The keys are a promise (docs/topology.md); ids are those of charm::Machine.
#pragma once

#include <charm/machine.hpp>

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace charm::drawing {

nlohmann::ordered_json to_json(const Machine& machine);

/// Indented and with a line break at its end; bytes of firmware names that are no UTF-8 are replaced.
std::string json_text(const Machine& machine);

}  // namespace charm::drawing
