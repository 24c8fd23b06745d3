#include "tools/machine_view/difference.hpp"

#include <algorithm>
#include <cstdio>

#include "base/format.hpp"
#include "tools/machine_view/text.hpp"

namespace charm::machine_view {
namespace {

std::string text_of(const std::string& text) { return text.empty() ? "unknown" : text; }
std::string text_of(std::size_t number) { return std::to_string(number); }

std::string facts_of(const Machine& m, const Chiplet& c) {
  return cores_of(m, c) + ", " +
         (c.l3_bytes == 0 ? "no L3 reported"
                          : "L" + std::to_string(c.cache_level) + " " + base::format_bytes(c.l3_bytes)) +
         ", node " + std::to_string(c.node) + ", socket " + std::to_string(c.socket) + ", cpus " +
         format_cpus(cpus_of(m, c));
}

std::string facts_of(const Machine& /*m*/, const Node& n) {
  return (n.bytes == 0 ? "memory unknown" : base::format_bytes(n.bytes)) + (n.kind.empty() ? "" : " of " + n.kind) +
         ", socket " + std::to_string(n.socket) + ", " +
         (n.cpus.empty() ? "no usable cpus" : "cpus " + format_cpus(n.cpus));
}

std::string facts_of(const Machine& /*m*/, const Core& c) {
  return "cpus " + format_cpus(c.siblings) + ", chiplet " + std::to_string(c.chiplet) + ", L1d " +
         base::format_bytes(c.l1d_bytes) + ", L2 " + base::format_bytes(c.l2_bytes);
}

std::string distances_of(const Machine& m, std::size_t row) {
  if (row >= m.node_distance.size()) return "unknown";
  std::string text;
  for (double d : m.node_distance[row]) {
    char number[32];
    std::snprintf(number, sizeof number, "%s%.3g", text.empty() ? "" : " ", d);
    text += number;
  }
  return text;
}

}  // namespace

std::vector<Difference> differences(const Machine& a, const Machine& b) {
  std::vector<Difference> all;
  const auto compare = [&](const std::string& what, const std::string& first, const std::string& second) {
    if (first != second) all.push_back({what, first, second});
  };
  const auto each = [&](const std::string& what, const auto& of_a, const auto& of_b) {
    compare(what + "s", text_of(of_a.size()), text_of(of_b.size()));
    for (std::size_t i = 0; i < std::min(of_a.size(), of_b.size()); ++i)
      compare(what + " " + std::to_string(i), facts_of(a, of_a[i]), facts_of(b, of_b[i]));
  };
  compare("processor", text_of(a.name), text_of(b.name));
  compare("sockets", text_of(a.sockets.size()), text_of(b.sockets.size()));
  each("node", a.nodes, b.nodes);
  for (std::size_t n = 0; n < std::max(a.node_distance.size(), b.node_distance.size()); ++n)
    compare("distances from node " + std::to_string(n), distances_of(a, n), distances_of(b, n));
  each("chiplet", a.chiplets, b.chiplets);
  each("core", a.cores, b.cores);
  compare("usable cpus", text_of(format_cpus(a.allowed_cpus)), text_of(format_cpus(b.allowed_cpus)));
  const auto none = [](const Machine& m) { return m.forbidden_cpus.empty() ? "none" : format_cpus(m.forbidden_cpus); };
  compare("not usable", none(a), none(b));
  compare("cpu quota", a.cpu_quota == 0 ? "none" : std::to_string(a.cpu_quota),
          b.cpu_quota == 0 ? "none" : std::to_string(b.cpu_quota));
  return all;
}

}  // namespace charm::machine_view
