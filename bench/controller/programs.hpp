// The programs on which the cost of control is measured: the graph kernels, RandomAccess, and tasks, loops and yields
// of all sizes, each of a fraction of a second.
#pragma once

#include <charm/charm.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "workloads/kernel_run.hpp"

namespace cost {

namespace workloads = charm::workloads;

struct Program {
  std::string name;
  std::function<double()> seconds;  // of one run, on the runtime that is up
};

template <class F>
double timed(F&& body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Forks that nobody steals are not counted, nor are yields, so these programs report their work, as docs/controller.md
/// asks them to: without that the controller would see no progress and never decide.
inline std::int64_t fib(int n) {
  if (n < 2) return n;
  if (n == 15) charm::add_work(1);
  std::int64_t a = 0;
  std::int64_t b = 0;
  charm::invoke([&] { a = fib(n - 1); }, [&] { b = fib(n - 2); });
  return a + b;
}

inline void yield_often() {
  for (int i = 0; i < 1000000; ++i) {
    charm::yield();
    if (i % 1000 == 0) charm::add_work(1);
  }
}

/// Some microseconds of work that nothing can leave out.
inline double spin(int rounds) {
  double x = 1;
  for (int i = 0; i < rounds; ++i) x = x * 1.0000001 + 1e-9;
  return x;
}

inline std::atomic<double> sink{0};

/// `adaptive`, but it tries other levels for programs of tiny tasks, too, and about once a second, where the default
/// one comes to rest: so it decides more often than the default one ever would.
inline constexpr const char* deciding = "adaptive:grain=0,idle=1,backoff=2,backoff_max=8";

inline std::vector<Program> programs(const workloads::Graph& graph, int workers) {
  std::vector<Program> all;
  for (const std::string kernel : {"bfs", "pr", "cc", "sssp"}) {
    all.push_back({kernel, [&graph, kernel, workers] {
                     double sum = 0;
                     for (double s : workloads::run_kernel(kernel, {"charm", workers}, graph, {.trials = 4}).seconds)
                       sum += s;
                     return sum;
                   }});
  }
  all.push_back({"gups", [workers] {
                   const double seconds = workloads::run_gups(20, {"charm", workers}, 1).seconds.front();
                   charm::add_work(1);
                   return seconds;
                 }});
  all.push_back({"fib 30", [] { return timed([] { charm::run([] { sink = static_cast<double>(fib(30)); }); }); }});
  all.push_back({"2 M empty tasks", [] {
                   return timed([] {
                     charm::run([] {
                       charm::task_group group;
                       for (int i = 0; i < 2000000; ++i) group.run([] {});
                       group.wait();
                     });
                   });
                 }});
  all.push_back({"40 k tasks of 5 us", [] {
                   return timed([] {
                     charm::run([] {
                       charm::task_group group;
                       for (int i = 0; i < 40000; ++i) group.run([] { sink = spin(1500); });
                       group.wait();
                     });
                   });
                 }});
  all.push_back({"loops of 64 M", [] {
                   return timed([] {
                     charm::run([] {
                       charm::parallel_for(0, 64000000, [](int low, int high) { sink = spin((high - low) / 4); });
                     });
                   });
                 }});
  all.push_back(
      {"yield 2 M",
       [] { return timed([] { charm::run([] { charm::invoke([] { yield_often(); }, [] { yield_often(); }); }); }); }});
  return all;
}

}  // namespace cost
