// What cancelling the waits of a group leaves of the objects that were waited in, and of the tasks.
#include <charm/charm.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "random_programs/watchdog.hpp"
#include "sched/running.hpp"

namespace {

using namespace std::chrono_literals;

/// What is sent while receivers and senders are cancelled is received, or still there, or was not sent.
TEST(CancelledWaits, LoseNoValue) {
  random_programs::Watchdog watchdog("values");
  Running runtime(4);
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    charm::channel<int> channel(static_cast<std::size_t>(round % 3));
    std::atomic<long> sent{0};
    std::atomic<long> received{0};
    charm::run([&] {
      charm::task_group receivers;
      charm::task_group senders;
      for (int i = 0; i < 4; ++i) {
        receivers.run([&] {
          while (auto value = channel.recv()) received += *value;
        });
        senders.run([&, i] {
          for (int k = 1;; ++k) {
            if (!channel.send(k * 4 + i)) return;
            sent += k * 4 + i;
          }
        });
      }
      const unsigned yields = random() % 16;
      for (unsigned i = 0; i < yields; ++i) charm::yield();
      charm::task_group& first = round % 2 == 0 ? receivers : senders;
      charm::task_group& second = round % 2 == 0 ? senders : receivers;
      first.cancel();
      first.wait();
      second.cancel();
      second.wait();
      while (auto left = channel.try_recv()) received += *left;
    });
    ASSERT_EQ(sent, received) << "in round " << round;
    watchdog.progress();
  }
}

/// Tickets are neither lost nor doubled.
TEST(CancelledWaits, LoseNoTicketOfASemaphore) {
  random_programs::Watchdog watchdog("tickets");
  Running runtime(4);
  for (int round = 0; round < 300; ++round) {
    charm::counting_semaphore<> semaphore(2);
    charm::run([&] {
      charm::task_group group;
      for (int i = 0; i < 6; ++i) {
        group.run([&] {
          for (;;) {
            semaphore.acquire();
            struct Release {
              charm::counting_semaphore<>& semaphore;
              ~Release() { semaphore.release(); }
            } release{semaphore};
            charm::yield();
            if (charm::is_cancelled()) return;
          }
        });
      }
      for (int i = 0; i < round % 16; ++i) charm::yield();
      group.cancel();
      group.wait();
    });
    ASSERT_TRUE(semaphore.try_acquire());
    ASSERT_TRUE(semaphore.try_acquire());
    ASSERT_FALSE(semaphore.try_acquire());
    watchdog.progress();
  }
}

/// While an exception leaves a task the waits of its destructors are whole.
TEST(CancelledWaits, AreWholeInDestructorsThatTheErrorCalls) {
  random_programs::Watchdog watchdog("destructors");
  Running runtime(2);
  charm::run([] {
    charm::latch never(1);
    charm::latch soon(1);
    bool was_whole = false;
    std::atomic<bool> begun{false};
    charm::future<void> opener;
    charm::task_group group;
    group.run([&] {
      struct Waits {
        charm::latch& latch;
        bool& was_whole;
        ~Waits() {
          latch.wait();
          was_whole = true;
        }
      } waits{soon, was_whole};
      begun = true;
      never.wait();
    });
    while (!begun) charm::yield();
    group.cancel();
    opener = charm::async([&] { soon.count_down(); });
    group.wait();
    opener.get();
    EXPECT_TRUE(was_whole);
  });
}

/// A mutex is waited for to the end: its holder gives it back.
TEST(CancelledWaits, AreNotThoseForAMutex) {
  random_programs::Watchdog watchdog("mutex");
  Running runtime(2);
  charm::run([] {
    charm::mutex mutex;
    std::atomic<int> got{0};
    std::atomic<int> begun{0};
    mutex.lock();
    charm::task_group group;
    for (int i = 0; i < 2; ++i) {
      group.run([&] {
        ++begun;
        const std::lock_guard lock(mutex);
        ++got;
      });
    }
    while (begun != 2) charm::yield();
    group.cancel();
    for (int i = 0; i < 20; ++i) charm::yield();
    EXPECT_EQ(got, 0);
    mutex.unlock();
    group.wait();
    EXPECT_EQ(got, 2);
  });
}

TEST(CancelledWaits, OfTasksThatFinalizeHasDroppedAreNotTouchedAnyMore) {
  std::stop_source source;
  charm::channel<int> channel;
  charm::task_group group;
  {
    Running runtime(2);
    std::atomic<int> begun{0};
    charm::run_detached([&] {
      ++begun;
      channel.recv(source.get_token());
    });
    group.run([&] {
      ++begun;
      channel.recv();
    });
    while (begun != 2) std::this_thread::yield();
  }
  source.request_stop();
  group.cancel();
  EXPECT_THROW(group.wait(), charm::Error);
  EXPECT_TRUE(channel.send(1));
}

/// Each level of a deep nest asks once after something was cancelled elsewhere, and once after it was cancelled itself:
/// were the outer scopes walked each time, this would take hours.
TEST(CancelledWaits, ADeepNestIsWalkedOnce) {
  constexpr std::size_t depth = 1000000;
  std::vector<std::unique_ptr<charm::detail::CancelScope>> nest;
  for (std::size_t i = 0; i < depth; ++i)
    nest.push_back(std::make_unique<charm::detail::CancelScope>(i == 0 ? nullptr : nest.back().get()));
  charm::detail::CancelScope elsewhere(nullptr);
  elsewhere.cancel();
  for (std::size_t i = depth; i-- > 0;) ASSERT_FALSE(nest[i]->cancelled());
  elsewhere.cancel();
  for (auto& scope : nest) ASSERT_FALSE(scope->cancelled_before_wait());
  nest.front()->cancel();
  for (std::size_t i = depth; i-- > 0;) ASSERT_TRUE(nest[i]->cancelled());
}

}  // namespace
