// A model of a machine that `charm probe` measured.
#pragma once

#include "probe/profile.hpp"
#include "sim/model.hpp"

namespace charm::sim {

/// Shape and latencies as measured; what a profile does not hold is estimated as for a topology alone. Each number says
/// which of the two it is.
/// \throws Error (bad_input) where no core was measured.
Model model_of_profile(const probe::Profile& profile);

}  // namespace charm::sim
