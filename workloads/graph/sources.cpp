// Sources of searches (see sources.hpp).
#include "workloads/graph/sources.hpp"

#include <cstddef>
#include <cstdint>
#include <random>
#include <unordered_set>

namespace charm::workloads {
namespace {

constexpr std::uint64_t gapbs_seed = 27491095;

class Sources {
 public:
  explicit Sources(const CsrGraph& graph) : graph_(graph), random_(gapbs_seed) {}
  Vertex next() {
    for (;;) {
      Vertex v = draw();
      if (graph_.arcs() == 0 || graph_.out.degree(v) > 0) return v;
    }
  }

 private:
  Vertex draw() {
    auto n = static_cast<std::uint64_t>(graph_.vertices);
    const std::uint64_t even = (std::uint64_t{1} << 32) / n * n;  // above it the smallest remainders would be favoured
    for (;;) {
      std::uint64_t r = random_() & 0xffffffffU;
      if (r < even) return static_cast<Vertex>(r % n);
    }
  }
  const CsrGraph& graph_;
  std::mt19937_64 random_;
};

}  // namespace

std::vector<Vertex> pick_sources(const CsrGraph& graph, int count) {
  Sources sources(graph);
  std::vector<Vertex> picked;
  for (int i = 0; i < count; ++i) picked.push_back(sources.next());
  return picked;
}

std::vector<Vertex> pick_different_sources(const CsrGraph& graph, int count) {
  Sources sources(graph);
  std::vector<Vertex> picked;
  std::unordered_set<Vertex> taken;
  // A graph may have fewer candidates than asked for: give up on a new one after many repeats in a row.
  for (int repeats = 0; picked.size() < static_cast<std::size_t>(count) && repeats < 4096;) {
    Vertex v = sources.next();
    if (taken.insert(v).second) {
      picked.push_back(v);
      repeats = 0;
    } else {
      ++repeats;
    }
  }
  return picked;
}

}  // namespace charm::workloads
