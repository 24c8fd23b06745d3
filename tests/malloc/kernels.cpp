// kernels NAME [SIZE]: kernels in the manner of the NAS Parallel Benchmarks and of XSBench, with all of their arrays
// from malloc, each of which checks its own result. Run with and without libcharm_malloc.so.
//   cg      conjugate gradients on a sparse matrix; the residual must vanish
//   mg      a multigrid V-cycle for Poisson's equation; the residual must fall in every cycle
//   ft      a Fourier transform there and back, with Parseval's equation between
//   is      a bucket sort of integers, compared with the sums before
//   lookup  random lookups in sorted energy grids (Monte Carlo neutron transport), compared with a direct search
//   bfs     breadth-first search of a random graph; every parent must be one level above
//   static  is with static arrays, which no malloc can place
// Prints "verified" and returns 0, or says what is wrong and returns 1.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

template <class T>
struct Array {
  explicit Array(std::size_t count) : size(count), data(static_cast<T*>(std::malloc(count * sizeof(T)))) {
    if (data == nullptr) std::exit(1);
    std::memset(static_cast<void*>(data), 0, count * sizeof(T));
  }
  ~Array() { std::free(data); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  T& operator[](std::size_t i) { return data[i]; }
  const T& operator[](std::size_t i) const { return data[i]; }
  std::size_t size;
  T* data;
};

constexpr unsigned threads = 4;

/// work(first, last) by each of the threads.
template <class Work>
void in_parallel(std::size_t count, Work work) {
  std::vector<std::thread> all;
  for (unsigned t = 0; t < threads; ++t)
    all.emplace_back([=] { work(count * t / threads, count * (t + 1) / threads); });
  for (auto& thread : all) thread.join();
}

std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

int fail(const char* what) {
  std::fprintf(stderr, "not verified: %s\n", what);
  return 1;
}

int cg(std::size_t n) {
  // Symmetric, with a dominant diagonal: of each pair (i, j) both places are set.
  constexpr std::size_t per_row = 12;
  Array<double> value(n * per_row);
  Array<std::uint32_t> column(n * per_row);
  Array<double> diagonal(n), x(n), r(n), p(n), q(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < per_row; ++k) {
      const std::size_t step = 1 + (k / 2) * (k / 2) * 37 % n;
      column[i * per_row + k] = static_cast<std::uint32_t>(k % 2 == 0 ? (i + step) % n : (i + n - step % n) % n);
      value[i * per_row + k] = -1.0 / static_cast<double>(1 + k / 2);
    }
    diagonal[i] = 10;
    r[i] = p[i] = static_cast<double>(mixed(i) % 1000) / 1000;
  }
  const auto dot = [n](const Array<double>& a, const Array<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
  };
  double rho = dot(r, r);
  const double first = rho;
  for (int iteration = 0; iteration < 60; ++iteration) {
    in_parallel(n, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        double sum = diagonal[i] * p[i];
        for (std::size_t k = 0; k < per_row; ++k) sum += value[i * per_row + k] * p[column[i * per_row + k]];
        q[i] = sum;
      }
    });
    const double alpha = rho / dot(p, q);
    for (std::size_t i = 0; i < n; ++i) {
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
    }
    const double next = dot(r, r);
    for (std::size_t i = 0; i < n; ++i) p[i] = r[i] + next / rho * p[i];
    rho = next;
  }
  return rho < 1e-12 * first ? 0 : fail("cg: the residual has not vanished");
}

class Grid {
 public:
  explicit Grid(std::size_t n) : n_(n), data_((n + 2) * (n + 2) * (n + 2)) {}
  double& operator()(std::size_t i, std::size_t j, std::size_t k) { return data_[(i * (n_ + 2) + j) * (n_ + 2) + k]; }
  [[nodiscard]] std::size_t size() const { return n_; }

 private:
  std::size_t n_;
  Array<double> data_;
};

void residual(Grid& u, Grid& f, Grid& r) {
  const std::size_t n = u.size();
  const double h2 = 1.0 / static_cast<double>((n + 1) * (n + 1));
  in_parallel(n, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin + 1; i <= end; ++i)
      for (std::size_t j = 1; j <= n; ++j)
        for (std::size_t k = 1; k <= n; ++k)
          r(i, j, k) = f(i, j, k) - (6 * u(i, j, k) - u(i - 1, j, k) - u(i + 1, j, k) - u(i, j - 1, k) -
                                     u(i, j + 1, k) - u(i, j, k - 1) - u(i, j, k + 1)) /
                                        h2;
  });
}

void smooth(Grid& u, Grid& f) {
  Grid r(u.size());
  const double h2 = 1.0 / static_cast<double>((u.size() + 1) * (u.size() + 1));
  for (int sweep = 0; sweep < 3; ++sweep) {
    residual(u, f, r);
    for (std::size_t i = 1; i <= u.size(); ++i)
      for (std::size_t j = 1; j <= u.size(); ++j)
        for (std::size_t k = 1; k <= u.size(); ++k) u(i, j, k) += 0.8 * h2 / 6 * r(i, j, k);
  }
}

