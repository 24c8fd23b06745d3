// The product of two matrices of ones by quarters, four at a time, down to 32 rows: matmul ROWS [THREADS]
// ROWS is a power of two. Blocks of 32 rows are multiplied as the suite's other programs do, by three plain loops.
#include <cstddef>
#include <vector>

#include "report.hpp"

namespace {

void multiply_small(const int* a, const int* b, int* c, std::size_t n, std::size_t row) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t j = 0; j < n; ++j) c[i * row + j] += a[i * row + k] * b[k * row + j];
    }
  }
}

/// c += a * b, of n rows each, which lie `row` elements apart.
void multiply(const int* a, const int* b, int* c, std::size_t n, std::size_t row) {
  if (n <= 32) return multiply_small(a, b, c, n, row);
  const std::size_t half = n / 2, down = half * row;
  const auto quarters = [&](const int* left, const int* right) {
    charm::task_group group;
    group.run([=] { multiply(left, right, c, half, row); });
    group.run([=] { multiply(left, right + half, c + half, half, row); });
    group.run([=] { multiply(left + down, right, c + down, half, row); });
    multiply(left + down, right + half, c + down + half, half, row);
    group.wait();
  };
  quarters(a, b);
  quarters(a + half, b + down);
}

}  // namespace

int main(int argc, char** argv) {
  const auto n = static_cast<std::size_t>(argc > 1 ? std::atoll(argv[1]) : 0);
  if (n < 32 || (n & (n - 1)) != 0) {
    std::fprintf(stderr, "usage: matmul ROWS [THREADS], with a power of two from 32\n");
    return 2;
  }
  const suite::Threads threads(argc, argv, 2);
  std::vector<int> c;
  const long long us = suite::timed([&] {
    const std::vector<int> a(n * n, 1), b(n * n, 1);
    c.assign(n * n, 0);
    charm::run([&] { multiply(a.data(), b.data(), c.data(), n, n); });
  });
  for (const int each : c) suite::expect(each, static_cast<long long>(n));
  suite::report("matrix_size: " + std::to_string(n), us);
}
