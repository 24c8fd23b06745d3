// Random programs against a sequential oracle, on runtimes of several shapes.
//
// About 10^6 tasks in all, fewer under sanitizers. CHARM_RANDOM_TASKS=1000000000 runs for a night;
// CHARM_RANDOM_SEED=number repeats what a report names, as far as the scheduler lets anything be repeated. A program
// that does not end is reported with the library's own list of tasks and workers after CHARM_RANDOM_PATIENCE seconds.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "random_programs/runner.hpp"
#include "sched/fake_cpus.hpp"
#include "sched/run/runtime.hpp"
#include "sched/running.hpp"

namespace random_programs {
namespace {

using namespace std::chrono_literals;

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr double usual_tasks = 3e4;
#else
constexpr double usual_tasks = 1e6;
#endif

double tasks_wanted() {
  const char* text = std::getenv("CHARM_RANDOM_TASKS");
  return text == nullptr ? usual_tasks : std::atof(text);
}

std::uint64_t seed_wanted() {
  static const std::uint64_t seed = [] {
    const char* text = std::getenv("CHARM_RANDOM_SEED");
    return text == nullptr ? std::uint64_t{std::random_device{}()} : std::strtoull(text, nullptr, 10);
  }();
  return seed;
}

struct Shape {
  int workers;
  const char* topology;
  const char* name;
};

charm::Config config_of(const Shape& shape) {
  charm::Config config;
  config.workers = shape.workers;
  config.share_cores = true;
  if (*shape.topology != 0) config.topology = shape.topology;
  config.policy = "distributed";
  return config;
}

class RandomPrograms : public testing::TestWithParam<Shape> {
 protected:
  RandomPrograms() : watchdog_("run again with " + again()), runner_(watchdog_) {
    std::printf("%s\n", again().c_str());
    RecordProperty("seed", std::to_string(seed_wanted()));
  }
  static std::string again() { return "CHARM_RANDOM_SEED=" + std::to_string(seed_wanted()); }

  /// Of this test's programs one after the other, until the share of the tasks that is the test's has been run.
  void until(double share, const std::function<void(std::uint64_t seed)>& round) {
    const auto end = static_cast<std::uint64_t>(tasks_wanted() * share) + 1;
    for (std::uint64_t i = 0; watchdog_.done() < end; ++i) {
      const std::uint64_t seed = mix(seed_wanted() + i * 1000003 + static_cast<std::uint64_t>(GetParam().workers));
      watchdog_.phase(std::string(GetParam().name) + ", round " + std::to_string(i));
      round(seed);
      if (HasFailure()) {
        ADD_FAILURE() << "round " << i << "; run again with " << again();
        return;
      }
    }
  }
  static Node program(std::uint64_t seed) { return {mix(seed), 1 + static_cast<int>(mix(seed + 1) % 3000)}; }
  [[nodiscard]] bool can_meet(int holders) const { return GetParam().workers >= holders + 2; }

  /// In a task or outside.
  void check(std::uint64_t seed) {
    const Node node = program(seed);
    const Outcome got = charm::run([&] {
      if (can_meet(0) && mix(seed + 2) % 4 == 0) meet(0, false);
      return runner_.outcome(node);
    });
    EXPECT_EQ(got, sequential(node)) << "program of seed " << seed;
  }

