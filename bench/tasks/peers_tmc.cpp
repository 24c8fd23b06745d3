// The programs on TooManyCooks, as coroutines of its kind: those of forks and of children by number. Compiled where
// CHARM_PEER_INCLUDE has tmc/all_headers.hpp.
#include <array>
#include <cmath>
#include <ranges>
#include <vector>

#define TMC_IMPL
#include <tmc/all_headers.hpp>

#include "program_cases.hpp"

namespace charm::bench {
namespace {

tmc::task<std::int64_t> tmc_fib(std::int64_t n) {
  if (n < 2) co_return n;
  auto [a, b] = co_await tmc::spawn_tuple(tmc_fib(n - 1), tmc_fib(n - 2));
  co_return a + b;
}

tmc::task<std::int64_t> tmc_skynet(std::int64_t number, std::int64_t leaves) {
  if (leaves == 1) co_return number;
  auto children = std::views::iota(0, 10) |
                  std::views::transform([=](int i) { return tmc_skynet(number + i * (leaves / 10), leaves / 10); });
  const std::array<std::int64_t, 10> sums = co_await tmc::spawn_many<10>(children.begin());
  std::int64_t sum = 0;
  for (std::int64_t s : sums) sum += s;
  co_return sum;
}

tmc::task<std::int64_t> tmc_queens(int n, int row, Board board) {
  if (row == n) co_return 1;
  auto free = std::views::iota(0, n) | std::views::filter([&](int column) {
                for (int r = 0; r < row; ++r) {
                  const int other = board[static_cast<std::size_t>(r)];
                  if (other == column || other == column - (row - r) || other == column + (row - r)) return false;
                }
                return true;
              });
  std::size_t count = 0;
  auto children = free | std::views::transform([&](int column) {
                    ++count;
                    Board next = board;
                    next[static_cast<std::size_t>(row)] = static_cast<std::int8_t>(column);
                    return tmc_queens(n, row + 1, next);
                  });
  const auto found = co_await tmc::spawn_many<16>(children.begin(), children.end());
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += found[i];  // the rest is not written
  co_return sum;
}

tmc::task<std::int64_t> tmc_uts(UtsState node, int depth) {
  const int count = uts_children(node, depth);
  if (count == 0) co_return 1;
  auto children =
      std::views::iota(0, count) | std::views::transform([&](int i) { return tmc_uts(uts_child(node, i), depth + 1); });
  const std::vector<std::int64_t> below = co_await tmc::spawn_many(children.begin(), static_cast<std::size_t>(count));
  std::int64_t sum = 1;
  for (std::int64_t b : below) sum += b;
  co_return sum;
}

tmc::task<double> tmc_integrate(double x1, double y1, double x2, double y2, double area) {
  const double middle = (x1 + x2) / 2;
  const double y = integrand(middle);
  const double left = (y1 + y) * (middle - x1) / 2;
  const double right = (y + y2) * (x2 - middle) / 2;
  if (std::abs(left + right - area) < 1e-9) co_return left + right;
  auto [a, b] =
      co_await tmc::spawn_tuple(tmc_integrate(x1, y1, middle, y, left), tmc_integrate(middle, y, x2, y2, right));
  co_return a + b;
}

struct TooManyCooks {
  static constexpr const char* name = "TooManyCooks";
  explicit TooManyCooks(int workers) { executor.set_thread_count(static_cast<std::size_t>(workers)).init(); }
  ~TooManyCooks() { executor.teardown(); }
  TooManyCooks(const TooManyCooks&) = delete;
  TooManyCooks& operator=(const TooManyCooks&) = delete;
  tmc::ex_cpu executor;
};

template <class T>
T wait(TooManyCooks& on, tmc::task<T>&& task) {
  return tmc::post_waitable(on.executor, std::move(task)).get();
}

}  // namespace

void add_tmc(Cases& cases) {
  add_program_on<TooManyCooks>(cases, fib_measure, [](TooManyCooks& on) { return wait(on, tmc_fib(fib_n)); });
  add_program_on<TooManyCooks>(cases, skynet_measure,
                               [](TooManyCooks& on) { return wait(on, tmc_skynet(0, 1000000)); });
  add_program_on<TooManyCooks>(cases, queens_measure,
                               [](TooManyCooks& on) { return wait(on, tmc_queens(12, 0, Board{})); });
  add_program_on<TooManyCooks>(cases, uts_measure, [](TooManyCooks& on) { return wait(on, tmc_uts(uts_root(19), 0)); });
  add_program_on<TooManyCooks>(cases, integrate_measure, [](TooManyCooks& on) {
    const double area = (integrand(0) + integrand(2000)) * 2000 / 2;
    return static_cast<std::int64_t>(
        std::llround(wait(on, tmc_integrate(0.0, integrand(0), 2000.0, integrand(2000), area))));
  });
}

}  // namespace charm::bench
