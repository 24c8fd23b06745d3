// A uniform graph: the two ends of an edge are drawn evenly and independently of each other, as in the Erdős–Rényi
// graph of the GAP benchmark suite (`-u`). Edge i is a function of (seed, i).
#pragma once

#include <cstdint>
#include <utility>

#include "workloads/graph/csr.hpp"
#include "workloads/graph/random.hpp"

namespace charm::workloads {

class Uniform {
 public:
  static constexpr bool directed = false;
  Uniform(int scale, int degree, std::uint64_t seed)
      : vertices_(Index{1} << scale), degree_(degree), seed_(mix(seed ^ 0x756e69666f726dU)) {}

  [[nodiscard]] Index vertices() const { return vertices_; }
  [[nodiscard]] Index edges() const { return vertices_ * degree_; }
  [[nodiscard]] std::pair<Vertex, Vertex> edge(Index i) const {
    const std::uint64_t drawn = random_at(seed_, static_cast<std::uint64_t>(i));
    const auto mask = static_cast<std::uint64_t>(vertices_ - 1);
    return {static_cast<Vertex>(drawn & mask), static_cast<Vertex>(drawn >> 32 & mask)};
  }

 private:
  Index vertices_;
  int degree_;
  std::uint64_t seed_;
};

}  // namespace charm::workloads
