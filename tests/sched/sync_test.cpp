// Mutex, condition variable, semaphore, latch and channel: they suspend the task, in tasks and in threads outside.
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "sched/running.hpp"

namespace {

using namespace std::chrono_literals;

class Sync : public testing::TestWithParam<int> {
 protected:
  Running runtime_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Workers, Sync, testing::Values(1, 2, 4));

/// `tasks` tasks and `threads` threads outside, each calling `body(number)`.
void everybody(int tasks, int threads, const std::function<void(int)>& body) {
  std::vector<std::thread> outside;
  for (int t = 0; t < threads; ++t) outside.emplace_back([&, t] { body(tasks + t); });
  charm::run([&] {
    charm::task_group group;
    for (int t = 0; t < tasks; ++t) group.run([&, t] { body(t); });
    group.wait();
  });
  for (auto& thread : outside) thread.join();
}

TEST_P(Sync, AMutexLetsOneIn) {
  charm::mutex mutex;
  int inside = 0;
  long sum = 0;
  everybody(20, 2, [&](int) {
    for (int i = 0; i < 200; ++i) {
      std::lock_guard lock(mutex);
      EXPECT_EQ(++inside, 1);
      if (i % 16 == 0) charm::yield();  // held over a suspension
      ++sum;
      --inside;
    }
  });
  EXPECT_EQ(sum, 22 * 200);
  EXPECT_EQ(mutex.holder(), 0U);
}

TEST_P(Sync, AWaiterIsNotPassedByForEver) {
  charm::mutex mutex;
  std::atomic<bool> got{false};
  charm::run([&] {
    mutex.lock();
    auto waiter = charm::async([&] {
      std::lock_guard lock(mutex);
      got = true;
    });
    // Takes it again at once, every time: only the hand-over lets the waiter in.
    while (!got) {
      mutex.unlock();
      mutex.lock();
      charm::yield();
    }
    mutex.unlock();
    waiter.get();
  });
}

TEST_P(Sync, TryLockAndTimedLockDoNotWaitForEver) {
  charm::mutex mutex;
  EXPECT_TRUE(mutex.try_lock());
  EXPECT_FALSE(mutex.try_lock());
  EXPECT_FALSE(mutex.try_lock_for(2ms));
  charm::run([&] {
    EXPECT_FALSE(mutex.try_lock_for(2ms));
    auto later = charm::async([&] { return mutex.try_lock_for(1h); });
    charm::sleep_for(1ms);
    mutex.unlock();
    EXPECT_TRUE(later.get());
    mutex.unlock();
    std::unique_lock lock(mutex, std::try_to_lock);
    EXPECT_TRUE(lock.owns_lock());
  });
}

TEST_P(Sync, TimedLocksUnderContentionKeepTheMutexWhole) {
  charm::mutex mutex;
  int inside = 0;
  std::atomic<int> got{0};
  everybody(16, 2, [&](int number) {
    for (int i = 0; i < 100; ++i) {
      if (!mutex.try_lock_for(std::chrono::microseconds((number * 7 + i) % 50))) continue;
      EXPECT_EQ(++inside, 1);
      if (i % 8 == 0) charm::yield();
      --inside;
      ++got;
      mutex.unlock();
    }
  });
  EXPECT_GT(got, 0);
  EXPECT_TRUE(mutex.try_lock());
  mutex.unlock();
}

TEST_P(Sync, TheLastUserMayDestroyAMutex) {
  for (int i = 0; i < 300; ++i) {
    struct Counted {
      charm::mutex mutex;
      int users = 2;
    };
    auto* shared = new Counted;
    auto use = [shared] {
      shared->mutex.lock();
      bool last = --shared->users == 0;
      shared->mutex.unlock();
      if (last) delete shared;
    };
    charm::run([&] { charm::invoke(use, use); });
  }
}

TEST_P(Sync, AConditionIsWaitedForWithoutABusyLoop) {
  charm::mutex mutex;
  charm::condition_variable changed;
  int turn = 0;
  constexpr int players = 6;
  everybody(4, 2, [&](int number) {
    for (int round = 0; round < 50; ++round) {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return turn % players == number; });
      ++turn;
      changed.notify_all();
    }
  });
  EXPECT_EQ(turn, players * 50);
}

TEST_P(Sync, NotifyOneWakesInTheOrderOfComing) {
  charm::run([&] {
    charm::mutex mutex;
    charm::condition_variable changed;
    std::vector<int> order;
    std::vector<charm::future<void>> waiters;
    int waiting = 0;
    for (int i = 0; i < 5; ++i) {
      waiters.push_back(charm::async([&, i] {
        std::unique_lock lock(mutex);
        ++waiting;
        changed.wait(lock);
        order.push_back(i);
      }));
      for (;;) {  // until it waits
        charm::yield();
        std::lock_guard lock(mutex);
        if (waiting == i + 1) break;
      }
    }
    for (int i = 0; i < 5; ++i) {
      changed.notify_one();
      waiters[static_cast<std::size_t>(i)].get();
    }
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
  });
}

