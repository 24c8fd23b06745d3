// fib(n) by forks: fib N [THREADS]
#include <cstdint>

#include "report.hpp"

namespace {

std::int64_t fib(std::int64_t n) {
  if (n < 2) return n;
  std::int64_t a = 0, b = 0;
  charm::invoke([&] { a = fib(n - 1); }, [&] { b = fib(n - 2); });
  return a + b;
}

std::int64_t by_adding(std::int64_t n) {
  std::int64_t a = 0, b = 1;
  for (; n > 0; --n) b = std::exchange(a, b) + b;
  return a;
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t n = argc > 1 ? std::atoll(argv[1]) : 30;
  const suite::Threads threads(argc, argv, 2);
  std::int64_t answer = 0;
  const long long us = suite::timed([&] { answer = charm::run([n] { return fib(n); }); });
  suite::expect(answer, by_adding(n));
  std::printf("output: %lld\n", static_cast<long long>(answer));
  suite::report("iteration_count: 1", us);
}
