// Many idle workers (the rules are in src/sched/run/parking.cpp): how often all of them together look for work is
// bounded, and yet work that one hides behind a long function is found. The bound is a count for each second that has
// really passed; a slow machine makes it only easier to keep.
#include <charm/charm.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include <gtest/gtest.h>

#include "random_programs/watchdog.hpp"
#include "sched/running.hpp"

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr int workers = 64;

charm::Config many_chiplets() {
  charm::Config config;
  config.topology = "pack:1 l3:8 core:8 pu:1";
  config.deadlock = "off";
  return config;
}

/// Each has a few looks when it becomes idle, and then sleeps until it is woken.
TEST(IdleWorkers, WithoutWorkLookRarely) {
  Running runtime(workers, many_chiplets());
  charm::run([] {});
  const std::uint64_t before = charm::stats().total().parks;
  const auto start = Clock::now();
  std::this_thread::sleep_for(400ms);
  const auto looks = static_cast<double>(charm::stats().total().parks - before);
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  EXPECT_LE(looks, 6.0 * workers + 250 * seconds) << "in " << seconds << " s";
}

/// Whatever they did before: with all but one asleep a job behind a long function is found, from every chiplet.
TEST(IdleWorkers, FindAJobBehindALongFunction) {
  random_programs::Watchdog watchdog("idle workers");
  Running runtime(workers, many_chiplets());
  for (int worker = 1; worker < workers; worker += 9) {
    if (worker % 2 == 0) std::this_thread::sleep_for(30ms);  // until all sleep without a limit
    charm::call(worker, [&] {
      std::atomic<bool> taken{false};
      charm::invoke(
          [&] {
            while (!taken) std::this_thread::yield();
          },
          [&] { taken = true; });
    });
    watchdog.progress();
  }
}

}  // namespace
