#include "controller/decision.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include <nlohmann/json.hpp>

namespace charm {
namespace {

template <class... Args>
std::string format(const char* pattern, Args... args) {
  char text[192];
  std::snprintf(text, sizeof text, pattern, args...);
  return text;
}

std::string finish(std::string text, const Decision& decision) {
  text += decision.reason + ")";
  if (decision.throughput > 0) text += format(" at %.4g units of work per second", decision.throughput);
  if (decision.stall_dram >= 0) {
    text += format(", with %.0f %% of their time spent on memory and %.0f %% on other chiplets",
                   100 * decision.stall_dram, 100 * decision.stall_other_chiplet);
  }
  return text + (decision.outcome.empty() ? "; the outcome is not known yet." : "; outcome: " + decision.outcome + ".");
}

}  // namespace

std::string to_string(const Decision& decision) {
  std::string line = format("%9.3f s  control group %d  %d -> %d chiplets  %.4g/s", decision.time,
                            decision.control_group, decision.from, decision.to, decision.throughput);
  if (decision.workers_to > 0) line += format("  %d -> %d workers", decision.workers_from, decision.workers_to);
  if (decision.stall_dram >= 0) {
    line += format("  stalled %.0f %% other chiplets, %.0f %% memory", 100 * decision.stall_other_chiplet,
                   100 * decision.stall_dram);
  }
  if (!decision.region.empty()) line += "  in " + decision.region;
  line += "  " + decision.reason;
  if (!decision.outcome.empty()) line += ": " + decision.outcome;
  return line;
}

std::string explain(const Decision& decision) {
  std::string text = format("At %.2f s", decision.time);
  if (!decision.region.empty()) text += ", in the region '" + decision.region + "',";
  if (decision.workers_to > 0) {
    text += format(" %d of the workers went on, after %d (", decision.workers_to, decision.workers_from);
    return finish(std::move(text), decision);
  }
  const char* verb = decision.to > decision.from ? "spread" : decision.to < decision.from ? "drew together" : "moved";
  text += format(" the workers %s from %d to %d chiplet%s (", verb, decision.from, decision.to,
                 decision.to == 1 ? "" : "s");
  return finish(std::move(text), decision);
}

}  // namespace charm

namespace charm::controller {

base::Json json_of(const Decision& d) {
  return {{"time_s", d.time},
          {"control_group", d.control_group},
          {"from", d.from},
          {"to", d.to},
          {"workers_from", d.workers_from},
          {"workers_to", d.workers_to},
          {"throughput", d.throughput},
          {"stall_other_chiplet", d.stall_other_chiplet},
          {"stall_dram", d.stall_dram},
          {"region", d.region},
          {"reason", d.reason},
          {"outcome", d.outcome}};
}

std::string to_json(const Decision& decision) { return base::json_text(json_of(decision)); }

void sort_by_time(std::vector<Decision>& decisions) {
  std::vector<std::pair<double, std::size_t>> order;
  for (const Decision& decision : decisions) order.emplace_back(decision.time, order.size());
  std::sort(order.begin(), order.end());
  std::vector<Decision> sorted;
  sorted.reserve(decisions.size());
  for (const auto& [time, index] : order) sorted.push_back(std::move(decisions[index]));
  decisions = std::move(sorted);
}

}  // namespace charm::controller
