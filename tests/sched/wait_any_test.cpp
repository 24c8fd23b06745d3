// wait_any() over futures, when_any() and when_all() over coroutines.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <new>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "sched/running.hpp"

namespace {

thread_local long allocations = 0;

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

using namespace std::chrono_literals;

class WaitAny : public testing::TestWithParam<int> {
 protected:
  Running runtime_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Workers, WaitAny, testing::Values(1, 2, 4));

TEST_P(WaitAny, TellsWhichFutureIsReady) {
  charm::latch first(1);
  charm::latch second(1);
  auto a = charm::async([&] { first.wait(); });
  auto b = charm::async([&] {
    second.wait();
    return std::string("b");
  });
  EXPECT_EQ(charm::wait_any_for(1ms, a, b), std::nullopt);
  second.count_down();
  EXPECT_EQ(charm::wait_any(a, b), 1U);  // in a thread outside
  EXPECT_EQ(b.get(), "b");
  charm::run([&] {
    auto c = charm::async([&] { first.wait(); });
    auto opens = charm::async([&] { first.count_down(); });
    EXPECT_LT(charm::wait_any(a, c), 2U);
    a.get();
    c.get();
    opens.get();
    EXPECT_THROW(charm::wait_any(a, c), charm::Error);
    std::vector<charm::future<int>> none;
    EXPECT_THROW(charm::wait_any(none), charm::Error);
  });
}

TEST_P(WaitAny, TakesResultsInTheOrderInWhichTheyCome) {
  auto all = [&] {
    std::vector<charm::future<int>> futures;
    for (int i = 0; i < 50; ++i) {
      futures.push_back(charm::async([i] {
        for (int y = 0; y < (i * 7) % 11; ++y) charm::yield();
        return i;
      }));
    }
    std::set<int> seen;
    while (!futures.empty()) {
      const std::size_t at = charm::wait_any(futures);
      ASSERT_TRUE(futures[at].ready());
      seen.insert(futures[at].get());
      futures.erase(futures.begin() + static_cast<std::ptrdiff_t>(at));
    }
    EXPECT_EQ(seen.size(), 50U);
  };
  std::thread outside(all);
  charm::run(all);
  outside.join();
}

TEST_P(WaitAny, ATimeLimitLeavesTheFuturesAsTheyWere) {
  charm::run([&] {
    charm::channel<int> gate;
    std::vector<charm::future<int>> futures;
    for (int i = 0; i < 4; ++i) futures.push_back(charm::async([&] { return gate.recv().value(); }));
    for (int i = 0; i < 20; ++i) {
      if (charm::wait_any_for(50us, std::span(futures))) ADD_FAILURE();
    }
    for (int i = 0; i < 4; ++i) gate.send(i);
    int sum = 0;
    for (auto& future : futures) sum += future.get();
    EXPECT_EQ(sum, 6);
  });
}

/// It may run after the test, until finalize().
charm::task<int> number_when(std::shared_ptr<charm::latch> open, int number) {
  co_await charm::schedule();
  open->wait();
  co_return number;
}
charm::task<std::string> throws() {
  co_await charm::schedule();
  throw std::runtime_error("first");
}
charm::task<void> ends(std::shared_ptr<int> kept) {
  co_await charm::schedule();
  *kept += 1;
}

TEST_P(WaitAny, WhenAnyGoesOnWithTheFirstToEnd) {
  const auto never = std::make_shared<charm::latch>(1);
  const auto open = std::make_shared<charm::latch>(0);
  auto pick = [&]() -> charm::task<std::string> {
    auto kept = std::make_shared<int>(0);
    auto one = co_await charm::when_any(number_when(never, 1), ends(kept));
    EXPECT_EQ(one.index(), 1U);
    EXPECT_EQ(*kept, 1);
    std::vector<charm::task<int>> several;
    for (int i = 0; i < 5; ++i) several.push_back(number_when(i == 3 ? open : never, 10 * i));
    const auto [index, value] = co_await charm::when_any(std::move(several));
    EXPECT_EQ(index, 3U);
    EXPECT_EQ(value, 30);
    try {
      co_await charm::when_any(throws(), number_when(never, 2));
      ADD_FAILURE();
    } catch (const std::runtime_error& error) {
      co_return error.what();
    }
    co_return "";
  };
  EXPECT_EQ(charm::sync_wait(pick()), "first");
  never->count_down();
  auto wrong = []() -> charm::task<int> {
    co_return (co_await charm::when_any(std::vector<charm::task<int>>())).value;
  };
  EXPECT_THROW(charm::sync_wait(wrong()), charm::Error);
}

TEST_P(WaitAny, WhenAnyInALoopLosesNoWaiter) {
  auto loop = []() -> charm::task<int> {
    int won = 0;
    auto runner = [](int yields) -> charm::task<int> {
      co_await charm::schedule();
      for (int i = 0; i < yields; ++i) charm::yield();
      co_return 1;
    };
    for (int i = 0; i < 300; ++i) {
      auto result = co_await charm::when_any(runner(i % 3), runner(i % 2), runner((i + 1) % 4));
      won += std::visit([](int one) { return one; }, result);
    }
    co_return won;
  };
  EXPECT_EQ(charm::sync_wait(loop()), 300);
}

/// In a thread outside every frame comes from operator new.
TEST_P(WaitAny, WhenAllAllocatesNothingForAChild) {
  auto number = [](int i) -> charm::task<int> { co_return i; };
  auto allocated = [&](int children) {
    std::vector<charm::task<int>> tasks;
    for (int i = 0; i < children; ++i) tasks.push_back(number(i));
    const long before = allocations;
    const std::vector<int> numbers = charm::sync_wait(charm::when_all(std::move(tasks)));
    EXPECT_EQ(numbers.size(), static_cast<std::size_t>(children));
    return allocations - before;
  };
  // The few that there are belong to the wait and to the thread's first one: one for a child would be 2,000.
  EXPECT_LT(allocated(2000), 100);
}

}  // namespace
