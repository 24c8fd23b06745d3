// What the table of bench-tasks is made of: a case is one program on one runtime. A source adds cases; bench_tasks.cpp
// lists the sources.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace charm::bench {

struct Sample {
  double value = 0;         ///< in the unit of the case
  std::int64_t answer = 0;  ///< all runtimes of a program must agree on it
  long peak_rss_bytes = 0;
};

struct Case {
  std::string program, runtime, unit;
  std::function<Sample(int workers)> run;
  int least_workers = 1;
};
using Cases = std::vector<Case>;

inline long peak_rss_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmHWM:", 0) == 0) return std::atol(line.c_str() + 6) * 1024;
  }
  return 0;
}
inline void reset_peak_rss() { std::ofstream("/proc/self/clear_refs") << "5"; }

using Clock = std::chrono::steady_clock;
inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Runs `f` on a thread of its own: CHARM binds the thread that starts it, and the threads of others would inherit
/// that.
template <class F>
void apart(F&& f) {
  std::thread(std::forward<F>(f)).join();
}

/// The least of up to `batches` measurements: what the thing costs where nothing comes between. Batches should be much
/// shorter than a time slice. On a machine that is busy with other things it stops after half a second, but not before
/// three. \param f seconds of one.
template <class F>
double least(int batches, F&& f) {
  const auto start = Clock::now();
  double best = f();
  for (int i = 1; i < batches && (i < 3 || seconds_since(start) < 0.5); ++i) best = std::min(best, f());
  return best;
}

/// Seconds that `count` calls of `f` take.
template <class F>
double seconds_of(int count, F&& f) {
  const auto start = Clock::now();
  for (int i = 0; i < count; ++i) f();
  return seconds_since(start);
}

// The sources.
void add_programs(Cases& cases);       // programs.cpp: whole programs
void add_work_bars(Cases& cases);      // bars_work.cpp: spawning, loops, regions
void add_exchange_bars(Cases& cases);  // bars_exchange.cpp: barriers, calls, waking
void add_fiber_bars(Cases& cases);     // bars_fiber.cpp: stackful tasks
// Peers whose headers CHARM_PEER_INCLUDE has: peers_*.cpp.
void add_libfork(Cases& cases);
void add_taskflow(Cases& cases);
void add_citor(Cases& cases);
void add_dispenso(Cases& cases);
void add_tmc(Cases& cases);

}  // namespace charm::bench
