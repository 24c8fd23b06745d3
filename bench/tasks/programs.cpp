// The whole programs on every runtime. One run warms up, a second one is timed.
#include "programs.hpp"

#include <cmath>

#include "cases.hpp"
#include "runtimes.hpp"

namespace charm::bench {
namespace {

/// \param units what a value is divided by, then nanoseconds; 0: the value is milliseconds.
template <class R, class F>
Sample timed(int workers, double units, const F& body) {
  Sample sample;
  apart([&] {
    R runtime(workers);
    reset_peak_rss();
    runtime.run([&] { sample.answer = body(); });
    const auto start = Clock::now();
    runtime.run([&] { sample.answer = body(); });
    const double seconds = seconds_since(start);
    sample.value = units > 0 ? seconds * 1e9 / units : seconds * 1e3;
    sample.peak_rss_bytes = peak_rss_bytes();
  });
  return sample;
}

template <class R>
void add_for(Cases& cases) {
  auto add = [&](const char* program, const char* unit, double units, auto body) {
    cases.push_back({program, R::name, unit, [=](int workers) { return timed<R>(workers, units, body); }});
  };
  add("fib", "ns/spawn", 3524577, [] {
    const volatile std::int64_t n =
        32;            // not known to the compiler, which would compute the serial answer once for all
    return fib<R>(n);  // fib(33) - 1 spawns
  });
  add("skynet", "ns/task", 1111110, [] { return skynet<R>(0, 1000000); });
  add("nqueens", "ms", 0, [] { return queens<R>(12, 0, Board{}); });
  add("matmul", "ms", 0, [] { return matmul<R>(768); });
  add("uts", "ns/node", 4130071, [] { return uts<R>(uts_root(19), 0); });
  add("uts_t3", "ns/node", 4112897, [] { return uts_t3<R>(uts_root(42), 0); });
  add("integrate", "ms", 0, [] {
    double area = (integrand(0) + integrand(2000)) * 2000 / 2;
    return std::llround(integrate<R>(0, integrand(0), 2000, integrand(2000), area));
  });
  add("quicksort", "ms", 0, [] { return sorted<R>(4000000); });
  add("heat", "ms", 0, [] { return heat<R>(1024, 100); });
}

}  // namespace

void add_programs(Cases& cases) {
  add_for<Serial>(cases);
  add_for<Charm>(cases);
#if defined(CHARM_BENCH_OPENMP)
  add_for<OpenMp>(cases);
#endif
#if defined(CHARM_BENCH_TBB)
  add_for<Tbb>(cases);
#endif
}

}  // namespace charm::bench
