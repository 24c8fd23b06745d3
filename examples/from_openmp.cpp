// From OpenMP to CHARM: the same program in both. GNU's and LLVM's runtimes start threads of their own, so the two do
// not mix well in one program; here one ends before the other begins.
#include <charm/charm.hpp>

#include <cstddef>
#include <cstdio>
#include <vector>

namespace before {

void axpy(double a, const std::vector<double>& x, std::vector<double>& y) {
#pragma omp parallel for
  for (std::size_t i = 0; i < x.size(); ++i) y[i] += a * x[i];
}

double dot(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

long fib(int n) {
  if (n < 2) return n;
  long a = 0;
  long b = 0;
#pragma omp task shared(a)
  a = fib(n - 1);
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

}  // namespace before

namespace after {

void axpy(double a, const std::vector<double>& x, std::vector<double>& y) {
  charm::parallel_for(std::size_t{0}, x.size(), [&](std::size_t i) { y[i] += a * x[i]; },
                      {.schedule = charm::Schedule::static_});  // as OpenMP's; without it, idle workers get more
}

double dot(const std::vector<double>& x, const std::vector<double>& y) {
  return charm::parallel_reduce(
      std::size_t{0}, x.size(), 0.0,
      [&](std::size_t low, std::size_t high, double sum) {
        for (std::size_t i = low; i < high; ++i) sum += x[i] * y[i];
        return sum;
      },
      [](double left, double right) { return left + right; });
}

long fib(int n) {
  if (n < 2) return n;
  long a = 0;
  long b = 0;
  charm::invoke([&] { a = fib(n - 1); }, [&] { b = fib(n - 2); });
  return a + b;
}

}  // namespace after

int main() {
  const std::vector<double> x(100'000, 0.5);
  std::vector<double> y(x.size(), 1.0);
  before::axpy(2, x, y);
  const double dot = before::dot(x, y);
  long fib = 0;
#pragma omp parallel
#pragma omp single
  fib = before::fib(20);

  charm::init();
  std::vector<double> z(x.size(), 1.0);
  after::axpy(2, x, z);
  const bool same = z == y && after::dot(x, z) == dot && after::fib(20) == fib;
  charm::finalize();
  std::printf("%s\n", same ? "the same" : "different");
  return same ? 0 : 1;
}
