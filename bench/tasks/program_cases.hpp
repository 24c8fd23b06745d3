// The whole programs as cases of the table, for any runtime. One run warms up, a second one is timed. Peers that have
// no groups of tasks, or no loops, take the programs that they can express.
#pragma once

#include <cmath>
#include <cstdint>

#include "cases.hpp"
#include "linear.hpp"
#include "programs.hpp"

namespace charm::bench {

/// \param units what a value is divided by, then nanoseconds; 0: the value is milliseconds.
/// \param run the answer, on the runtime that it is given.
template <class R, class F>
Sample timed_on(int workers, double units, const F& run) {
  Sample sample;
  apart([&] {
    R runtime(workers);
    reset_peak_rss();
    run(runtime);
    const auto start = Clock::now();
    sample.answer = run(runtime);
    const double seconds = seconds_since(start);
    sample.value = units > 0 ? seconds * 1e9 / units : seconds * 1e3;
    sample.peak_rss_bytes = peak_rss_bytes();
  });
  return sample;
}

/// What a program is measured in. For peers that need sources of their own.
struct Measure {
  const char* program;
  const char* unit;
  double units;
};
inline constexpr Measure fib_measure{"fib", "ns/spawn", 3524577};  // fib(33) - 1 spawns
inline constexpr std::int64_t fib_n = 32;
inline constexpr Measure skynet_measure{"skynet", "ns/task", 1111110};
inline constexpr Measure queens_measure{"nqueens", "ms", 0};
inline constexpr Measure matmul_measure{"matmul", "ms", 0};
inline constexpr Measure uts_measure{"uts", "ns/node", 4130071};
inline constexpr Measure integrate_measure{"integrate", "ms", 0};

/// A program that names its runtime, as coroutines do that are waited for on an executor.
template <class R, class F>
void add_program_on(Cases& cases, const Measure& measure, F run) {
  cases.push_back(
      {measure.program, R::name, measure.unit, [=](int workers) { return timed_on<R>(workers, measure.units, run); }});
}

/// A program inside of R::run.
template <class R, class F>
void add_program(Cases& cases, const Measure& measure, F body) {
  add_program_on<R>(cases, measure, [body](R& runtime) {
    std::int64_t answer = 0;
    runtime.run([&] { answer = body(); });
    return answer;
  });
}

/// Programs of R::fork and R::loop.
template <class R>
void add_fork_programs(Cases& cases) {
  add_program<R>(cases, fib_measure, [] {
    const volatile std::int64_t n = fib_n;  // not known to the compiler, which would compute the serial answer once
    return fib<R>(n);
  });
  add_program<R>(cases, matmul_measure, [] { return matmul<R>(768); });
  add_program<R>(cases, integrate_measure, [] {
    double area = (integrand(0) + integrand(2000)) * 2000 / 2;
    return std::llround(integrate<R>(0, integrand(0), 2000, integrand(2000), area));
  });
  add_program<R>(cases, {"quicksort", "ms", 0}, [] { return sorted<R>(4000000); });
  add_program<R>(cases, {"heat", "ms", 0}, [] { return heat<R>(1024, 100); });
}

/// Programs of R::Group.
template <class R>
void add_group_programs(Cases& cases) {
  add_program<R>(cases, skynet_measure, [] { return skynet<R>(0, 1000000); });
  add_program<R>(cases, queens_measure, [] { return queens<R>(12, 0, Board{}); });
  add_program<R>(cases, uts_measure, [] { return uts<R>(uts_root(19), 0); });
  add_program<R>(cases, {"strassen", "ms", 0}, [] { return strassen<R>(512); });
  add_program<R>(cases, {"lu", "ms", 0}, [] { return lu<R>(768); });
}

}  // namespace charm::bench