TEST_P(Sync, AConditionMayTimeOut) {
  auto body = [] {
    charm::mutex mutex;
    charm::condition_variable never;
    std::unique_lock lock(mutex);
    EXPECT_EQ(never.wait_for(lock, 1ms), std::cv_status::timeout);
    EXPECT_TRUE(lock.owns_lock());
    EXPECT_FALSE(never.wait_for(lock, 1ms, [] { return false; }));
    EXPECT_TRUE(never.wait_until(lock, std::chrono::system_clock::now() + 1h, [] { return true; }));
    never.notify_all();
  };
  body();
  charm::run(body);
}

TEST_P(Sync, SemaphoresBoundHowManyAreInside) {
  charm::counting_semaphore<3> places(3);
  std::atomic<int> inside{0};
  everybody(20, 2, [&](int) {
    for (int i = 0; i < 50; ++i) {
      places.acquire();
      EXPECT_LE(++inside, 3);
      charm::yield();
      --inside;
      places.release();
    }
  });
  EXPECT_TRUE(places.try_acquire());
  EXPECT_TRUE(places.try_acquire_for(1ms));
  EXPECT_TRUE(places.try_acquire());
  EXPECT_FALSE(places.try_acquire());
  EXPECT_FALSE(places.try_acquire_for(1ms));
  places.release(3);
}

TEST_P(Sync, ALatchOpensOnce) {
  charm::latch latch(6);
  std::atomic<int> arrived{0};
  EXPECT_FALSE(latch.try_wait());
  EXPECT_FALSE(latch.wait_for(1ms));
  everybody(4, 2, [&](int) {
    ++arrived;
    latch.arrive_and_wait();
    EXPECT_EQ(arrived, 6);
  });
  EXPECT_TRUE(latch.try_wait());
  latch.wait();
}

class Channels : public testing::TestWithParam<std::tuple<int, std::size_t>> {
 protected:
  Running runtime_{std::get<0>(GetParam())};
  std::size_t capacity_ = std::get<1>(GetParam());
};
INSTANTIATE_TEST_SUITE_P(WorkersAndCapacity, Channels,
                         testing::Combine(testing::Values(1, 2, 4),
                                          testing::Values(0U, 1U, 7U, charm::channel<int>::unbounded)));

TEST_P(Channels, EverythingSentIsReceivedOnce) {
  charm::channel<int> channel(capacity_);
  constexpr int senders = 5;
  constexpr int each = 200;
  std::atomic<int> sending{senders};
  std::vector<std::atomic<int>> seen(senders * each);
  everybody(8, 2, [&](int number) {  // tasks 0 to 3 and thread 8 send
    if (number < 4 || number == 8) {
      int first = (number == 8 ? 4 : number) * each;
      for (int i = 0; i < each; ++i) EXPECT_TRUE(channel.send(first + i));
      if (--sending == 0) channel.close();
    } else {
      std::vector<int> last(senders, -1);
      while (auto value = channel.recv()) {
        ++seen[static_cast<std::size_t>(*value)];
        int sender = *value / each;
        EXPECT_GT(*value, last[static_cast<std::size_t>(sender)]);  // in the order of sending
        last[static_cast<std::size_t>(sender)] = *value;
      }
    }
  });
  for (auto& count : seen) EXPECT_EQ(count, 1);
  EXPECT_TRUE(channel.closed());
  EXPECT_FALSE(channel.send(1));
}

TEST_P(Channels, TimedAttemptsLoseNothing) {
  charm::channel<int> channel(capacity_);
  std::atomic<long> sent{0};
  std::atomic<long> received{0};
  std::atomic<int> sending{4};
  everybody(8, 1, [&](int number) {
    if (number < 4) {
      for (int i = 1; i <= 100; ++i) {
        int value = i;
        if (channel.try_send_for(value, std::chrono::microseconds(i % 40))) sent += i;
      }
      if (--sending == 0) channel.close();
    } else {
      while (!channel.closed() || channel.size() > 0) {
        if (auto value = channel.try_recv_for(50us)) received += *value;
      }
    }
  });
  EXPECT_EQ(sent, received);
}

TEST(Channel, TakesWhatCanOnlyBeMovedAndRefusesWhenFull) {
  charm::channel<std::unique_ptr<int>> channel(1);
  EXPECT_EQ(channel.capacity(), 1U);
  EXPECT_FALSE(channel.try_recv().has_value());
  EXPECT_TRUE(channel.send(std::make_unique<int>(3)));
  auto kept = std::make_unique<int>(4);
  EXPECT_FALSE(channel.try_send(kept));
  EXPECT_FALSE(channel.try_send_for(kept, 1ms));
  ASSERT_NE(kept, nullptr);  // refused, so still ours
  channel.close();
  channel.close();
  EXPECT_EQ(**channel.recv(), 3);
  EXPECT_FALSE(channel.recv().has_value());
  EXPECT_FALSE(channel.try_recv_for(1ms).has_value());
}

TEST(Channel, ClosingWakesEverybody) {
  Running runtime(2);
  charm::channel<int> full(0);
  charm::channel<int> empty;
  charm::run([&] {
    auto sender = charm::async([&] { return full.send(1); });
    auto receiver = charm::async([&] { return empty.recv().has_value(); });
    charm::sleep_for(1ms);
    full.close();
    empty.close();
    EXPECT_FALSE(sender.get());
    EXPECT_FALSE(receiver.get());
  });
}

}  // namespace
