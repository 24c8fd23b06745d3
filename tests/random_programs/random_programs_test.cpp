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
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "random_programs/runner.hpp"
#include "random_programs/waiters_outside.hpp"
#include "sched/debug/task_list.hpp"
#include "sched/fake_cpus.hpp"
#include "sched/run/runtime.hpp"
#include "sched/running.hpp"
#include "sched/until_stderr_has.hpp"

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

void wait_until_nobody_is_busy() {
  while (charm::sched::Runtime::get().places.anybody_busy()) std::this_thread::yield();
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
        ADD_FAILURE() << "round " << i << ", after " << watchdog_.done() << " tasks; run again with " << again();
        return;
      }
    }
  }
  static Node program(std::uint64_t seed) { return {mix(seed), 1 + static_cast<int>(mix(seed + 1) % 3000)}; }
  [[nodiscard]] bool can_meet(int holders) const { return GetParam().workers >= holders + 2; }

  /// Outside of tasks: runs the program of a seed and compares it with the oracle.
  void check(std::uint64_t seed) {
    const Node node = program(seed);
    const auto whole = [&] {
      if (can_meet(0) && mix(seed + 2) % 4 == 0) meet(0, Before::at_once);
      return runner_.outcome(node);
    };
    Outcome got;
    if (mix(seed + 8) % 4 != 0) {
      got = charm::run(whole);
    } else {
      charm::future<Outcome> future = charm::async(whole);
      const WaitsOutside waits;
      if (mix(seed + 9) % 2 == 0) {
        while (!future.wait_for(100us)) {
        }
      }
      got = future.get();
    }
    EXPECT_EQ(got, sequential(node)) << "program of seed " << seed;
    EXPECT_EQ(runner_.strays(), 0U) << "tasks ran on a thread that waits in future::get() or wait_for()";
  }

  /// Sometimes, while nothing else runs: what shows itself only then.
  void alone(std::uint64_t seed) {
    const auto drawn = static_cast<int>(mix(seed + 12) % static_cast<unsigned>(GetParam().workers));
    switch (mix(seed + 11) % 16) {
      case 0:
        wait_until_nobody_is_busy();
        EXPECT_TRUE(come_back(drawn)) << "a task ended that waits for its waiter";
        break;
      case 1:
        std::this_thread::sleep_for(std::chrono::milliseconds(mix(seed + 13) % 40));  // in the end all sleep for long
        meet_after_loan(std::max(drawn, 1), static_cast<int>(mix(seed + 14) % 3));
        break;
      case 2:
        EXPECT_EQ(add_late(300, seed), 300);
        break;
      default:
        break;
    }
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
  charm::Config config = config_of(GetParam());
  config.deadlock = "off";  // else a worker looks around after a second, and finds what it has missed
  const Running runtime(GetParam().workers, config);
  until(0.1, [&](std::uint64_t seed) {
    if (can_meet(0)) alone(seed);
    check(seed);
  });
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
  runner_.may_be_finalized();
  until(0.02, [&](std::uint64_t seed) {
    charm::Config config = config_of(GetParam());
    config.spin_us = static_cast<int>(mix(seed + 3) % 50);
    config.workers = GetParam().workers;
    charm::init(config);
    if (can_meet(0)) {
      const int worker = static_cast<int>(mix(seed + 4) % static_cast<unsigned>(GetParam().workers));
      if (mix(seed + 5) % 2 == 0)
        charm::call_async(worker, [] { meet(0, Before::at_once); }).get();
      else
        charm::all_do([&](int w) {
          if (w == worker) meet(0, Before::at_once);
        });
      if (can_meet(1) && mix(seed + 6) % 4 == 0) {
        const Before before = mix(seed + 15) % 2 == 0 ? Before::asleep : Before::forking;
        charm::call(worker, [before] { meet(1, before); });
      }
    }
    check(seed);
    std::atomic<std::uint64_t> started{0};
    std::atomic<std::uint64_t> ended{0};
    std::vector<std::thread> threads;
    for (std::uint64_t t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        try {
          for (std::uint64_t i = 0;; ++i) {
            const Node node{mix(seed + t) + i, t < 2 ? 20 : 1};  // short ones often come to the gate
            if (t % 2 == 0) {
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

/// Threads outside of tasks that wait for ever: they are listed beside tasks that come and go, and reported when all
/// others sleep.
TEST_P(RandomPrograms, BesideThreadsThatWaitForEver) {
  const Running runtime(GetParam().workers, config_of(GetParam()));
  charm::sched::Runtime& internals = charm::sched::Runtime::get();
  bool first = true;
  until(0.02, [&](std::uint64_t seed) {
    const int count = 1 + static_cast<int>(mix(seed + 16) % 4);
    const WaitersOutside waiters(count, seed);
    check(seed);
    while (charm::sched::list_outside_waits(internals).size() != static_cast<std::size_t>(count)) {
      std::this_thread::yield();  // the watchdog ends it
    }
    if (!std::exchange(first, false)) return;  // a runtime reports once, after a second
    const std::string said = charm::test::wait_until_stderr_has("may be waiting for a thread outside");
    EXPECT_NE(said.find(std::to_string(count) + (count == 1 ? " thread waits" : " threads wait")), std::string::npos)
        << said;
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

/// Other workers rest all the time: tasks that wait on them, jobs that are bound to them, teams of all of them, the
/// end.
TEST_P(RandomPrograms, WhileTheWidthChanges) {
  const int workers = GetParam().workers;
  charm::Config config = config_of(GetParam());
  config.width = "adaptive";
  long rested = 0;
  until(0.04, [&](std::uint64_t seed) {
    const Running runtime(workers, config);
    charm::sched::Steering& steering = *charm::sched::Runtime::get().steering;
    std::atomic<bool> over{false};
    std::thread restless([&] {
      std::mt19937_64 random(seed);
      std::vector<char> rests(static_cast<std::size_t>(workers), 0);
      while (!over) {
        for (std::size_t w = 1; w < rests.size(); ++w) {
          const char now = random() % 2 == 0 ? 1 : 0;
          rested += now > rests[w] ? 1 : 0;
          rests[w] = now;
        }
        steering.set_resting(0, rests);
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 3000));
      }
    });
    for (std::uint64_t i = 0; i < 5; ++i) {
      if (can_meet(0) && i % 2 == 0) alone(mix(seed + i));
      check(mix(seed + i));
      std::vector<std::atomic<int>> visits(static_cast<std::size_t>(workers));
      charm::all_do([&](int worker) {
        ++visits[static_cast<std::size_t>(worker)];
        charm::barrier();
      });
      for (auto& each : visits) EXPECT_EQ(each, 1);
      EXPECT_EQ(charm::call(static_cast<int>(seed % static_cast<unsigned>(workers)), [] { return charm::worker_id(); }),
                static_cast<int>(seed % static_cast<unsigned>(workers)));
    }
    over = true;
    restless.join();
  });
  RecordProperty("rests", std::to_string(rested));
}

charm::Config two_workers(const char* width) {
  charm::Config config = config_of({2, "", ""});
  config.width = width;
  config.deadlock = "off";
  return config;
}

/// A worker that has not begun yet is free, and so is one that has begun and looks for its first job.
TEST(TwoWorkers, HelpEachOtherFromTheFirstMomentOn) {
  Watchdog watchdog("two workers that have just begun");
  for (int round = 0; round < 1000; ++round) {
    const Running runtime(2, two_workers("full"));
    EXPECT_TRUE(come_back(round % 2));
    watchdog.progress();
  }
}

/// A bound task that asks whether a future is ready comes back, although the only other task runs until it does.
TEST(TwoWorkers, HelpATaskThatOnlyAsks) {
  Watchdog watchdog("two workers of which one asks");
  const Running runtime(2, two_workers("full"));
  for (int round = 0; round < 300; ++round) {
    wait_until_nobody_is_busy();
    charm::call(0, [] {
      std::atomic<bool> asked{false};
      charm::future<void> other = charm::async([&] {
        while (!asked) std::this_thread::yield();
      });
      EXPECT_FALSE(other.wait_for(0s));
      asked = true;
      while (!other.wait_for(0s)) {
      }
      other.get();
    });
    watchdog.progress();
  }
}

/// A worker whose rest begins or ends at this moment has its cpu all the time, and helps.
TEST(TwoWorkers, HelpEachOtherWhileOneGoesToRestAndBack) {
  Watchdog watchdog("two workers of which one goes to rest and back");
  const Running runtime(2, two_workers("adaptive"));
  charm::sched::Steering& steering = *charm::sched::Runtime::get().steering;
  std::atomic<bool> over{false};
  std::thread restless([&] {
    for (char rests = 1; !over; rests = static_cast<char>(1 - rests)) {
      steering.set_resting(0, std::vector<char>{0, rests});
      std::this_thread::yield();
    }
  });
  for (int round = 0; round < 2000; ++round) {
    wait_until_nobody_is_busy();
    EXPECT_TRUE(come_back(0));
    watchdog.progress();
  }
  over = true;
  restless.join();
}

/// Beside one worker that spawns small groups many others find work that is gone when they come. They may look for it a
/// few times whenever they are woken or have found some; beyond that one of them looks, a hundred times a second (one
/// sentry, src/sched/run/parking.cpp).
TEST(ManyWorkers, LookRarelyForWorkThatIsGoneWhenTheyCome) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  constexpr int rounds = 10;
#else
  constexpr int rounds = 60;
#endif
  constexpr int workers = 64;
  const std::string again = "CHARM_RANDOM_SEED=" + std::to_string(seed_wanted());
  Watchdog watchdog("run again with " + again);
  charm::Config config = config_of({workers, "pack:1 l3:8 core:8 pu:1", ""});
  config.deadlock = "off";
  const Running runtime(workers, config);
  const auto found = [](const charm::WorkerStats& s) {
    return static_cast<double>(s.wakes + s.steals_chiplet + s.steals_node + s.steals_far);
  };
  for (std::uint64_t round = 0; round < rounds && !testing::Test::HasFailure(); ++round) {
    const std::uint64_t seed = mix(seed_wanted() + round);
    const auto start = std::chrono::steady_clock::now();
    const charm::WorkerStats before = charm::stats().total();
    spawn_for(static_cast<int>(seed % workers), 2 + static_cast<int>(mix(seed) % 15), 30ms);
    const charm::WorkerStats now = charm::stats().total();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const auto looks = static_cast<double>(now.parks - before.parks);
    EXPECT_LE(looks, 12 * (found(now) - found(before)) + 4.0 * workers + 250 * seconds)
        << "in " << seconds << " s of round " << round << "; " << again;
    watchdog.progress();
  }
}

}  // namespace
}  // namespace random_programs
