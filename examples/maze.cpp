// A work list: which cells of a maze can be reached. The function of the loop adds the neighbours of each cell that it
// visits (parallel_for_each with a feeder).
#include <charm/charm.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <vector>

int main() {
  constexpr int side = 1000;
  const auto wall = [](int x, int y) { return x % 2 == 1 && y % 1000 != (x / 2 % 2 == 0 ? 999 : 0); };  // one long way
  std::vector<std::atomic<bool>> seen(std::size_t{side} * side);
  std::atomic<long> visited{0};
  charm::init();
  seen[0] = true;
  charm::parallel_for_each(std::array{0}, [&](int cell, charm::feeder<int>& more) {
    ++visited;
    const auto visit = [&](int x, int y) {
      if (x < 0 || y < 0 || x == side || y == side || wall(x, y)) return;
      const int there = y * side + x;
      if (!seen[static_cast<std::size_t>(there)].exchange(true)) more.add(there);
    };
    const int x = cell % side;
    const int y = cell / side;
    visit(x + 1, y);
    visit(x - 1, y);
    visit(x, y + 1);
    visit(x, y - 1);
  });
  const bool right = charm::none_of(seen, [&](const std::atomic<bool>& cell) {
    const auto at = static_cast<int>(&cell - seen.data());
    return cell == wall(at % side, at / side);  // all cells but walls
  });
  charm::finalize();
  std::printf("%ld of %d cells\n", visited.load(), side * side);
  return right ? 0 : 1;
}
