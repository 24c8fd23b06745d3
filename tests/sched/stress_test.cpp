// Random programs against a sequential oracle.
#include <atomic>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "sched/running.hpp"

namespace {

/// A random tree of forks, loops, groups, futures, calls and yields whose value is known without running it.
struct Program {
  std::uint64_t seed;
  int depth;

  std::uint64_t sequential() const {
    std::uint64_t value = mix(seed);
    if (depth == 0) return value;
    for (int c = 0; c < children(); ++c) value = value * 31 + child(c).sequential();
    return value;
  }

  std::uint64_t parallel() const {
    std::uint64_t value = mix(seed);
    if (depth == 0) return value;
    std::vector<std::uint64_t> results(static_cast<std::size_t>(children()));
    auto run_child = [&](int c) { results[static_cast<std::size_t>(c)] = child(c).parallel(); };
    switch (mix(seed + 1) % 6) {
      case 0:
        if (children() > 1) {
          charm::invoke([&] { run_child(0); },
                        [&] {
                          for (int c = 1; c < children(); ++c) run_child(c);
                        });
        } else {
          run_child(0);
        }
        break;
      case 1:
        charm::parallel_for(0, children(), run_child);
        break;
      case 2: {
        charm::task_group group;
        for (int c = 0; c < children(); ++c) group.run([&, c] { run_child(c); });
        group.wait();
        break;
      }
      case 3: {
        std::vector<charm::future<void>> futures;
        for (int c = 0; c < children(); ++c) futures.push_back(charm::async([&, c] { run_child(c); }));
        for (auto& future : futures) future.get();
        break;
      }
      case 4:
        for (int c = 0; c < children(); ++c) {
          charm::call(static_cast<int>(mix(seed + 7) % static_cast<unsigned>(charm::num_workers())),
                      [&] { run_child(c); });
        }
        break;
      default:
        for (int c = 0; c < children(); ++c) {
          charm::yield();
          try {
            charm::invoke([&] { run_child(c); },
                          [&] {
                            if (mix(seed + 9) % 3 == 0) throw 1;
                          });
          } catch (int) {
          }
        }
    }
    for (std::uint64_t result : results) value = value * 31 + result;
    return value;
  }

 private:
  static std::uint64_t mix(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }
  int children() const { return 1 + static_cast<int>(mix(seed + 3) % 4); }
  Program child(int c) const { return {mix(seed + 100 + static_cast<std::uint64_t>(c)), depth - 1}; }
};

class Stress : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Workers, Stress, testing::Values(1, 2, 3, 8));

TEST_P(Stress, RandomProgramsComputeWhatTheOracleComputes) {
  Running runtime(GetParam());
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Program program{seed * 977, 6};
    ASSERT_EQ(charm::run([&] { return program.parallel(); }), program.sequential()) << "seed " << seed;
  }
}

TEST_P(Stress, ProgramsFromManyThreadsAtOnce) {
  Running runtime(GetParam());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (std::uint64_t seed = 0; seed < 10; ++seed) {
        Program program{seed * 31 + static_cast<std::uint64_t>(t) * 1000003, 5};
        ASSERT_EQ(charm::run([&] { return program.parallel(); }), program.sequential());
      }
    });
  }
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Program program{seed * 77, 5};
    ASSERT_EQ(charm::run([&] { return program.parallel(); }), program.sequential());
  }
  for (auto& thread : threads) thread.join();
}

TEST_P(Stress, StartAndStopUnderWork) {
  for (int i = 0; i < 15; ++i) {
    Running runtime(GetParam());
    Program program{static_cast<std::uint64_t>(i), 4};
    ASSERT_EQ(charm::run([&] { return program.parallel(); }), program.sequential());
  }
}

}  // namespace
