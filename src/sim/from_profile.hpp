// A model of a machine that `charm probe` measured.
#pragma once

#include "probe/profile.hpp"
#include "sim/model.hpp"

namespace charm::sim {

/// Shape and latencies as measured; numbers that a profile does not contain are estimated as for a topology alone. Each
/// number says which of the two it is.
/// \throws Error (bad_input) if no core was measured.
Model model_of_profile(const probe::Profile& profile);

}  // namespace charm::sim
