// The plan that CHARM Fig. 7 and Fig. 8 share.
#pragma once

#include "tools/evaluate/experiment.hpp"

namespace charm::evaluate {

/// The six kernels on all cores of a socket, CHARM over NUMA-aware placement; nothing published.
Plan against_numa(const Context& context);

}  // namespace charm::evaluate
