// CHARM's speed-up over a peer, a bar for each query (CHARM, Fig. 13), as an inline SVG picture.
#pragma once

#include <string>

#include "tools/cli/bench/versus.hpp"

namespace charm::cli {

/// Bars begin at 1, where both take the same time: those that go up are queries that CHARM makes faster. Whiskers are
/// the 95 % intervals. Queries without a ratio are left out.
std::string speedup_bars(const Versus& versus);

}  // namespace charm::cli
