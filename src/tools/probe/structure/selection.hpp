// Stage 6: selects the innermost level among the candidates. A finer partition replaces a coarser one only
// where it divides nearly all of its groups, so that chance cannot split one of them.
#pragma once

#include "tools/probe/structure/level.hpp"

namespace charm::probe {

struct Selection {
  Level level;           ///< not found(): one group of everything
  double runner_up = 0;  ///< log of the step of the strongest finer partition that was not selected; 0 if none
};

Selection innermost_level(const Distances& distances);

}  // namespace charm::probe
