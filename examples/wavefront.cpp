// A wavefront: the length of the longest common subsequence of two texts, in tiles. A tile can run when those above and
// to the left of it have run. The graph of tiles is built once; run() may be called again and again.
#include <charm/charm.hpp>
#include <charm/task_graph.hpp>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

int main() {
  constexpr std::size_t size = 2000;
  constexpr std::size_t tile = 100;
  std::string a(size, ' ');
  std::string b(size, ' ');
  for (std::size_t i = 0; i < size; ++i) {
    a[i] = static_cast<char>('a' + i * i % 7);
    b[i] = static_cast<char>('a' + i * 3 % 7);
  }
  std::vector<int> table((size + 1) * (size + 1));
  const auto cell = [&](std::size_t row, std::size_t column) -> int& { return table[row * (size + 1) + column]; };
  const auto fill = [&](std::size_t top, std::size_t left, std::size_t side) {
    for (std::size_t row = top + 1; row <= top + side; ++row) {
      for (std::size_t column = left + 1; column <= left + side; ++column)
        cell(row, column) = a[row - 1] == b[column - 1] ? cell(row - 1, column - 1) + 1
                                                        : std::max(cell(row - 1, column), cell(row, column - 1));
    }
  };
  charm::init();
  charm::task_graph graph;
  constexpr std::size_t tiles = size / tile;
  std::vector<charm::graph_node> nodes(tiles * tiles);
  for (std::size_t row = 0; row < tiles; ++row) {
    for (std::size_t column = 0; column < tiles; ++column) {
      auto& node = nodes[row * tiles + column];
      node = graph.emplace([&fill, row, column] { fill(row * tile, column * tile, tile); });
      if (row > 0) node.succeed(nodes[(row - 1) * tiles + column]);
      if (column > 0) node.succeed(nodes[row * tiles + column - 1]);
    }
  }
  graph.run();
  charm::finalize();
  const int parallel = cell(size, size);
  fill(0, 0, size);  // again, by one thread
  std::printf("%d characters in common\n", parallel);
  return parallel == cell(size, size) ? 0 : 1;
}
