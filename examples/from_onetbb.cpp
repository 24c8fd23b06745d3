// From oneTBB to CHARM: the same program in both.
#include <charm/charm.hpp>

#include <cstddef>
#include <cstdio>
#include <functional>
#include <oneapi/tbb.h>
#include <optional>
#include <vector>

namespace before {

double sum(const std::vector<double>& values) {
  return tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, values.size()), 0.0,
      [&](const tbb::blocked_range<std::size_t>& range, double part) {
        for (std::size_t i = range.begin(); i != range.end(); ++i) part += values[i];
        return part;
      },
      std::plus<>());
}

long fib(int n) {
  if (n < 2) return n;
  long a = 0;
  long b = 0;
  tbb::task_group group;
  group.run([&] { a = fib(n - 1); });
  b = fib(n - 2);
  group.wait();
  return a + b;
}

std::vector<int> squares(int count) {
  std::vector<int> out;
  int next = 0;
  tbb::parallel_pipeline(16, tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order,
                                                         [&](tbb::flow_control& control) {
                                                           if (next == count) control.stop();
                                                           return next++;
                                                         }) &
                                 tbb::make_filter<int, int>(tbb::filter_mode::parallel, [](int i) { return i * i; }) &
                                 tbb::make_filter<int, void>(tbb::filter_mode::serial_in_order,
                                                             [&](int square) { out.push_back(square); }));
  return out;
}

long in_arena() {
  tbb::task_arena arena(2);
  return arena.execute([] { return fib(15); });
}

}  // namespace before

namespace after {

double sum(const std::vector<double>& values) { return charm::parallel_reduce(values, 0.0); }

long fib(int n) {
  if (n < 2) return n;
  long a = 0;
  long b = 0;
  charm::invoke([&] { a = fib(n - 1); }, [&] { b = fib(n - 2); });  // or a charm::task_group, as before
  return a + b;
}

std::vector<int> squares(int count) {
  std::vector<int> out;
  int next = 0;
  charm::pipeline(
      16, charm::serial_in_order([&]() -> std::optional<int> { return next < count ? std::optional(next++) : std::nullopt; }),
      charm::parallel([](int i) { return i * i; }), charm::serial_in_order([&](int square) { out.push_back(square); }));
  return out;
}

long in_arena() {
  charm::arena arena({.workers = 1});
  return arena.execute([] { return fib(15); });
}

}  // namespace after

int main() {
  const std::vector<double> values(100'000, 0.5);
  const double expected = before::sum(values);
  const auto squares = before::squares(100);
  const long in_arena = before::in_arena();
  charm::init();
  const bool same = after::sum(values) == expected && after::squares(100) == squares && after::fib(20) == before::fib(20) &&
                    after::in_arena() == in_arena;
  charm::finalize();
  std::printf("%s\n", same ? "the same" : "different");
  return same ? 0 : 1;
}
