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
  Sources(Index vertices, const std::function<bool(Vertex)>& usable)
      : vertices_(vertices), usable_(usable), random_(gapbs_seed) {}
  Vertex next() {
    for (;;) {
      Vertex v = draw();
      if (usable_(v)) return v;
    }
  }

 private:
  Vertex draw() {
    auto n = static_cast<std::uint64_t>(vertices_);
    const std::uint64_t even = (std::uint64_t{1} << 32) / n * n;  // above it the smallest remainders would be favoured
    for (;;) {
      std::uint64_t r = random_() & 0xffffffffU;
      if (r < even) return static_cast<Vertex>(r % n);
    }
  }
  Index vertices_;
  const std::function<bool(Vertex)>& usable_;
  std::mt19937_64 random_;
};

std::function<bool(Vertex)> usable_of(const CsrGraph& graph) {
  return [&graph](Vertex v) { return graph.arcs() == 0 || graph.out.degree(v) > 0; };
}

}  // namespace

std::vector<Vertex> pick_sources(const CsrGraph& graph, int count) {
  return pick_sources(graph.vertices, usable_of(graph), count);
}

std::vector<Vertex> pick_different_sources(const CsrGraph& graph, int count) {
  return pick_different_sources(graph.vertices, usable_of(graph), count);
}

std::vector<Vertex> pick_sources(Index vertices, const std::function<bool(Vertex)>& usable, int count) {
  Sources sources(vertices, usable);
  std::vector<Vertex> picked;
  picked.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) picked.push_back(sources.next());
  return picked;
}

std::vector<Vertex> pick_different_sources(Index vertices, const std::function<bool(Vertex)>& usable, int count) {
  Sources sources(vertices, usable);
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
