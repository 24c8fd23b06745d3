// Pipelines, loops that add elements, and searches against oneTBB and std, trials interleaved. Prints the ratio of
// CHARM's time to the best peer's: the median over the trials, and its quartiles.
//   bench-pipelines [WORKERS [ITEMS [TRIALS]]]
#include <charm/charm.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <execution>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for_each.h>
#include <oneapi/tbb/parallel_pipeline.h>

namespace {

using Way = std::function<std::uint64_t()>;  // returns what has to be equal

double seconds(const Way& way, std::uint64_t& result) {
  const auto start = std::chrono::steady_clock::now();
  result = way();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// \param ways CHARM's first. A wrong result ends the program.
void compare(const std::string& what, int trials, const std::vector<std::pair<const char*, Way>>& ways) {
  std::vector<double> best(ways.size(), 1e300);
  std::vector<double> ratios;
  std::uint64_t expected = 0;
  for (int trial = 0; trial <= trials; ++trial) {  // the first one warms up
    std::vector<double> times;
    for (std::size_t k = 0; k < ways.size(); ++k) {
      const std::size_t w = trial % 2 == 0 ? k : ways.size() - 1 - k;
      std::uint64_t result = 0;
      const double time = seconds(ways[w].second, result);
      times.resize(ways.size());
      times[w] = time;
      if (trial == 0 && k == 0) expected = result;
      if (result != expected) {
        std::fprintf(stderr, "bench-pipelines: %s of %s is wrong\n", ways[w].first, what.c_str());
        std::exit(1);
      }
    }
    if (trial == 0) continue;
    for (std::size_t w = 0; w < ways.size(); ++w) best[w] = std::min(best[w], times[w]);
    ratios.push_back(times[0] / *std::min_element(times.begin() + 1, times.end()));
  }
  std::sort(ratios.begin(), ratios.end());
  std::printf("%-34s %6.2f (%.2f to %.2f) of the best peer; ms:", what.c_str(), ratios[ratios.size() / 2],
              ratios[ratios.size() / 4], ratios[ratios.size() * 3 / 4]);
  for (std::size_t w = 0; w < ways.size(); ++w) std::printf(" %s %.2f", ways[w].first, best[w] * 1e3);
  std::printf("\n");
  std::fflush(stdout);
}

std::uint64_t work(std::uint64_t x, int steps) {
  for (int i = 0; i < steps; ++i) x = x * 6364136223846793005U + 1442695040888963407U;
  return x;
}

void pipelines(int workers, int items, int trials) {
  for (const int steps : {0, 300, 3000}) {
    const int under_way = 4 * workers;
    const auto by_charm = [=] {
      int next = 0;
      std::uint64_t sum = 0;
      charm::pipeline(under_way, charm::serial_in_order([&]() -> std::optional<int> {
                        return next < items ? std::optional(next++) : std::nullopt;
                      }),
                      charm::parallel([=](int i) { return work(static_cast<std::uint64_t>(i), steps); }),
                      charm::serial_in_order([&](std::uint64_t x) { sum = sum * 31 + x; }));
      return sum;
    };
    const auto by_tbb = [=] {
      int next = 0;
      std::uint64_t sum = 0;
      using tbb::filter_mode;
      tbb::parallel_pipeline(
          static_cast<std::size_t>(under_way),
          tbb::make_filter<void, int>(filter_mode::serial_in_order, [&](tbb::flow_control& control) {
            if (next == items) control.stop();
            return next == items ? 0 : next++;
          }) & tbb::make_filter<int, std::uint64_t>(filter_mode::parallel, [=](int i) {
            return work(static_cast<std::uint64_t>(i), steps);
          }) & tbb::make_filter<std::uint64_t, void>(filter_mode::serial_in_order, [&](std::uint64_t x) {
            sum = sum * 31 + x;
          }));
      return sum;
    };
    compare("pipeline, " + std::to_string(steps) + " steps of work", trials, {{"charm", by_charm}, {"tbb", by_tbb}});
  }
}

void feeders(int items, int trials) {
  int depth = 0;
  while ((1 << (depth + 2)) <= items) ++depth;
  for (const int steps : {0, 300}) {
    const auto by_charm = [=] {
      std::atomic<std::uint64_t> sum{0};
      charm::parallel_for_each(std::vector<int>{depth}, [&](int left, charm::feeder<int>& more) {
        if (left == 0) sum.fetch_add(work(1, steps), std::memory_order_relaxed);
        if (left == 0) return;
        more.add(left - 1);
        more.add(left - 1);
      });
      return sum.load();
    };
    const auto by_tbb = [=] {
      std::atomic<std::uint64_t> sum{0};
      std::vector<int> first{depth};
      tbb::parallel_for_each(first.begin(), first.end(), [&](int left, tbb::feeder<int>& more) {
        if (left == 0) sum.fetch_add(work(1, steps), std::memory_order_relaxed);
        if (left == 0) return;
        more.add(left - 1);
        more.add(left - 1);
      });
      return sum.load();
    };
    compare("feeder, " + std::to_string(steps) + " steps of work", trials, {{"charm", by_charm}, {"tbb", by_tbb}});
  }
}

void searches(int items, int trials) {
  std::vector<int> values(static_cast<std::size_t>(items) * 64, 0);
  for (const double where : {0.0001, 0.3, 0.99}) {
    const auto at = static_cast<std::size_t>(where * static_cast<double>(values.size()));
    values[at] = 1;
    const auto by_charm = [&] { return static_cast<std::uint64_t>(charm::parallel_find(values, 1) - values.begin()); };
    const auto by_std = [&] {
      return static_cast<std::uint64_t>(std::find(values.begin(), values.end(), 1) - values.begin());
    };
    const auto by_par = [&] {
      return static_cast<std::uint64_t>(std::find(std::execution::par, values.begin(), values.end(), 1) -
                                        values.begin());
    };
    char name[64];
    std::snprintf(name, sizeof name, "find at %g of the range", where);
    compare(name, trials, {{"charm", by_charm}, {"std", by_std}, {"std(par)", by_par}});
    values[at] = 0;
  }
}

void run(int workers, int items, int trials) {
  charm::Config config;
  config.workers = workers;
  charm::init(config);
  tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(workers));
  std::printf("%d workers, %d items, %d trials\n", workers, items, trials);
  pipelines(workers, items, trials);
  feeders(items, trials);
  searches(items, trials);
  charm::finalize();
}

}  // namespace

int main(int count, char** arguments) {
  const int workers = count > 1 ? std::atoi(arguments[1]) : 2;
  const int items = count > 2 ? std::atoi(arguments[2]) : 100'000;
  const int trials = count > 3 ? std::atoi(arguments[3]) : 15;
  if (workers < 1 || items < 8 || trials < 1) {
    std::fprintf(stderr, "usage: bench-pipelines [WORKERS [ITEMS [TRIALS]]]\n");
    return 2;
  }
  // On a thread of its own: CHARM binds the one that starts it, and the threads of others would inherit that.
  std::thread([&] { run(workers, items, trials); }).join();
}
