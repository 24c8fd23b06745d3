// What every program of the suite prints, and how many threads it is asked for.
#pragma once

#include <charm/charm.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <sys/resource.h>

namespace suite {

/// The runtime with as many workers as the argument at `at` says; without it, one for each core.
class Threads {
 public:
  Threads(int argc, char** argv, int at) {
    charm::Config config;
    if (argc > at) config.workers = std::atoi(argv[at]);
    config.share_cores = true;  // the suite may ask for more threads than there are cores
    charm::init(config);
    std::printf("threads: %d\n", charm::num_workers());
  }
  ~Threads() { charm::finalize(); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
};

inline long peak_rss_kib() {
  rusage usage{};
  return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss : -1;
}

/// Runs `once` for the suite's warm-up, and again for its time, in microseconds.
template <class F>
long long timed(F&& once) {
  once();
  const auto start = std::chrono::steady_clock::now();
  once();
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start).count();
}

/// \param first the first field of a run; `more` follows its duration.
inline void report(const std::string& first, long long us, const std::string& more = "") {
  std::printf("runs:\n  - %s\n    duration: %lld us\n%s    max_rss: %ld KiB\n", first.c_str(), us, more.c_str(),
              peak_rss_kib());
}

/// Ends the program, so that the suite leaves its row out, where the answer is wrong.
inline void expect(long long answer, long long right) {
  if (answer == right) return;
  std::fprintf(stderr, "wrong: %lld, and not %lld\n", answer, right);
  std::exit(1);
}

}  // namespace suite
