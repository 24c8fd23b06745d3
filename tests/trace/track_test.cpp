// The bounded buffer of one worker.
#include "trace/track.hpp"

#include <thread>

#include <gtest/gtest.h>

using charm::os::TickClock;
using namespace charm::trace;

namespace {

TEST(Track, AFullBufferKeepsTheBeginningAndCountsTheRest) {
  TickClock clock;
  Track track(3, 10 * sizeof(Event), clock);
  for (int i = 0; i < 25; ++i) track.woke(i);
  EXPECT_EQ(track.size(), 10U);
  EXPECT_EQ(track.dropped(), 15U);
  for (std::size_t i = 0; i < track.size(); ++i) EXPECT_EQ(track.event(i).number, static_cast<int>(i));
}

TEST(Track, KnowsTheTaskThatRuns) {
  TickClock clock;
  Track track(0, 1 << 16, clock);
  Track other(1, 1 << 16, clock);
  int job = 0;
  int fiber = 0;
  EXPECT_EQ(track.task(), 0U);
  track.begin(&job, 0);
  const std::uint64_t task = track.task();
  EXPECT_NE(task, 0U);
  EXPECT_EQ(track.suspend(&fiber), task);
  EXPECT_EQ(track.task(), 0U);
  other.begin(&job, 0);
  EXPECT_NE(other.task(), task) << "tasks of different workers have different numbers";
  other.end();
  other.resume(task, &fiber, 0);
  EXPECT_EQ(other.task(), task);
}

TEST(Track, MayBeReadWhileItsOwnerWrites) {
  TickClock clock;
  Track track(0, 50000 * sizeof(Event), clock);
  std::thread owner([&] {
    for (int i = 0; i < 60000; ++i) track.woke(i);
  });
  std::size_t seen = 0;
  while (seen < 50000) {
    const std::size_t now = track.size();
    for (; seen < now; ++seen) ASSERT_EQ(track.event(seen).number, static_cast<int>(seen));
  }
  owner.join();
}

TEST(TickClock, TellsTimeAsTheSystemDoes) {
  TickClock clock;
  const auto began = std::chrono::steady_clock::now();
  const std::uint64_t first = clock.now();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const std::uint64_t last = clock.now();
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - began;
  const double told = static_cast<double>(last - first) * clock.ns_per_tick();
  EXPECT_LE(told, took.count() * 1.01);
  EXPECT_GE(told, 50e6 * 0.99);
}

}  // namespace
