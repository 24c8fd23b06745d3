// Blocking code that waits for something of the runtime when the runtime ends: where nothing can end the wait any more
// its task is dropped like any other that waits; where something still can, it goes on.
#include <atomic>
#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_code.hpp"
#include "sched/ending.hpp"

namespace {

using namespace std::chrono_literals;
using charm::test::code_of;
using charm::test::of_workers;

/// Starts tasks whose blocking code is given to it, and waits until all are inside of it.
class Inside {
 public:
  template <class F>
  charm::future<void> start(F function) {
    return charm::async([this, function] {
      charm::blocking([&] {
        ++inside_;
        function();
      });
    });
  }
  void until(int count) const {
    while (inside_ < count) std::this_thread::sleep_for(100us);
    std::this_thread::sleep_for(2ms);  // most often they wait by now
  }

 private:
  std::atomic<int> inside_{0};
};

TEST(DroppedBlockingCode, IsTakenOffWhatItWaitedFor) {
  for (int workers : {1, 2}) {
    charm::channel<int> empty;
    charm::channel<int> full(1);
    charm::channel<int> one;
    charm::channel<int> other;
    charm::mutex mutex;
    charm::mutex of_condition;
    charm::condition_variable condition;
    charm::counting_semaphore<> semaphore(0);
    charm::latch latch(1);
    std::stop_source stop;
    EXPECT_TRUE(full.send(1));
    mutex.lock();
    charm::init(of_workers(workers));
    Inside inside;
    std::vector<charm::future<void>> futures;
    for (int i = 0; i < 2; ++i) {
      futures.push_back(inside.start([&] { empty.recv(); }));
      futures.push_back(inside.start([&] { full.send(2); }));
      futures.push_back(inside.start([&] { mutex.lock(); }));
      futures.push_back(inside.start([&] {
        of_condition.lock();
        condition.wait(of_condition);
      }));
      futures.push_back(inside.start([&] { semaphore.acquire(); }));
      futures.push_back(inside.start([&] { latch.wait(); }));
      futures.push_back(inside.start([&] { latch.wait(stop.get_token()); }));
      futures.push_back(inside.start(
          [&] { charm::select(charm::recv_from(one, [](auto) {}), charm::recv_from(other, [](auto) {})); }));
    }
    inside.until(16);
    charm::finalize();
    for (auto& future : futures) EXPECT_EQ(code_of([&] { future.get(); }), charm::Errc::not_running);
    stop.request_stop();  // nobody listens any more
    EXPECT_TRUE(empty.send(4));
    EXPECT_EQ(empty.size(), 1U);
    EXPECT_EQ(full.try_recv(), 1);
    EXPECT_EQ(full.try_recv(), std::nullopt);
    EXPECT_TRUE(one.send(1));
    EXPECT_EQ(one.size(), 1U);
    mutex.unlock();
    EXPECT_TRUE(mutex.try_lock());
    mutex.unlock();
    condition.notify_all();
    EXPECT_TRUE(of_condition.try_lock());
    of_condition.unlock();
    semaphore.release(1);
    EXPECT_TRUE(semaphore.try_acquire());
    latch.count_down();
    EXPECT_TRUE(latch.try_wait());
  }
}

TEST(DroppedBlockingCode, TellsThoseWhoWaitForItAndIsCounted) {
  charm::channel<int> channel;
  charm::init(of_workers(2));
  Inside inside;
  charm::future<void> chain = charm::async([&] { inside.start([&] { channel.recv(); }).get(); });
  // A task in the workers for which blocking code waits, and that waits for other blocking code.
  charm::future<void> nest = inside.start([&] { charm::run([&] { inside.start([&] { channel.recv(); }).get(); }); });
  std::optional<charm::Errc> ran;
  std::thread runs([&] { ran = code_of([&] { charm::run([&] { charm::blocking([&] { channel.recv(); }); }); }); });
  inside.until(3);
  charm::finalize();
  runs.join();
  EXPECT_EQ(ran.value_or(charm::Errc::not_running), charm::Errc::not_running);
  EXPECT_EQ(code_of([&] { chain.get(); }), charm::Errc::not_running);
  EXPECT_EQ(code_of([&] { nest.get(); }), charm::Errc::not_running);
  EXPECT_TRUE(channel.send(1));
}

/// Code that only the kernel holds up wakes code that waits, which wakes a task, which starts more.
TEST(DroppedBlockingCode, IsNoneThatSomethingStillWakes) {
  for (int round = 0; round < 12; ++round) {
    charm::channel<int> first;
    charm::channel<int> second;
    charm::channel<int> third;
    std::atomic<int> ended{0};
    charm::init(of_workers(2));
    charm::run_detached([&] {
      charm::blocking([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(round % 4));
        first.send(1);
      });
      ++ended;
    });
    charm::run_detached([&] {
      charm::blocking([&] {
        if (first.recv()) second.send(1);
      });
      ++ended;
    });
    charm::run_detached([&] {
      if (second.recv()) charm::run_detached([&] { third.send(1); });
      ++ended;
    });
    charm::run_detached([&] {
      charm::blocking([&] {
        if (third.recv() && charm::async([] { return 1; }).get() == 1) ++ended;
      });
    });
    charm::finalize();
    EXPECT_EQ(ended, 4);
  }
}

