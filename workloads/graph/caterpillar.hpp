// A path through half of the vertices, each with one more vertex hanging on it: the longest way through a graph that
// its number of vertices allows, but for a factor of two. It has no random part; its weights have.
#pragma once

#include <utility>

#include "workloads/graph/csr.hpp"

namespace charm::workloads {

class Caterpillar {
 public:
  explicit Caterpillar(int scale) : vertices_(Index{1} << scale) {}

  [[nodiscard]] Index vertices() const { return vertices_; }
  [[nodiscard]] Index edges() const { return vertices_ - 1; }
  /// Even vertices are the path, odd ones hang on the vertex before them.
  [[nodiscard]] std::pair<Vertex, Vertex> edge(Index i) const {
    const Index from = i / 2 * 2;
    return {static_cast<Vertex>(from), static_cast<Vertex>(from + 1 + i % 2)};
  }

 private:
  Index vertices_;
};

}  // namespace charm::workloads
