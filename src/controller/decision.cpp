#include "controller/decision.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace charm {
namespace {

template <class... Args>
std::string format(const char* pattern, Args... args) {
  char text[192];
  std::snprintf(text, sizeof text, pattern, args...);
  return text;
}

}  // namespace

std::string to_string(const Decision& decision) {
  std::string line = format("%9.3f s  gang %d  %d -> %d chiplets  %.4g/s", decision.time, decision.gang, decision.from,
                            decision.to, decision.throughput);
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
  const char* verb = decision.to > decision.from ? "spread" : decision.to < decision.from ? "drew together" : "moved";
  text += format(" the workers %s from %d to %d chiplet%s (", verb, decision.from, decision.to,
                 decision.to == 1 ? "" : "s");
  text += decision.reason + ")";
  if (decision.throughput > 0) text += format(" at %.4g units of work per second", decision.throughput);
  if (decision.stall_dram >= 0) {
    text += format(", with %.0f %% of their time spent on memory and %.0f %% on other chiplets",
                   100 * decision.stall_dram, 100 * decision.stall_other_chiplet);
  }
  return text + (decision.outcome.empty() ? "; the outcome is not known yet." : "; outcome: " + decision.outcome + ".");
}

}  // namespace charm

namespace charm::controller {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) out += c;
  }
  return out + "\"";
}

}  // namespace

std::string to_json(const Decision& d) {
  char numbers[256];
  std::snprintf(numbers, sizeof numbers,
                "{\"time_s\":%.6f,\"gang\":%d,\"from\":%d,\"to\":%d,\"throughput\":%.6g,\"stall_other_chiplet\":%.4f,"
                "\"stall_dram\":%.4f,",
                d.time, d.gang, d.from, d.to, d.throughput, d.stall_other_chiplet, d.stall_dram);
  return numbers + ("\"region\":" + quoted(d.region)) + ",\"reason\":" + quoted(d.reason) +
         ",\"outcome\":" + quoted(d.outcome) + "}";
}

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
