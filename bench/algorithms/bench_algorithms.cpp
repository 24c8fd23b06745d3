// Sorting and scanning against std, oneTBB and std::execution::par, trials interleaved; minima, since other load on the
// machine only adds.
//   bench-algorithms [WORKERS [ELEMENTS [TRIALS]]]
#include <charm/charm.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#if defined(CHARM_BENCH_TBB)
#include <execution>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_sort.h>
#endif

namespace {

template <class T>
struct Way {
  const char* name;
  std::function<void(std::vector<T>&)> run;
};

/// Runs every way on copies of `input`, prints the least time of each; a wrong result ends the program.
template <class T>
void compare(const std::string& what, const std::vector<T>& input, int trials, const std::vector<Way<T>>& ways) {
  std::vector<double> best(ways.size(), 1e300);
  std::vector<T> expected;
  for (int trial = 0; trial < trials; ++trial) {
    for (std::size_t w = 0; w < ways.size(); ++w) {
      std::vector<T> values = input;
      const auto start = std::chrono::steady_clock::now();
      ways[w].run(values);
      best[w] = std::min(best[w], std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
      if (expected.empty()) expected = values;
      if (values != expected) {
        std::fprintf(stderr, "bench-algorithms: %s of %s is wrong\n", ways[w].name, what.c_str());
        std::exit(1);
      }
    }
  }
  for (std::size_t w = 0; w < ways.size(); ++w)
    std::printf("%-22s %-22s %9.2f ms %6.2f of std\n", what.c_str(), ways[w].name, best[w] * 1e3, best[w] / best[0]);
}

template <class T>
std::vector<Way<T>> sorts() {
  return {
      {"std::sort", [](std::vector<T>& v) { std::sort(v.begin(), v.end()); }},
      {"charm::sort", [](std::vector<T>& v) { charm::sort(v.begin(), v.end()); }},
#if defined(CHARM_BENCH_TBB)
      {"tbb::parallel_sort", [](std::vector<T>& v) { tbb::parallel_sort(v.begin(), v.end()); }},
      {"std::sort(par)", [](std::vector<T>& v) { std::sort(std::execution::par, v.begin(), v.end()); }},
#endif
  };
}

void run(int workers, std::size_t count, int trials) {
  charm::Config config;
  config.workers = workers;
  charm::init(config);
#if defined(CHARM_BENCH_TBB)
  tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(workers));
#endif
  std::printf("%d workers, %zu elements, least of %d\n", workers, count, trials);
  std::mt19937 random(1);
  std::vector<int> numbers(count);
  for (int& n : numbers) n = static_cast<int>(random());
  compare("sort random ints", numbers, trials, sorts<int>());
  std::vector<int> few = numbers;
  for (int& n : few) n &= 7;
  compare("sort few distinct", few, trials, sorts<int>());
  std::vector<int> sorted(count);
  std::iota(sorted.begin(), sorted.end(), 0);
  compare("sort sorted ints", sorted, trials, sorts<int>());
  std::vector<std::string> strings;
  for (std::size_t i = 0; i < count / 8; ++i) strings.push_back("a common prefix " + std::to_string(numbers[i]));
  compare("sort strings (n/8)", strings, trials, sorts<std::string>());
  compare<int>(
      "scan ints", few, trials,
      {{"std::inclusive_scan", [](auto& v) { std::inclusive_scan(v.begin(), v.end(), v.begin()); }},
       {"charm::inclusive_scan", [](auto& v) { charm::inclusive_scan(v.begin(), v.end(), v.begin()); }},
#if defined(CHARM_BENCH_TBB)
       {"inclusive_scan(par)", [](auto& v) { std::inclusive_scan(std::execution::par, v.begin(), v.end(), v.begin()); }}
#endif
      });
  charm::finalize();
}

}  // namespace

int main(int count, char** arguments) {
  const int workers = count > 1 ? std::atoi(arguments[1]) : 2;
  const long elements = count > 2 ? std::atol(arguments[2]) : 4'000'000;
  const int trials = count > 3 ? std::atoi(arguments[3]) : 5;
  if (workers < 1 || elements < 8 || trials < 1) {
    std::fprintf(stderr, "usage: bench-algorithms [WORKERS [ELEMENTS [TRIALS]]]\n");
    return 2;
  }
  // On a thread of its own: CHARM binds the one that starts it, and the threads of others would inherit that.
  std::thread([&] { run(workers, static_cast<std::size_t>(elements), trials); }).join();
}
