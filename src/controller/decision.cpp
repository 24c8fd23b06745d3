#include "controller/decision.hpp"

#include <cstdio>

namespace charm::controller {

std::string to_string(const Decision& decision) {
  char text[160];
  std::snprintf(text, sizeof text, "%9.3f s  gang %d  %d -> %d chiplets  %.4g/s", decision.time, decision.gang,
                decision.from, decision.to, decision.throughput);
  std::string line = text;
  if (decision.stall_dram >= 0) {
    std::snprintf(text, sizeof text, "  stalled %.0f %% other chiplets, %.0f %% memory",
                  100 * decision.stall_other_chiplet, 100 * decision.stall_dram);
    line += text;
  }
  line += "  " + decision.reason;
  if (!decision.outcome.empty()) line += ": " + decision.outcome;
  return line;
}

}  // namespace charm::controller
