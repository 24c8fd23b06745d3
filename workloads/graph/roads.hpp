// A graph with the shape of a network of roads: the relative neighbourhood graph of random points, one in each cell of
// a grid (G. Toussaint, "The relative neighbourhood graph of a finite planar set", Pattern Recognition 12, 1980). Two
// points are joined unless a third is nearer to both than they are to each other. It is connected, a subgraph of the
// Delaunay triangulation, and has 2.5 neighbours a vertex. Vertices are numbered along a Z-curve.
//
// Because every cell has a point, joined points are less than 2 * sqrt(2) cells apart: what lies between them would
// otherwise hold a whole cell. So an edge depends on a few cells around it, and vertices can be made in any order.
// Distances are whole numbers and exact.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "workloads/graph/csr.hpp"
#include "workloads/graph/random.hpp"

namespace charm::workloads {

class Roads {
 public:
  Roads(int scale, std::uint64_t seed)
      : width_(Index{1} << (scale + 1) / 2), height_(Index{1} << scale / 2), seed_(mix(seed ^ 0x726f616473U)) {}

  [[nodiscard]] Index vertices() const { return width_ * height_; }

  /// Calls f(u) for the neighbours u of v that are larger than v.
  template <class F>
  void larger_neighbours(Vertex v, F&& f) const {
    std::array<Near, (2 * reach + 1) * (2 * reach + 1)> near;
    const Point here = point(v);
    std::size_t count = 0;
    for (Index y = std::max<Index>(0, here.row - reach); y <= std::min(height_ - 1, here.row + reach); ++y) {
      for (Index x = std::max<Index>(0, here.column - reach); x <= std::min(width_ - 1, here.column + reach); ++x) {
        const Vertex u = number(x, y);
        if (u == v) continue;
        const Point there = point(u);
        near[count++] = {u, there, distance(here, there)};
      }
    }
    std::sort(near.begin(), near.begin() + count, [](const Near& a, const Near& b) { return a.away < b.away; });
    for (std::size_t i = 0; i < count; ++i) {
      if (near[i].vertex < v) continue;
      bool joined = true;
      for (std::size_t k = 0; joined && near[k].away < near[i].away; ++k)
        joined = distance(near[k].point, near[i].point) >= near[i].away;
      if (joined) f(near[i].vertex);
    }
  }

 private:
  static constexpr Index reach = 3;  ///< cells
  static constexpr int cell_bits = 16;
  struct Point {
    Index column, row;  ///< of the cell
    Index x, y;
  };
  struct Near {
    Vertex vertex;
    Point point;
    Index away;  ///< squared
  };

  static Index distance(const Point& a, const Point& b) {
    return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y);
  }

  /// A cell's column has the even bits of its number and its row the odd ones.
  static Index every_other_bit(std::uint64_t bits) {
    bits &= 0x5555555555555555U;
    bits = (bits | bits >> 1) & 0x3333333333333333U;
    bits = (bits | bits >> 2) & 0x0f0f0f0f0f0f0f0fU;
    bits = (bits | bits >> 4) & 0x00ff00ff00ff00ffU;
    bits = (bits | bits >> 8) & 0x0000ffff0000ffffU;
    return static_cast<Index>((bits | bits >> 16) & 0xffffffffU);
  }
  static std::uint64_t spread_out(Index number) {
    auto bits = static_cast<std::uint64_t>(number);
    bits = (bits | bits << 8) & 0x00ff00ffU;
    bits = (bits | bits << 4) & 0x0f0f0f0fU;
    bits = (bits | bits << 2) & 0x33333333U;
    return (bits | bits << 1) & 0x55555555U;
  }
  static Vertex number(Index column, Index row) {
    return static_cast<Vertex>(spread_out(column) | spread_out(row) << 1);
  }
  [[nodiscard]] Point point(Vertex v) const {
    const auto cell = static_cast<std::uint64_t>(v);
    const std::uint64_t drawn = random_at(seed_, cell);
    const Index column = every_other_bit(cell);
    const Index row = every_other_bit(cell >> 1);
    constexpr std::uint64_t mask = (std::uint64_t{1} << cell_bits) - 1;
    return {column, row, column << cell_bits | static_cast<Index>(drawn & mask),
            row << cell_bits | static_cast<Index>(drawn >> 32 & mask)};
  }

  Index width_;
  Index height_;
  std::uint64_t seed_;
};

}  // namespace charm::workloads
