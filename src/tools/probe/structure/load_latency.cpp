#include "tools/probe/structure/load_latency.hpp"

#include <algorithm>

#include "tools/probe/measuring/samples.hpp"

namespace charm::probe {
namespace {

constexpr std::uint64_t assumed_cache_bytes = 32ULL << 20U;
constexpr double beyond = 2;  // times a cache's size: so large a working set hardly hits it

}  // namespace

std::string memory_label(const Node& node, bool own) {
  return "node " + std::to_string(node.os_index) + (own ? " (own)" : "");
}

std::uint64_t last_level_bytes(const Machine& machine) {
  std::uint64_t largest = 0;
  for (const auto& chiplet : machine.chiplets) largest = std::max(largest, chiplet.l3_bytes);
  for (const auto& core : machine.cores) largest = std::max(largest, core.l2_bytes);
  return largest == 0 ? assumed_cache_bytes : largest;
}

LoadLatencies load_latencies(const Profile& profile, const Machine& machine) {
  LoadLatencies out;
  out.memory_ns.assign(machine.nodes.size(), 0);
  const auto curve = std::find_if(profile.curves.begin(), profile.curves.end(),
                                  [](const Curve& one) { return one.name == "Latency by working set"; });
  if (curve == profile.curves.end() || machine.cores.empty()) return out;
  const Core& core = machine.cores.front();
  out.from_node = core.node;
  const auto private_bytes = static_cast<double>(core.l2_bytes);
  const auto shared_bytes =
      core.chiplet < 0 ? 0.0 : static_cast<double>(machine.chiplets[static_cast<std::size_t>(core.chiplet)].l3_bytes);
  const auto cached = static_cast<double>(last_level_bytes(machine));
  for (const Node& node : machine.nodes) {
    const bool own = node.id == core.node;
    const auto series = std::find_if(curve->series.begin(), curve->series.end(),
                                     [&](const Series& one) { return one.label == memory_label(node, own); });
    if (series == curve->series.end() || series->points.empty()) continue;
    if (const Point& last = series->points.back(); last.x >= beyond * cached)
      out.memory_ns[static_cast<std::size_t>(node.id)] = last.y;
    if (!own) continue;
    std::vector<double> hits;
    for (const Point& point : series->points) {
      if (private_bytes > 0 && point.x >= beyond * private_bytes && point.x <= shared_bytes / beyond)
        hits.push_back(point.y);
    }
    out.l3_ns = median_of(hits);
  }
  return out;
}

}  // namespace charm::probe
