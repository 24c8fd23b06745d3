// Stage 10: decides whether the outermost groups are dies or sockets. Latencies do not tell, so the answer is a guess,
// and its confidence is limited.
#pragma once

#include "tools/probe/structure/level.hpp"

namespace charm::probe {

struct Naming {
  bool sockets = false;  ///< the outermost groups are sockets
  double sure = 0.5;     ///< the confidence, at most `most_sure_of_names`
};

inline constexpr double most_sure_of_names = 0.78;

/// \param level the outermost one; \param above_chiplets whether it groups chiplets and is not the chiplets themselves.
Naming name_outermost(const Level& level, bool above_chiplets);

}  // namespace charm::probe
