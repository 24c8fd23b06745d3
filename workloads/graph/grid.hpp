// A rectangular grid, the simplest graph with the properties of a road network: few neighbours, which are near in
// memory, and long paths. Vertices are numbered row by row; a grid of odd scale is twice as wide as it is high. It has
// no random part; its weights have.
#pragma once

#include <utility>

#include "workloads/graph/csr.hpp"

namespace charm::workloads {

class Grid {
 public:
  static constexpr bool directed = false;
  explicit Grid(int scale) : width_(Index{1} << (scale + 1) / 2), height_(Index{1} << scale / 2) {}

  [[nodiscard]] Index vertices() const { return width_ * height_; }
  [[nodiscard]] Index edges() const { return across() + width_ * (height_ - 1); }
  /// The edges along the rows come first, then those between the rows.
  [[nodiscard]] std::pair<Vertex, Vertex> edge(Index i) const {
    if (i < across()) {
      const Index from = i / (width_ - 1) * width_ + i % (width_ - 1);
      return {static_cast<Vertex>(from), static_cast<Vertex>(from + 1)};
    }
    const Index from = i - across();
    return {static_cast<Vertex>(from), static_cast<Vertex>(from + width_)};
  }

 private:
  [[nodiscard]] Index across() const { return (width_ - 1) * height_; }
  Index width_;
  Index height_;
};

}  // namespace charm::workloads