void cycle(Grid& u, Grid& f) {
  smooth(u, f);
  const std::size_t n = u.size();
  if (n <= 3) return;
  Grid r(n);
  residual(u, f, r);
  const std::size_t half = (n - 1) / 2;
  Grid coarse_f(half), coarse_u(half);
  for (std::size_t i = 1; i <= half; ++i)
    for (std::size_t j = 1; j <= half; ++j)
      for (std::size_t k = 1; k <= half; ++k) {
        double sum = 0;
        for (std::size_t a = 0; a < 27; ++a) {
          const std::size_t di = a / 9, dj = a / 3 % 3, dk = a % 3;
          const int off = (di != 1) + (dj != 1) + (dk != 1);
          sum +=
              r(2 * i - 1 + di, 2 * j - 1 + dj, 2 * k - 1 + dk) / static_cast<double>(8U << static_cast<unsigned>(off));
        }
        coarse_f(i, j, k) = sum;
      }
  cycle(coarse_u, coarse_f);
  for (std::size_t i = 1; i <= n; ++i)
    for (std::size_t j = 1; j <= n; ++j)
      for (std::size_t k = 1; k <= n; ++k) {
        double sum = 0;
        for (std::size_t a = 0; a < 8; ++a)
          sum += coarse_u((i + (a & 1U)) / 2, (j + (a >> 1U & 1U)) / 2, (k + (a >> 2U)) / 2);
        u(i, j, k) += sum / 8;
      }
  smooth(u, f);
}

int mg(std::size_t n) {
  Grid u(n), f(n), r(n);
  for (std::size_t i = 0; i < 40; ++i)
    f(1 + mixed(i) % n, 1 + mixed(i + 100) % n, 1 + mixed(i + 200) % n) = i % 2 == 0 ? 1 : -1;
  const auto norm = [&] {
    residual(u, f, r);
    double sum = 0;
    for (std::size_t i = 1; i <= n; ++i)
      for (std::size_t j = 1; j <= n; ++j)
        for (std::size_t k = 1; k <= n; ++k) sum += r(i, j, k) * r(i, j, k);
    return std::sqrt(sum);
  };
  double before = norm();
  for (int i = 0; i < 4; ++i) {
    cycle(u, f);
    const double now = norm();
    if (now > 0.5 * before) return fail("mg: a cycle does not reduce the residual");
    before = now;
  }
  return 0;
}

using Complex = std::complex<double>;

void transform(Complex* data, std::size_t n, bool back) {
  for (std::size_t i = 1, j = 0; i < n; ++i) {
    std::size_t bit = n >> 1U;
    for (; (j & bit) != 0; bit >>= 1U) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(data[i], data[j]);
  }
  for (std::size_t length = 2; length <= n; length <<= 1U) {
    const Complex turn = std::polar(1.0, (back ? 2 : -2) * M_PI / static_cast<double>(length));
    for (std::size_t i = 0; i < n; i += length) {
      Complex w = 1;
      for (std::size_t k = 0; k < length / 2; ++k) {
        const Complex a = data[i + k], b = w * data[i + k + length / 2];
        data[i + k] = a + b;
        data[i + k + length / 2] = a - b;
        w *= turn;
      }
    }
  }
}

int ft(std::size_t rows) {
  const std::size_t n = 1024;
  Array<Complex> data(rows * n), before(rows * n);
  for (std::size_t i = 0; i < rows * n; ++i)
    before[i] = data[i] = {static_cast<double>(mixed(i) % 1000) / 1000, static_cast<double>(mixed(~i) % 1000) / 1000};
  double energy = 0, other = 0, off = 0;
  for (std::size_t i = 0; i < rows * n; ++i) energy += std::norm(data[i]);
  const auto each_row = [&](bool back) {
    in_parallel(rows, [&](std::size_t begin, std::size_t end) {
      for (std::size_t row = begin; row < end; ++row) transform(data.data + row * n, n, back);
    });
  };
  each_row(false);
  for (std::size_t i = 0; i < rows * n; ++i) other += std::norm(data[i]) / static_cast<double>(n);
  each_row(true);
  for (std::size_t i = 0; i < rows * n; ++i)
    off = std::max(off, std::abs(data[i] / static_cast<double>(n) - before[i]));
  if (std::abs(energy - other) > 1e-9 * energy) return fail("ft: the energy has changed");
  return off < 1e-10 ? 0 : fail("ft: there and back is not the same");
}

