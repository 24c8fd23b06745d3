// A plan as JSON and back: what `charm deploy plan --json` prints, and what the state of a running deployment holds.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/json.hpp"
#include "tools/deploy/plan.hpp"

namespace charm::deploy {

base::Json plan_to_json(const Plan& plan);

/// \param name appears in errors. \throws Error (bad_input) if it is no plan.
Plan plan_from_json(const base::Json& json, const std::string& name);

}  // namespace charm::deploy