TEST(DroppedBlockingCode, WithATimeLimitIsWaitedFor) {
  charm::channel<int> channel;
  std::atomic<int> ended{0};
  charm::init(of_workers(1));
  charm::run_detached([&] {
    charm::blocking([&] { EXPECT_FALSE(channel.try_recv_for(20ms)); });
    ++ended;
  });
  charm::finalize();
  EXPECT_EQ(ended, 1);
}

TEST(DroppedBlockingCode, OfAnArenaEndsWithFinalizeToo) {
  charm::channel<int> channel;
  charm::init(of_workers(2));
  {
    std::atomic<bool> inside{false};
    charm::arena arena({.workers = 1});
    std::thread sender([&] {
      while (!inside) std::this_thread::sleep_for(100us);
      EXPECT_TRUE(channel.send(1));
    });
    arena.run_detached([&] {
      charm::blocking([&] {
        inside = true;
        EXPECT_EQ(channel.recv(), 1);  // an arena that is ended alone waits for those who may still wake its tasks
      });
    });
    sender.join();
  }
  Inside inside;
  auto arena = std::make_unique<charm::arena>(charm::ArenaOptions{.workers = 1});
  charm::future<void> within = arena->async([&] { inside.start([&] { channel.recv(); }).get(); });
  inside.until(1);
  charm::finalize();
  EXPECT_EQ(code_of([&] { within.get(); }), charm::Errc::not_running);
}

/// A sender outside and the end of the runtime meet at every point of the wait.
TEST(DroppedBlockingCode, MeetsThoseWhoWakeIt) {
  for (int round = 0; round < 20; ++round) {
    charm::channel<int> channel;
    charm::channel<int> never;
    charm::init(of_workers(2));
    std::atomic<int> received{0};
    constexpr int tasks = 8;
    Inside inside;
    std::vector<charm::future<void>> futures;
    for (int i = 0; i < tasks; ++i) {
      futures.push_back(inside.start([&] {
        if (channel.recv()) ++received;
        never.recv();  // perhaps when no worker is left
      }));
    }
    inside.until(tasks / 2);
    std::thread sender([&] {
      for (int i = 0; i < tasks; ++i) {
        EXPECT_TRUE(channel.send(i));
        if (i % 4 == 0) std::this_thread::yield();
      }
    });
    if (round % 2 == 0) std::this_thread::yield();
    charm::finalize();
    sender.join();
    for (auto& future : futures) EXPECT_EQ(code_of([&] { future.get(); }), charm::Errc::not_running);
    EXPECT_LE(received, tasks);
  }
}

}  // namespace
