// Two programs of dense linear algebra, written once over the runtimes: Strassen's multiplication (Numer. Math. 13,
// 1969), seven products a level in a group, and blocked right-looking LU without pivoting on a diagonally dominant
// matrix (Golub and Van Loan, "Matrix Computations", 3.2.10), two groups a step. Both check their result; -1 is a wrong
// one. The numbers are chosen so that the answer does not depend on the order of the additions: small integers in
// Strassen; in LU every element gets its updates in the same order on every runtime.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace charm::bench {

/// A square part of a matrix that is stored by rows.
struct Square {
  double* data;
  std::size_t n;
  std::size_t stride;
  [[nodiscard]] double* row(std::size_t i) const { return data + i * stride; }
  [[nodiscard]] Square quarter(std::size_t i, std::size_t j) const {
    return {data + i * (n / 2) * stride + j * (n / 2), n / 2, stride};
  }
};

/// The numbers of a square of its own.
class OwnSquare {
 public:
  explicit OwnSquare(std::size_t n) : numbers_(n * n), square_{numbers_.data(), n, n} {}
  [[nodiscard]] const Square& get() const { return square_; }

 private:
  std::vector<double> numbers_;
  Square square_;
};

/// c = a + sign * b
inline void add(const Square& a, double sign, const Square& b, const Square& c) {
  for (std::size_t i = 0; i < c.n; ++i) {
    for (std::size_t j = 0; j < c.n; ++j) c.row(i)[j] = a.row(i)[j] + sign * b.row(i)[j];
  }
}

/// c += sign * a * b
inline void multiply_add(double sign, const Square& a, const Square& b, const Square& c) {
  for (std::size_t i = 0; i < c.n; ++i) {
    for (std::size_t k = 0; k < c.n; ++k) {
      const double x = sign * a.row(i)[k];
      for (std::size_t j = 0; j < c.n; ++j) c.row(i)[j] += x * b.row(k)[j];
    }
  }
}

/// c = a * b
template <class R>
void strassen_multiply(const Square& a, const Square& b, const Square& c) {
  if (c.n <= 64) {
    for (std::size_t i = 0; i < c.n; ++i) std::fill_n(c.row(i), c.n, 0.0);
    return multiply_add(1, a, b, c);
  }
  struct Product {  // (x + sx * y) * (z + sz * w), as Strassen numbers them
    int x, y;
    double sx;
    int z, w;
    double sz;
  };
  constexpr int none = -1;
  static constexpr Product products[7] = {{0, 3, 1, 0, 3, 1},     {2, 3, 1, 0, none, 0}, {0, none, 0, 1, 3, -1},
                                          {3, none, 0, 2, 0, -1}, {0, 1, 1, 3, none, 0}, {2, 0, -1, 0, 1, 1},
                                          {1, 3, -1, 2, 3, 1}};
  std::vector<OwnSquare> m(7, OwnSquare(0));
  typename R::Group group;
  for (std::size_t p = 0; p < 7; ++p) {
    group.run([&a, &b, &m, p] {
      auto operand = [](const Square& s, int first, int second, double sign, OwnSquare& sum) {
        const Square one = s.quarter(static_cast<std::size_t>(first / 2), static_cast<std::size_t>(first % 2));
        if (second < 0) return one;
        add(one, sign, s.quarter(static_cast<std::size_t>(second / 2), static_cast<std::size_t>(second % 2)),
            sum.get());
        return sum.get();
      };
      const Product& product = products[p];
      OwnSquare left(a.n / 2);
      OwnSquare right(a.n / 2);
      m[p] = OwnSquare(a.n / 2);
      strassen_multiply<R>(operand(a, product.x, product.y, product.sx, left),
                           operand(b, product.z, product.w, product.sz, right), m[p].get());
    });
  }
  group.wait();
  const std::size_t h = c.n / 2;
  for (std::size_t i = 0; i < h; ++i) {
    const double* row[7];
    for (std::size_t p = 0; p < 7; ++p) row[p] = m[p].get().row(i);
    for (std::size_t j = 0; j < h; ++j) {
      c.row(i)[j] = row[0][j] + row[3][j] - row[4][j] + row[6][j];
      c.row(i)[j + h] = row[2][j] + row[4][j];
      c.row(i + h)[j] = row[1][j] + row[3][j];
      c.row(i + h)[j + h] = row[0][j] - row[1][j] + row[2][j] + row[5][j];
    }
  }
}

inline double small_integer(std::size_t i, std::size_t j) {
  return static_cast<double>((i * 37 + j * 101 + i * j) % 7) - 3;
}

