// In how many ways 14 queens stand on a board without attacking each other, a task for each queen: nqueens [THREADS]
#include <array>
#include <cstdint>

#include "report.hpp"

namespace {

constexpr int queens = 14;
constexpr std::int64_t ways = 365'596;
using Board = std::array<std::int8_t, queens>;  // the column of each row's queen

bool attacked(const Board& board, int row, int column) {
  for (int r = 0; r < row; ++r) {
    const int other = board[static_cast<std::size_t>(r)];
    if (other == column || other == column - (row - r) || other == column + (row - r)) return true;
  }
  return false;
}

std::int64_t place(Board board, int row) {
  if (row == queens) return 1;
  std::array<std::int64_t, queens> found{};
  charm::task_group group;
  for (int column = 0; column < queens; ++column) {
    if (attacked(board, row, column)) continue;
    board[static_cast<std::size_t>(row)] = static_cast<std::int8_t>(column);
    group.run([&found, board, row, column] { found[static_cast<std::size_t>(column)] = place(board, row + 1); });
  }
  group.wait();
  std::int64_t sum = 0;
  for (const std::int64_t each : found) sum += each;
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  const suite::Threads threads(argc, argv, 1);
  std::int64_t answer = 0;
  const long long us = suite::timed([&] { answer = charm::run([] { return place({}, 0); }); });
  suite::expect(answer, ways);
  std::printf("output: %lld\n", static_cast<long long>(answer));
  suite::report("iteration_count: 1", us);
}
