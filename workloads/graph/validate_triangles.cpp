// Validator of triangle counts: the algorithm `forward` of T. Schank and D. Wagner (WEA 2005), sequential. It merges
// ascending lists that grow while vertices are visited, and shares nothing with the kernel, which looks up bits.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "workloads/graph/validate.hpp"

namespace charm::workloads {
namespace {

std::uint64_t common(const std::vector<Vertex>& a, const std::vector<Vertex>& b) {
  std::uint64_t count = 0;
  for (auto i = a.begin(), k = b.begin(); i != a.end() && k != b.end();) {
    if (*i == *k) {
      ++count;
      ++i;
      ++k;
    } else if (*i < *k) {
      ++i;
    } else {
      ++k;
    }
  }
  return count;
}

}  // namespace

std::uint64_t count_triangles_forward(const CsrGraph& graph) {
  const auto n = static_cast<std::size_t>(graph.vertices);
  std::vector<Vertex> visit(n);
  std::iota(visit.begin(), visit.end(), Vertex{0});
  std::stable_sort(visit.begin(), visit.end(),
                   [&](Vertex a, Vertex b) { return graph.out.degree(a) > graph.out.degree(b); });
  std::vector<Vertex> turn(n);
  for (std::size_t i = 0; i < n; ++i) turn[static_cast<std::size_t>(visit[i])] = static_cast<Vertex>(i);
  std::vector<std::vector<Vertex>> before(n);  // by turn: the neighbours visited so far, also by turn
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (Vertex u : graph.out.of(visit[i])) {
      const auto later = static_cast<std::size_t>(turn[static_cast<std::size_t>(u)]);
      if (later <= i) continue;
      count += common(before[i], before[later]);
      before[later].push_back(static_cast<Vertex>(i));
    }
  }
  return count;
}

}  // namespace charm::workloads
