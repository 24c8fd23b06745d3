// The programs on libfork, as coroutines of its kind: those of forks and of children by number. Compiled where
// CHARM_PEER_INCLUDE has libfork.hpp.
#include <array>
#include <cmath>

#include <libfork.hpp>

#include "program_cases.hpp"

namespace charm::bench {
namespace {

inline constexpr auto lf_fib = [](auto self, std::int64_t n) -> lf::task<std::int64_t> {
  if (n < 2) co_return n;
  std::int64_t a = 0;
  std::int64_t b = 0;
  co_await lf::fork(&a, self)(n - 1);
  co_await lf::call(&b, self)(n - 2);
  co_await lf::join;
  co_return a + b;
};

inline constexpr auto lf_skynet = [](auto self, std::int64_t number, std::int64_t leaves) -> lf::task<std::int64_t> {
  if (leaves == 1) co_return number;
  std::array<std::int64_t, 10> sums{};
  for (std::int64_t i = 0; i < 10; ++i)
    co_await lf::fork(&sums[static_cast<std::size_t>(i)], self)(number + i * (leaves / 10), leaves / 10);
  co_await lf::join;
  std::int64_t sum = 0;
  for (std::int64_t s : sums) sum += s;
  co_return sum;
};

inline constexpr auto lf_queens = [](auto self, int n, int row, Board board) -> lf::task<std::int64_t> {
  if (row == n) co_return 1;
  std::array<std::int64_t, 16> found{};
  for (int column = 0; column < n; ++column) {
    bool attacked = false;
    for (int r = 0; r < row && !attacked; ++r) {
      const int other = board[static_cast<std::size_t>(r)];
      attacked = other == column || other == column - (row - r) || other == column + (row - r);
    }
    if (attacked) continue;
    Board next = board;
    next[static_cast<std::size_t>(row)] = static_cast<std::int8_t>(column);
    co_await lf::fork(&found[static_cast<std::size_t>(column)], self)(n, row + 1, next);
  }
  co_await lf::join;
  std::int64_t sum = 0;
  for (std::int64_t f : found) sum += f;
  co_return sum;
};

inline constexpr auto lf_uts = [](auto self, UtsState node, int depth) -> lf::task<std::int64_t> {
  const int children = uts_children(node, depth);
  if (children == 0) co_return 1;
  std::array<std::int64_t, uts_most_children> below;  // not cleared: a large frame
  for (int i = 0; i < children; ++i)
    co_await lf::fork(&below[static_cast<std::size_t>(i)], self)(uts_child(node, i), depth + 1);
  co_await lf::join;
  std::int64_t sum = 1;
  for (int i = 0; i < children; ++i) sum += below[static_cast<std::size_t>(i)];
  co_return sum;
};

inline constexpr auto lf_integrate = [](auto self, double x1, double y1, double x2, double y2,
                                        double area) -> lf::task<double> {
  const double middle = (x1 + x2) / 2;
  const double y = integrand(middle);
  const double left = (y1 + y) * (middle - x1) / 2;
  const double right = (y + y2) * (x2 - middle) / 2;
  if (std::abs(left + right - area) < 1e-9) co_return left + right;
  double a = 0;
  double b = 0;
  co_await lf::fork(&a, self)(x1, y1, middle, y, left);
  co_await lf::call(&b, self)(middle, y, x2, y2, right);
  co_await lf::join;
  co_return a + b;
};

struct Libfork {
  static constexpr const char* name = "libfork";
  explicit Libfork(int workers) : pool(static_cast<std::size_t>(workers)) {}
  lf::lazy_pool pool;
};

}  // namespace

void add_libfork(Cases& cases) {
  add_program_on<Libfork>(cases, fib_measure, [](Libfork& on) { return lf::sync_wait(on.pool, lf_fib, fib_n); });
  add_program_on<Libfork>(cases, skynet_measure, [](Libfork& on) {
    return lf::sync_wait(on.pool, lf_skynet, std::int64_t{0}, std::int64_t{1000000});
  });
  add_program_on<Libfork>(cases, queens_measure,
                          [](Libfork& on) { return lf::sync_wait(on.pool, lf_queens, 12, 0, Board{}); });
  add_program_on<Libfork>(cases, uts_measure,
                          [](Libfork& on) { return lf::sync_wait(on.pool, lf_uts, uts_root(19), 0); });
  add_program_on<Libfork>(cases, integrate_measure, [](Libfork& on) {
    const double area = (integrand(0) + integrand(2000)) * 2000 / 2;
    return static_cast<std::int64_t>(
        std::llround(lf::sync_wait(on.pool, lf_integrate, 0.0, integrand(0), 2000.0, integrand(2000), area)));
  });
}

}  // namespace charm::bench
