// A model of a machine that `charm probe` measured.
#pragma once

#include <string_view>

#include "tools/probe/profile.hpp"
#include "tools/sim/model.hpp"

namespace charm::sim {

/// How the source of a measured number begins; the date follows.
inline constexpr std::string_view measured_source = "measured by charm probe, ";

/// Shape and latencies as measured; numbers that a profile does not contain are estimated as for a topology alone. Each
/// number says which of the two it is.
/// \throws Error (bad_input) if no core was measured.
Model model_of_profile(const probe::Profile& profile);

/// Replaces the costs of a model by those that were measured.
void take_costs(Model& model, const probe::Profile& profile);

}  // namespace charm::sim
