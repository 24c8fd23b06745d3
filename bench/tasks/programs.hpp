// The task programs, written once over the runtimes of runtimes.hpp. Each returns a number that all runtimes must agree
// on. fib, skynet, nqueens and matmul are those of the public runtime-benchmarks suite; UTS is tree T1 of the
// Unbalanced Tree Search benchmark (Olivier et al., LCPC 2006): geometric, b0 = 4, depth 10, root seed 19; uts_t3 is
// its T3.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "uts_random.hpp"

namespace charm::bench {

/// Not inlined into itself: the serial build would otherwise turn calls into loops and compare nothing.
template <class R>
[[gnu::noinline]] std::int64_t fib(std::int64_t n) {
  if (n < 2) return n;
  std::int64_t a = 0;
  std::int64_t b = 0;
  R::fork([&] { a = fib<R>(n - 1); }, [&] { b = fib<R>(n - 2); });
  return a + b;
}

/// A tree of ten children a node; the leaves are numbered and summed.
template <class R>
std::int64_t skynet(std::int64_t number, std::int64_t leaves) {
  if (leaves == 1) return number;
  std::array<std::int64_t, 10> sums{};
  typename R::Group group;
  for (std::int64_t i = 0; i < 10; ++i) {
    group.run([&sums, number, leaves, i] {
      sums[static_cast<std::size_t>(i)] = skynet<R>(number + i * (leaves / 10), leaves / 10);
    });
  }
  group.wait();
  std::int64_t sum = 0;
  for (std::int64_t s : sums) sum += s;
  return sum;
}

using Board = std::array<std::int8_t, 16>;

/// Solutions of n queens below a board whose first `row` rows are set; one task a placement.
template <class R>
std::int64_t queens(int n, int row, const Board& board) {
  if (row == n) return 1;
  std::array<std::int64_t, 16> found{};
  typename R::Group group;
  for (int column = 0; column < n; ++column) {
    bool attacked = false;
    for (int r = 0; r < row && !attacked; ++r) {
      int other = board[static_cast<std::size_t>(r)];
      attacked = other == column || other == column - (row - r) || other == column + (row - r);
    }
    if (attacked) continue;
    group.run([&found, &board, n, row, column] {
      Board next = board;
      next[static_cast<std::size_t>(row)] = static_cast<std::int8_t>(column);
      found[static_cast<std::size_t>(column)] = queens<R>(n, row + 1, next);
    });
  }
  group.wait();
  std::int64_t sum = 0;
  for (std::int64_t f : found) sum += f;
  return sum;
}

/// C += A * B by halves of the largest dimension, down to blocks of 32.
template <class R>
void multiply(const double* a, const double* b, double* c, int m, int n, int k, int stride) {
  if (m <= 32 && n <= 32 && k <= 32) {
    for (int i = 0; i < m; ++i) {
      for (int l = 0; l < k; ++l) {
        const double x = a[i * stride + l];
        for (int j = 0; j < n; ++j) c[i * stride + j] += x * b[l * stride + j];
      }
    }
  } else if (m >= n && m >= k) {
    R::fork([&] { multiply<R>(a, b, c, m / 2, n, k, stride); },
            [&] { multiply<R>(a + (m / 2) * stride, b, c + (m / 2) * stride, m - m / 2, n, k, stride); });
  } else if (n >= k) {
    R::fork([&] { multiply<R>(a, b, c, m, n / 2, k, stride); },
            [&] { multiply<R>(a, b + n / 2, c + n / 2, m, n - n / 2, k, stride); });
  } else {
    multiply<R>(a, b, c, m, n, k / 2, stride);
    multiply<R>(a + k / 2, b + (k / 2) * stride, c, m, n, k - k / 2, stride);
  }
}

template <class R>
std::int64_t matmul(int n) {
  std::vector<double> a(static_cast<std::size_t>(n) * static_cast<std::size_t>(n), 1.0);
  std::vector<double> b(a.size(), 2.0);
  std::vector<double> c(a.size(), 0.0);
  multiply<R>(a.data(), b.data(), c.data(), n, n, n, n);
  return static_cast<std::int64_t>(c[0] + c.back());
}

/// Nodes of UTS T1 below and including `node`.
template <class R>
std::int64_t uts(const UtsState& node, int depth) {
  const int children = uts_children(node, depth);
  if (children == 0) return 1;
  std::array<std::int64_t, uts_most_children> below{};
  typename R::Group group;
  for (int i = 0; i < children; ++i) {
    group.run(
        [&below, &node, depth, i] { below[static_cast<std::size_t>(i)] = uts<R>(uts_child(node, i), depth + 1); });
  }
  group.wait();
  std::int64_t sum = 1;
  for (int i = 0; i < children; ++i) sum += below[static_cast<std::size_t>(i)];
  return sum;
}

/// Nodes of UTS T3 below and including `node`: binomial, hundreds of nodes deep, and no telling where.
template <class R>
std::int64_t uts_t3(const UtsState& node, int depth) {
  const int children = uts_t3_children(node, depth);
  if (children == 0) return 1;
  std::int64_t sum = 1;
  // The root's 2,000 children in rows of 8, the size of everybody else's family.
  for (int first = 0; first < children; first += uts_t3_family) {
    std::array<std::int64_t, uts_t3_family> below{};
    typename R::Group group;
    for (int i = 0; i < uts_t3_family; ++i) {
      group.run([&below, &node, depth, first, i] {
        below[static_cast<std::size_t>(i)] = uts_t3<R>(uts_child(node, first + i), depth + 1);
      });
    }
    group.wait();
    for (std::int64_t b : below) sum += b;
  }
  return sum;
}

inline double integrand(double x) { return (x * x + 1.0) * x; }

/// Adaptive trapezoid rule.
template <class R>
double integrate(double x1, double y1, double x2, double y2, double area) {
  const double middle = (x1 + x2) / 2;
  const double y = integrand(middle);
  const double left = (y1 + y) * (middle - x1) / 2;
  const double right = (y + y2) * (x2 - middle) / 2;
  if (std::abs(left + right - area) < 1e-9) return left + right;
  double a = 0;
  double b = 0;
  R::fork([&] { a = integrate<R>(x1, y1, middle, y, left); }, [&] { b = integrate<R>(middle, y, x2, y2, right); });
  return a + b;
}

template <class R>
void quicksort(std::int32_t* first, std::int32_t* last) {
  if (last - first <= 256) return std::sort(first, last);
  const std::int32_t a = first[0];
  const std::int32_t b = first[(last - first) / 2];
  const std::int32_t c = last[-1];
  const std::int32_t pivot = std::max(std::min(a, b), std::min(std::max(a, b), c));
  std::int32_t* low = std::partition(first, last, [pivot](std::int32_t x) { return x < pivot; });
  std::int32_t* high = std::partition(low, last, [pivot](std::int32_t x) { return x == pivot; });
  R::fork([&] { quicksort<R>(first, low); }, [&] { quicksort<R>(high, last); });
}

template <class R>
std::int64_t sorted(std::int64_t count) {
  std::vector<std::int32_t> values(static_cast<std::size_t>(count));
  std::uint32_t x = 1;
  for (auto& value : values) {
    x = x * 1664525U + 1013904223U;
    value = static_cast<std::int32_t>(x >> 1);
  }
  quicksort<R>(values.data(), values.data() + values.size());
  return std::is_sorted(values.begin(), values.end()) ? values[values.size() / 2] : -1;
}

/// Jacobi steps on a square plate, a loop over rows a step.
template <class R>
std::int64_t heat(int n, int steps) {
  const auto size = static_cast<std::size_t>(n);
  std::vector<double> now(size * size, 0.0);
  std::fill(now.begin(), now.begin() + n, 100.0);
  std::vector<double> next = now;
  for (int step = 0; step < steps; ++step) {
    R::loop(1, n - 1, 16, [&](std::int64_t low, std::int64_t high) {
      for (auto i = static_cast<std::size_t>(low); i < static_cast<std::size_t>(high); ++i) {
        for (std::size_t j = 1; j + 1 < size; ++j) {
          next[i * size + j] = 0.25 * (now[(i - 1) * size + j] + now[(i + 1) * size + j] + now[i * size + j - 1] +
                                       now[i * size + j + 1]);
        }
      }
    });
    std::swap(now, next);
  }
  return std::llround(now[size * (size / 8) + size / 2] * 1e6);
}

}  // namespace charm::bench
