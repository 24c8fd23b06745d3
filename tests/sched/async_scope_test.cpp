// The async scope: nothing outlives it, one error stops nobody, and it ends once.
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "sched/running.hpp"

namespace {

using namespace std::chrono_literals;

class AsyncScope : public testing::TestWithParam<int> {
 protected:
  Running runtime_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Workers, AsyncScope, testing::Values(1, 2, 4));

TEST_P(AsyncScope, WaitsForAllThatWasSpawned) {
  std::atomic<int> ran{0};
  charm::async_scope scope;
  auto coroutine = [&]() -> charm::task<int> {
    co_await charm::schedule();
    ++ran;
    co_return 5;
  };
  std::thread outside([&] {
    for (int i = 0; i < 50; ++i) EXPECT_TRUE(scope.spawn([&] { ++ran; }));
  });
  charm::run([&] {
    for (int i = 0; i < 50; ++i) {
      EXPECT_TRUE(scope.spawn([&] {
        charm::yield();
        ++ran;
      }));
      EXPECT_TRUE(scope.spawn(coroutine()));
    }
  });
  outside.join();
  scope.join();
  EXPECT_EQ(ran, 150);
  EXPECT_EQ(scope.size(), 0);
  EXPECT_FALSE(scope.spawn([&] { ++ran; }));
  EXPECT_FALSE(scope.spawn(coroutine()));
  scope.join();  // again
  EXPECT_EQ(ran, 150);
}

TEST_P(AsyncScope, TasksSpawnFurtherOnesWhileItIsJoined) {
  std::atomic<int> ran{0};
  charm::async_scope scope;
  std::function<void(int)> tree = [&](int depth) {
    ++ran;
    if (depth == 0) return;
    EXPECT_TRUE(scope.spawn([&, depth] { tree(depth - 1); }));
    EXPECT_TRUE(scope.spawn([&, depth] { tree(depth - 1); }));
  };
  scope.spawn([&] { tree(8); });
  scope.join();
  EXPECT_EQ(ran, (1 << 9) - 1);
}

TEST_P(AsyncScope, NothingOutlivesIt) {
  auto kept = std::make_shared<int>(0);
  for (int i = 0; i < 50; ++i) {
    {
      charm::async_scope scope;
      for (int t = 0; t < 4; ++t) scope.spawn([kept] { charm::yield(); });
      scope.spawn([](std::shared_ptr<int> held) -> charm::task<void> {
        co_await charm::schedule();
        EXPECT_GE(*held, 0);
      }(kept));
    }
    ASSERT_EQ(kept.use_count(), 1);
  }
}

TEST_P(AsyncScope, WaitsForTheEndOfWhatTasksHaveCaptured) {
  std::atomic<bool> gone{false};
  {
    charm::async_scope scope;
    const auto slow_end = [&gone](int* number) {
      for (int i = 0; i < 50; ++i) charm::yield();
      delete number;
      gone = true;
    };
    scope.spawn([held = std::shared_ptr<int>(new int(1), slow_end)] { EXPECT_EQ(*held, 1); });
    scope.join();
    EXPECT_TRUE(gone.exchange(false));
  }
  {
    charm::async_scope scope;
    auto coroutine = [](std::shared_ptr<int> held) -> charm::task<void> {
      co_await charm::schedule();
      EXPECT_EQ(*held, 2);
    };
    const auto slow_end = [&gone](int* number) {
      for (int i = 0; i < 50; ++i) charm::yield();
      delete number;
      gone = true;
    };
    scope.spawn(coroutine(std::shared_ptr<int>(new int(2), slow_end)));
    scope.join();
    EXPECT_TRUE(gone);
  }
}

/// The destructor of a scope waits, also where the group that its owner belongs to was cancelled, which ends waits.
TEST_P(AsyncScope, CancellationOfItsOwnerDoesNotCutItsWaitShort) {
  std::atomic<bool> ended{false};
  charm::run([&] {
    charm::task_group group;
    std::atomic<bool> began{false};
    group.run([&] {
      charm::async_scope scope;
      scope.spawn([&] {
        began = true;
        while (!charm::is_cancelled()) charm::yield();
        for (int i = 0; i < 50; ++i) charm::yield();
        ended = true;
      });
      while (!began) charm::yield();
      group.cancel();
    });
    group.wait();
    EXPECT_TRUE(ended);
  });
}

TEST_P(AsyncScope, AnErrorStopsNobodyAndJoinRethrowsIt) {
  charm::async_scope scope;
  std::atomic<int> ran{0};
  for (int i = 0; i < 20; ++i) {
    scope.spawn([&, i] {
      ++ran;
      if (i == 3) throw std::runtime_error("third");
    });
  }
  scope.spawn([](std::atomic<int>& count) -> charm::task<void> {
    ++count;
    co_return;
  }(ran));
  EXPECT_THROW(scope.join(), std::runtime_error);
  EXPECT_EQ(ran, 21);
  scope.join();  // it was told once
}

TEST_P(AsyncScope, CancelDropsWhatHasNotBegunAndTellsWhatRuns) {
  charm::async_scope scope;
  std::atomic<bool> began{false};
  std::atomic<bool> told{false};
  std::atomic<int> after{0};
  scope.spawn([&] {
    began = true;
    while (!charm::is_cancelled()) charm::yield();
    told = true;
  });
  while (!began) std::this_thread::yield();
  scope.cancel();
  scope.spawn([&] { ++after; });
  scope.spawn([](std::atomic<int>& count) -> charm::task<void> {
    ++count;
    co_return;
  }(after));
  scope.join();
  EXPECT_TRUE(told);
  EXPECT_EQ(after, 0);
  charm::async_scope closed;
  closed.close();
  EXPECT_FALSE(closed.spawn([&] { ++after; }));
}

TEST(AsyncScopeWithoutARuntime, SaysSoAndCanStillBeDestroyed) {
  charm::async_scope scope;
  EXPECT_THROW(scope.spawn([] {}), charm::Error);
  EXPECT_THROW(scope.spawn([]() -> charm::task<void> { co_return; }()), charm::Error);
  EXPECT_EQ(scope.size(), 0);
}

TEST(AsyncScopeWithoutARuntime, TasksThatFinalizeDropsAreOverForIt) {
  charm::channel<int> silent;
  charm::async_scope scope;
  {
    const Running runtime(2);
    scope.spawn([&] { silent.recv(); });
  }
  EXPECT_THROW(scope.join(), charm::Error);
}

}  // namespace
