// The shared mutex and the barrier object: who may be inside together, who waits for whom, and that nobody starves.
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "sched/running.hpp"

namespace {

using namespace std::chrono_literals;

class SharedMutex : public testing::TestWithParam<int> {
 protected:
  Running runtime_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Workers, SharedMutex, testing::Values(1, 2, 4));

bool somebody_waits_for(const char* what, std::size_t many = 1) {
  std::size_t found = 0;
  for (const charm::TaskInfo& task : charm::tasks()) found += task.waits_for == what ? 1 : 0;
  return found >= many;
}
void until_waiting(const char* what, std::size_t many = 1) {
  while (!somebody_waits_for(what, many)) charm::yield();
}

TEST_P(SharedMutex, LetsManyReadersOrOneWriterIn) {
  charm::shared_mutex mutex;
  int readers = 0;
  std::atomic<int> reading{0};
  std::atomic<int> most{0};
  int value = 0;
  auto body = [&](int who) {
    for (int i = 0; i < 200; ++i) {
      if ((i + who) % 4 == 0) {
        std::unique_lock lock(mutex);
        EXPECT_EQ(reading, 0);
        EXPECT_EQ(++readers, 1);
        ++value;
        if (i % 8 == 0) charm::yield();
        --readers;
      } else {
        std::shared_lock lock(mutex);
        EXPECT_EQ(readers, 0);
        const int now = ++reading;
        if (now > most) most = now;
        const int seen = value;
        if (i % 5 == 0) charm::yield();
        EXPECT_EQ(value, seen);
        --reading;
      }
    }
  };
  std::thread outside(body, 100);
  charm::run([&] {
    charm::task_group group;
    for (int t = 0; t < 20; ++t) group.run([&, t] { body(t); });
    group.wait();
  });
  outside.join();
  EXPECT_EQ(value, 21 * 50);
  EXPECT_GT(most, 1);
}

TEST_P(SharedMutex, AWriterIsNotStarvedByReadersThatKeepComing) {
  charm::shared_mutex mutex;
  std::atomic<bool> written{false};
  charm::run([&] {
    mutex.lock_shared();
    auto writer = charm::async([&] {
      std::lock_guard lock(mutex);
      written = true;
    });
    until_waiting("shared mutex");
    EXPECT_FALSE(mutex.try_lock_shared());  // behind the writer
    auto reader = charm::async([&] {
      std::shared_lock lock(mutex);
      EXPECT_TRUE(written);
    });
    until_waiting("shared mutex", 2);
    mutex.unlock_shared();
    writer.get();
    reader.get();
    EXPECT_TRUE(mutex.try_lock());
    EXPECT_FALSE(mutex.try_lock());
    EXPECT_FALSE(mutex.try_lock_shared());
    mutex.unlock();
  });
}

TEST_P(SharedMutex, AWriterThatGivesUpLetsTheReadersBehindItIn) {
  charm::shared_mutex mutex;
  charm::run([&] {
    mutex.lock_shared();
    auto writer = charm::async([&] { return mutex.try_lock_for(20ms); });
    // On a busy machine its time may be over before anybody has seen it wait.
    while (!writer.ready() && !somebody_waits_for("shared mutex")) charm::yield();
    auto reader = charm::async([&] { mutex.lock_shared(); });  // for ever where the writer's leaving is not seen
    EXPECT_FALSE(writer.get());
    reader.get();
    EXPECT_FALSE(mutex.try_lock_until(std::chrono::steady_clock::now() + 1ms));
    mutex.unlock_shared();
    mutex.unlock_shared();
    EXPECT_TRUE(mutex.try_lock_for(1h));
    EXPECT_FALSE(mutex.try_lock_shared_for(1ms));
    mutex.unlock();
    EXPECT_TRUE(mutex.try_lock_shared_for(1h));
    mutex.unlock_shared();
  });
}

class Barrier : public SharedMutex {};
INSTANTIATE_TEST_SUITE_P(Workers, Barrier, testing::Values(1, 3));

TEST_P(Barrier, NobodyPassesBeforeAllHaveCome) {
  constexpr int parties = 6;
  constexpr int phases = 100;
  std::atomic<int> arrived{0};
  int completions = 0;
  charm::task_barrier barrier(parties, [&]() noexcept {
    ++completions;
    EXPECT_EQ(arrived, parties * completions);
  });
  auto party = [&] {
    for (int phase = 1; phase <= phases; ++phase) {
      ++arrived;
      barrier.arrive_and_wait();
      EXPECT_GE(arrived, parties * phase);
    }
  };
  std::thread outside(party);
  charm::run([&] {
    charm::task_group group;
    for (int p = 1; p < parties; ++p) group.run(party);
    group.wait();
  });
  outside.join();
  EXPECT_EQ(completions, phases);
}

TEST_P(Barrier, ArrivingAndWaitingAreSeparate) {
  charm::task_barrier<> barrier(3);
  charm::run([&] {
    auto token = barrier.arrive(2);
    EXPECT_FALSE(barrier.wait_for(token, 1ms));
    auto other = charm::async([&] { barrier.arrive_and_wait(); });
    barrier.wait(token);
    other.get();
    barrier.wait(token);  // of a phase that is over
    // Who drops out counts in this phase and in none after it.
    auto dropping = charm::async([&] { barrier.arrive_and_drop(); });
    barrier.wait(barrier.arrive(2));
    dropping.get();
    auto last = charm::async([&] { barrier.arrive_and_wait(); });
    barrier.arrive_and_wait();
    last.get();
  });
}

TEST_P(Barrier, MayBeDestroyedByWhoeverPassesIt) {
  charm::run([&] {
    for (int i = 0; i < 200; ++i) {
      auto barrier = std::make_unique<charm::task_barrier<>>(2);
      auto other = charm::async([&raw = *barrier] { raw.arrive_and_wait(); });
      barrier->arrive_and_wait();
      other.get();
      barrier.reset();
    }
  });
}

}  // namespace
