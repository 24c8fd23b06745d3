// What the setting width is worth: programs that fewer workers run faster, and such that all workers run fastest, each
// with all workers, with one, and with `width = adaptive`, in turns. A run is a few seconds; the first two, in which
// the width is found, are not counted. Prints the work per second of adaptive over the better of the other two, and
// over all workers, as the median with the quartiles of the turns.
//   bench-width [turns [seconds [program]]]
#include <charm/charm.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

constexpr double uncounted_s = 2;

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Some work that the compiler cannot leave out.
double multiply_adds(int count, double from) {
  double x = from;
  for (int i = 0; i < count; ++i) x = x * 1.0000001 + 1e-9;
  asm volatile("" : : "g"(x));
  return x;
}

std::atomic<long> counter{0};
std::mutex queue;
long under_the_lock = 0;
std::vector<double> a, b, c;

struct Program {
  const char* name;
  int count;  // iterations of a pass
  std::function<void(int)> iteration;
};

std::vector<Program> programs() {
  return {
      {"one atomic counter", 200000, [](int) { counter.fetch_add(1, std::memory_order_relaxed); }},
      {"one atomic counter, work beside it", 20000,
       [](int i) {
         multiply_adds(200, i);
         counter.fetch_add(1, std::memory_order_relaxed);
       }},
      {"queue at one lock", 50000,
       [](int) {
         const std::lock_guard lock(queue);
         ++under_the_lock;
       }},
      {"triad", static_cast<int>(a.size() / 1024),
       [](int i) {
         const auto from = static_cast<std::size_t>(i) * 1024;
         for (std::size_t j = from; j < from + 1024; ++j) a[j] = b[j] + 3 * c[j];
       }},
      {"arithmetic alone", 20000, [](int i) { multiply_adds(400, i); }},
  };
}

/// Iterations per second after the time that is not counted.
double speed(const Program& program, const char* width, int workers, double seconds) {
  charm::Config config;
  config.workers = workers;
  config.width = width;
  config.policy = "local";
  charm::init(config);
  const double rate = charm::run([&] {
    const auto pass = [&] { charm::parallel_for(0, program.count, [&](int i) { program.iteration(i); }); };
    for (const auto begin = Clock::now(); since(begin) < uncounted_s;) pass();
    const auto begin = Clock::now();
    long done = 0;
    for (; since(begin) < seconds; done += program.count) pass();
    return static_cast<double>(done) / since(begin);
  });
  charm::finalize();
  return rate;
}

std::string quartiles(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double part) {
    return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1) + 0.5)];
  };
  char text[64];
  std::snprintf(text, sizeof text, "%6.3f (%.3f-%.3f)", at(0.5), at(0.25), at(0.75));
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  const int turns = argc > 1 ? std::atoi(argv[1]) : 15;
  const double seconds = argc > 2 ? std::atof(argv[2]) : 2;
  const std::string only = argc > 3 ? argv[3] : "";
  if (turns < 1 || seconds <= 0) {
    std::fprintf(stderr, "usage: bench-width [turns [seconds [program]]]\n");
    return 2;
  }
  constexpr std::size_t elements = 8U << 20;  // 192 MiB in all
  a.assign(elements, 0);
  b.assign(elements, 1);
  c.assign(elements, 2);
  charm::init();
  const int workers = charm::num_workers();
  charm::finalize();
  std::printf("%d workers, %d turns of %.3g s\n%-36s %-22s %-22s %s\n", workers, turns, seconds, "work per second",
              "adaptive / the better", "adaptive / all", "one / all");
  for (const Program& program : programs()) {
    if (std::string(program.name).find(only) == std::string::npos) continue;
    std::vector<double> of_better, of_all, one_of_all;
    for (int turn = 0; turn < turns; ++turn) {
      const double all = speed(program, "full", workers, seconds), one = speed(program, "full", 1, seconds),
                   adaptive = speed(program, "adaptive", workers, seconds);
      of_better.push_back(adaptive / std::max(all, one));
      of_all.push_back(adaptive / all);
      one_of_all.push_back(one / all);
    }
    std::printf("%-36s %-22s %-22s %s\n", program.name, quartiles(of_better).c_str(), quartiles(of_all).c_str(),
                quartiles(one_of_all).c_str());
    std::fflush(stdout);
  }
}
