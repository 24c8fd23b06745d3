// The Kronecker generator of Graph500: at each level an edge goes to one of the quadrants A .57, B .19, C .19, D .05 of
// the adjacency matrix, and labels are permuted so that they tell nothing of a vertex's degree. Edge i is a function of
// (seed, i): any worker draws any edge, twice if need be, and the graph is the same. Differs from the reference code:
// the permutation is a keyed bijection on labels, not a shuffled array, which would cost memory and a cache miss an
// end.
#pragma once

#include <cstdint>
#include <utility>

#include "workloads/graph/csr.hpp"
#include "workloads/graph/random.hpp"

namespace charm::workloads {

class Kronecker {
 public:
  static constexpr bool directed = false;
  Kronecker(int scale, int degree, std::uint64_t seed);

  [[nodiscard]] Index vertices() const { return Index{1} << scale_; }
  [[nodiscard]] Index edges() const { return vertices() * degree_; }
  [[nodiscard]] std::pair<Vertex, Vertex> edge(Index i) const;
  /// A bijection on [0, vertices()).
  [[nodiscard]] Vertex label(std::uint32_t v) const;

 private:
  int scale_;
  int degree_;
  std::uint64_t seed_;
  std::uint32_t mask_;
  int fold_;
  std::uint32_t odd_[3];
  std::uint32_t shift_by_[3];
};

inline Vertex Kronecker::label(std::uint32_t v) const {
  for (int round = 0; round < 3; ++round) {
    v = ((v + shift_by_[round]) * odd_[round]) & mask_;  // odd factors have inverses modulo a power of two
    v ^= v >> fold_;                                     // and folding the upper bits down is undone by the upper bits
  }
  return static_cast<Vertex>(v);
}

inline std::pair<Vertex, Vertex> Kronecker::edge(Index i) const {
  constexpr double unit = 4294967296.0;
  constexpr auto a = static_cast<std::uint32_t>(.57 * unit);
  constexpr auto ab = static_cast<std::uint32_t>(.76 * unit);
  constexpr auto abc = static_cast<std::uint32_t>(.95 * unit);
  constexpr std::uint64_t draws_per_edge = 16;  // two levels a draw, up to scale 32
  std::uint32_t u = 0;
  std::uint32_t v = 0;
  auto level = [&](std::uint32_t r) {
    auto below = static_cast<std::uint32_t>(r >= ab);
    u = u * 2 + below;
    v = v * 2 + (static_cast<std::uint32_t>(r >= a) ^ below ^ static_cast<std::uint32_t>(r >= abc));
  };
  auto at = static_cast<std::uint64_t>(i) * draws_per_edge;
  int depth = 0;
  for (; depth + 1 < scale_; depth += 2) {
    std::uint64_t r = random_at(seed_, at++);
    level(static_cast<std::uint32_t>(r));
    level(static_cast<std::uint32_t>(r >> 32));
  }
  if (depth < scale_) level(static_cast<std::uint32_t>(random_at(seed_, at)));
  return {label(u), label(v)};
}

}  // namespace charm::workloads