/// y = a * x
inline std::vector<double> times(const Square& a, const std::vector<double>& x) {
  std::vector<double> y(a.n, 0.0);
  for (std::size_t i = 0; i < a.n; ++i) {
    for (std::size_t j = 0; j < a.n; ++j) y[i] += a.row(i)[j] * x[j];
  }
  return y;
}

/// Multiplies two matrices of small integers; checks A (B x) = C x exactly (Freivalds), for an x of all kinds of
/// digits.
template <class R>
std::int64_t strassen(std::size_t n) {
  OwnSquare a(n);
  OwnSquare b(n);
  OwnSquare c(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      a.get().row(i)[j] = small_integer(i, j);
      b.get().row(i)[j] = small_integer(j + 3, i);
    }
  }
  strassen_multiply<R>(a.get(), b.get(), c.get());
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<double>((i * i * 31 + 7) % 1009);
  const std::vector<double> expected = times(a.get(), times(b.get(), x));
  if (times(c.get(), x) != expected) return -1;
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum = sum * 3 + std::llround(c.get().row(i)[(i * 7) % n]);
  return sum & 0xffffffff;
}

/// A block of a matrix of blocks.
inline Square block(const Square& a, std::size_t i, std::size_t j, std::size_t size) {
  return {a.row(i * size) + j * size, size, a.stride};
}

/// LU of one block in place, L with a diagonal of ones.
inline void lu_of_block(const Square& a) {
  for (std::size_t k = 0; k < a.n; ++k) {
    for (std::size_t i = k + 1; i < a.n; ++i) {
      const double factor = a.row(i)[k] /= a.row(k)[k];
      for (std::size_t j = k + 1; j < a.n; ++j) a.row(i)[j] -= factor * a.row(k)[j];
    }
  }
}

/// b = L^-1 b, for the L in a.
inline void solve_left(const Square& a, const Square& b) {
  for (std::size_t k = 0; k < a.n; ++k) {
    for (std::size_t i = k + 1; i < a.n; ++i) {
      for (std::size_t j = 0; j < a.n; ++j) b.row(i)[j] -= a.row(i)[k] * b.row(k)[j];
    }
  }
}

/// b = b U^-1, for the U in a.
inline void solve_right(const Square& a, const Square& b) {
  for (std::size_t i = 0; i < a.n; ++i) {
    for (std::size_t k = 0; k < a.n; ++k) {
      const double x = b.row(i)[k] /= a.row(k)[k];
      for (std::size_t j = k + 1; j < a.n; ++j) b.row(i)[j] -= x * a.row(k)[j];
    }
  }
}

template <class R>
void lu_factor(const Square& a, std::size_t size) {
  const std::size_t blocks = a.n / size;
  for (std::size_t k = 0; k < blocks; ++k) {
    const Square pivot = block(a, k, k, size);
    lu_of_block(pivot);
    typename R::Group panels;
    for (std::size_t i = k + 1; i < blocks; ++i) {
      panels.run([&a, pivot, size, k, i] { solve_left(pivot, block(a, k, i, size)); });
      panels.run([&a, pivot, size, k, i] { solve_right(pivot, block(a, i, k, size)); });
    }
    panels.wait();
    typename R::Group rest;
    for (std::size_t i = k + 1; i < blocks; ++i) {
      for (std::size_t j = k + 1; j < blocks; ++j) {
        rest.run([&a, size, k, i, j] {
          multiply_add(-1, block(a, i, k, size), block(a, k, j, size), block(a, i, j, size));
        });
      }
    }
    rest.wait();
  }
}

/// Factors a matrix and checks L (U x) against A x; the answer is made of the bits of the factors, so a runtime that
/// differs from the serial run anywhere is found.
template <class R>
std::int64_t lu(std::size_t n) {
  OwnSquare own(n);
  const Square& a = own.get();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) a.row(i)[j] = small_integer(i, j) + (i == j ? 4.0 * static_cast<double>(n) : 0);
  }
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<double>(i % 11) - 5;
  const std::vector<double> expected = times(a, x);
  lu_factor<R>(a, 64);
  std::vector<double> y(n, 0.0);
  std::vector<double> z(n, 0.0);
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i; j < n; ++j) y[i] += a.row(i)[j] * x[j];
  }
  for (std::size_t i = 0; i < n; ++i) {
    z[i] = y[i];
    for (std::size_t j = 0; j < i; ++j) z[i] += a.row(i)[j] * y[j];
    if (std::abs(z[i] - expected[i]) > 1e-8 * static_cast<double>(n)) return -1;
    for (std::size_t j = 0; j < n; ++j) bits = bits * 31 + std::bit_cast<std::uint64_t>(a.row(i)[j]);
  }
  return static_cast<std::int64_t>(bits >> 1);
}

}  // namespace charm::bench