  Watchdog watchdog_;
  Runner runner_;
};

INSTANTIATE_TEST_SUITE_P(Shapes, RandomPrograms,
                         testing::Values(Shape{1, "", "1 worker"}, Shape{2, "", "2 workers"},
                                         Shape{4, "pack:1 l3:4 core:2 pu:1", "4 workers on 4 chiplets"},
                                         Shape{6, "pack:2 numa:2 l3:2 core:2 pu:1", "6 workers on 2 nodes"}),
                         [](const auto& shape) { return std::to_string(shape.param.workers) + "Workers"; });

TEST_P(RandomPrograms, FromTheThreadThatCalledInit) {
  const Running runtime(GetParam().workers, config_of(GetParam()));
  until(0.1, [&](std::uint64_t seed) { check(seed); });
}

/// Other threads run programs, and the one that called init() lends itself for moments only.
TEST_P(RandomPrograms, FromSeveralThreadsAtOnce) {
  const Running runtime(GetParam().workers, config_of(GetParam()));
  until(0.08, [&](std::uint64_t seed) {
    std::atomic<int> left{3};
    std::vector<std::thread> threads;
    for (std::uint64_t t = 0; t < 3; ++t) {
      threads.emplace_back([&, t] {
        for (std::uint64_t i = 0; i < 5; ++i) check(mix(seed + t) + i);
        --left;
      });
    }
    while (left > 0) charm::run([&] { watchdog_.progress(0); });
    for (auto& thread : threads) thread.join();
  });
}

/// The first thing that a worker does, what it does after a sleep, and the end beside calls from everywhere.
TEST_P(RandomPrograms, StartedAndStoppedAgainAndAgain) {
  until(0.02, [&](std::uint64_t seed) {
    charm::Config config = config_of(GetParam());
    config.spin_us = static_cast<int>(mix(seed + 3) % 50);
    config.workers = GetParam().workers;
    charm::init(config);
    if (can_meet(0)) {
      const int worker = static_cast<int>(mix(seed + 4) % static_cast<unsigned>(GetParam().workers));
      if (mix(seed + 5) % 2 == 0)
        charm::call_async(worker, [] { meet(0, false); }).get();
      else
        charm::all_do([&](int w) {
          if (w == worker) meet(0, false);
        });
      if (can_meet(1) && mix(seed + 6) % 4 == 0) charm::call(worker, [] { meet(1, true); });
    }
    check(seed);
    std::atomic<std::uint64_t> started{0};
    std::atomic<std::uint64_t> ended{0};
    std::vector<std::thread> threads;
    for (std::uint64_t t = 0; t < 2; ++t) {
      threads.emplace_back([&, t] {
        try {
          for (std::uint64_t i = 0;; ++i) {
            const Node node{mix(seed + t) + i, 20};
            if (t == 0) {
              EXPECT_EQ(charm::run([&] { return runner_.outcome(node); }), sequential(node));
            } else {
              charm::run_detached([&, node] {
                static_cast<void>(runner_.outcome(node));
                ++ended;
              });
              ++started;
            }
          }
        } catch (const charm::Error& error) {
          EXPECT_EQ(error.code(), charm::Errc::not_running) << error.what();
        }
      });
    }
    charm::channel<int> never;
    charm::future<std::uint64_t> dropped = charm::async([&]() -> std::uint64_t { return never.recv() ? 1 : 0; });
    std::this_thread::sleep_for(std::chrono::microseconds(mix(seed + 7) % 500));
    charm::finalize();
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(started, ended);
    EXPECT_THROW(dropped.get(), charm::Error);
    EXPECT_TRUE(never.send(1));
  });
}

/// The cpus that the process may use change all the time.
TEST_P(RandomPrograms, WhileTheCpusChange) {
  charm::Config config = config_of(GetParam());
  config.topology = "pack:1 l3:4 core:2 pu:1";
  config.watch_ms = 2;
  config.counters = "none";
  charm::test::FakeKernel kernel(8);
  // On a thread that then ends: so worker 0 is never lent, and each worker is one thread in the kernel's books.
  std::thread([&] { new charm::sched::Runtime(config, kernel.watch()); }).join();  // finalize() deletes it
  std::atomic<bool> over{false};
  std::thread administrator([&] {
    std::mt19937_64 random(seed_wanted());
    while (!over) {
      charm::CpuSet cpus;
      for (int cpu = 0; cpu < 8; ++cpu) {
        if (random() % 3 != 0) cpus.insert(cpu);
      }
      if (cpus.empty()) cpus.insert(static_cast<int>(random() % 8));
      kernel.set_cpuset(cpus);
      std::this_thread::sleep_for(std::chrono::milliseconds(random() % 8));
    }
  });
  until(0.04, [&](std::uint64_t seed) {
    const Node node = program(seed);
    EXPECT_EQ(charm::run([&] { return runner_.outcome(node); }), sequential(node)) << "program of seed " << seed;
  });
  over = true;
  administrator.join();
  charm::finalize();
}

}  // namespace
}  // namespace random_programs