int sort_keys(std::uint32_t* keys, std::uint32_t* sorted, std::size_t n) {
  constexpr std::size_t buckets = 1 << 16;
  std::uint64_t sum = 0, product = 0;
  for (std::size_t i = 0; i < n; ++i) {
    keys[i] = static_cast<std::uint32_t>((mixed(i) % buckets + mixed(~i) % buckets) / 2);
    sum += keys[i];
    product += mixed(keys[i]);
  }
  Array<std::uint32_t> starts(threads * buckets);
  for (std::size_t i = 0; i < n; ++i) ++starts[keys[i]];
  std::uint32_t at = 0;
  for (std::size_t b = 0; b < buckets; ++b) at += std::exchange(starts[b], at);
  for (std::size_t i = 0; i < n; ++i) sorted[starts[keys[i]]++] = keys[i];
  for (std::size_t i = 0; i < n; ++i) {
    if (i > 0 && sorted[i] < sorted[i - 1]) return fail("is: not in order");
    sum -= sorted[i];
    product -= mixed(sorted[i]);
  }
  return sum == 0 && product == 0 ? 0 : fail("is: other keys than before");
}

int is(std::size_t n) {
  Array<std::uint32_t> keys(n), sorted(n);
  return sort_keys(keys.data, sorted.data, n);
}

constexpr std::size_t static_keys = std::size_t{9} << 20U;
std::uint32_t static_unsorted[static_keys], static_sorted[static_keys];  // 72 MiB of .bss

int lookup(std::size_t points) {
  constexpr std::size_t nuclides = 68;
  Array<double> energy(nuclides * points), section(nuclides * points);
  for (std::size_t nuclide = 0; nuclide < nuclides; ++nuclide) {
    double* grid = energy.data + nuclide * points;
    for (std::size_t i = 0; i < points; ++i) {
      grid[i] = (static_cast<double>(i) + static_cast<double>(mixed(nuclide * points + i) % 900) / 1000) /
                static_cast<double>(points);
      section[nuclide * points + i] = 2 * grid[i] + static_cast<double>(nuclide);
    }
  }
  Array<int> wrong(threads);
  in_parallel(threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      for (std::size_t i = 0; i < 100'000; ++i) {
        const std::uint64_t draw = mixed(t * 1'000'003 + i);
        const double e = 0.01 + 0.97 * static_cast<double>(draw >> 11U) * 0x1p-53;
        const std::size_t nuclide = draw % nuclides;
        const double* grid = energy.data + nuclide * points;
        const auto above = static_cast<std::size_t>(std::upper_bound(grid, grid + points, e) - grid);
        const double part = (e - grid[above - 1]) / (grid[above] - grid[above - 1]);
        const double* of = section.data + nuclide * points;
        // The sections are linear in the energy, so the interpolation is exact.
        const double found = of[above - 1] + part * (of[above] - of[above - 1]);
        if (std::abs(found - (2 * e + static_cast<double>(nuclide))) > 1e-9) wrong[t] = 1;
      }
    }
  });
  for (unsigned t = 0; t < threads; ++t) {
    if (wrong[t] != 0) return fail("lookup: a section is wrong");
  }
  return 0;
}

int bfs(std::size_t vertices) {
  constexpr std::size_t degree = 8;
  Array<std::uint32_t> edges(vertices * degree);
  Array<std::int32_t> level(vertices);
  Array<std::uint32_t> parent(vertices), queue(vertices);
  for (std::size_t v = 0; v < vertices; ++v) {
    level[v] = -1;
    for (std::size_t k = 0; k < degree; ++k)
      edges[v * degree + k] =
          static_cast<std::uint32_t>(k == 0 ? (v + 1) % vertices : mixed(v * degree + k) % vertices);
  }
  std::size_t head = 0, tail = 1;
  level[0] = 0;
  while (head < tail) {
    const std::uint32_t v = queue[head++];
    for (std::size_t k = 0; k < degree; ++k) {
      const std::uint32_t next = edges[v * degree + k];
      if (level[next] >= 0) continue;
      level[next] = level[v] + 1;
      parent[next] = v;
      queue[tail++] = next;
    }
  }
  if (tail != vertices) return fail("bfs: not every vertex was reached");
  for (std::size_t v = 0; v < vertices; ++v) {
    if (v != 0 && level[v] != level[parent[v]] + 1) return fail("bfs: a parent is not one level above");
    for (std::size_t k = 0; k < degree; ++k) {
      if (level[edges[v * degree + k]] > level[v] + 1) return fail("bfs: an edge spans two levels");
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "";
  const std::size_t size = argc > 2 ? static_cast<std::size_t>(std::strtoull(argv[2], nullptr, 10)) : 0;
  int code = 2;
  if (name == "cg") code = cg(size != 0 ? size : 100'000);
  if (name == "mg") code = mg(size != 0 ? size : 63);
  if (name == "ft") code = ft(size != 0 ? size : 512);
  if (name == "is") code = is(size != 0 ? size : 2'000'000);
  if (name == "lookup") code = lookup(size != 0 ? size : 11'303);
  if (name == "bfs") code = bfs(size != 0 ? size : 300'000);
  if (name == "static") code = sort_keys(static_unsorted, static_sorted, static_keys);
  if (code == 2) std::fprintf(stderr, "usage: kernels cg|mg|ft|is|lookup|bfs|static [SIZE]\n");
  if (code == 0) std::puts("verified");
  return code;
}
