// Coroutines: tasks are lazy, move between workers, bring back values, references and exceptions, and leave no frame.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "algorithms/runtimes.hpp"

namespace {

using namespace std::chrono_literals;

using charm::task;

using Coroutines = OnShapes;
INSTANTIATE_TEST_SUITE_P(Shapes, Coroutines, shapes());

task<int> answer() { co_return 42; }

task<int> on_the_runtime() {
  co_await charm::schedule();
  EXPECT_GE(charm::worker_id(), 0);
  co_return charm::worker_id();
}

task<long> fib(int n) {
  if (n < 2) co_return n;
  auto [a, b] = co_await charm::when_all(fib(n - 1), fib(n - 2));
  co_return a + b;
}

TEST_P(Coroutines, ScheduleMovesThemToTheRuntime) {
  EXPECT_EQ(charm::worker_id(), -1);
  EXPECT_LT(charm::sync_wait(on_the_runtime()), charm::num_workers());
  charm::run([] { EXPECT_GE(charm::sync_wait(on_the_runtime()), 0); });
  std::thread([] { EXPECT_GE(charm::sync_wait(on_the_runtime()), 0); }).join();
}

TEST_P(Coroutines, ScheduleGoesWhereItIsSent) {
  const std::vector<charm::WorkerCore> worker_cores = charm::worker_cores();
  auto tour = [&]() -> task<> {
    for (int w = 0; w < charm::num_workers(); ++w) {
      const charm::WorkerCore worker_core = worker_cores[static_cast<std::size_t>(w)];
      co_await charm::schedule(charm::on_worker{w});
      EXPECT_EQ(charm::worker_id(), w);
      if (worker_core.chiplet >= 0) {
        co_await charm::schedule(charm::on_chiplet{worker_core.chiplet});
        EXPECT_EQ(worker_cores[static_cast<std::size_t>(charm::worker_id())].chiplet, worker_core.chiplet);
      }
      if (worker_core.node >= 0) {
        co_await charm::schedule(charm::on_node{worker_core.node});
        EXPECT_EQ(worker_cores[static_cast<std::size_t>(charm::worker_id())].node, worker_core.node);
      }
    }
    EXPECT_THROW(co_await charm::schedule(charm::on_worker{9999}), charm::Error);
    EXPECT_THROW(co_await charm::schedule(charm::on_chiplet{9999}), charm::Error);
  };
  charm::sync_wait(tour());
}

TEST_P(Coroutines, WhenAllForks) {
  EXPECT_EQ(charm::sync_wait(fib(15)), 610);
  charm::run([] { EXPECT_EQ(charm::sync_wait(fib(12)), 144); });
}

TEST_P(Coroutines, WhenAllTakesAnyNumber) {
  auto squares = [](int count) -> task<int> {
    std::vector<task<int>> tasks;
    for (int i = 0; i < count; ++i) {
      tasks.push_back([](int x) -> task<int> {
        co_await charm::schedule();
        co_return x* x;
      }(i));
    }
    std::vector<int> values = co_await charm::when_all(std::move(tasks));
    co_return std::accumulate(values.begin(), values.end(), 0);
  };
  EXPECT_EQ(charm::sync_wait(squares(0)), 0);
  EXPECT_EQ(charm::sync_wait(squares(1)), 0);
  EXPECT_EQ(charm::sync_wait(squares(200)), 199 * 200 * 399 / 6);
}

TEST_P(Coroutines, WhenAllMixesTypes) {
  auto nothing = [](std::atomic<int>& ran) -> task<> {
    ++ran;
    co_return;
  };
  auto text = []() -> task<std::unique_ptr<std::string>> { co_return std::make_unique<std::string>("moved"); };
  auto all = [&]() -> task<> {
    std::atomic<int> ran{0};
    auto [a, b, c] = co_await charm::when_all(nothing(ran), answer(), text());
    EXPECT_EQ(ran, 1);
    EXPECT_EQ(b, 42);
    EXPECT_EQ(*c, "moved");
    static_assert(std::is_same_v<decltype(a), std::monostate>);
  };
  charm::sync_wait(all());
}

TEST_P(Coroutines, ExceptionsReachTheAwaiter) {
  auto thrower = [](int what) -> task<int> {
    co_await charm::schedule();
    if (what > 0) throw what;
    co_return 0;
  };
  auto catcher = [&]() -> task<> {
    try {
      co_await thrower(5);
      ADD_FAILURE();
    } catch (int what) {
      EXPECT_EQ(what, 5);
    }
    try {
      co_await charm::when_all(thrower(0), thrower(7), thrower(8));
      ADD_FAILURE();
    } catch (int what) {
      EXPECT_EQ(what, 7) << "the first in the order of the arguments";
    }
  };
  charm::sync_wait(catcher());
  EXPECT_THROW(charm::sync_wait(thrower(1)), int);
}

TEST_P(Coroutines, ReferencesAndMoveOnlyValuesComeBack) {
  int here = 3;
  auto reference = [](int& x) -> task<int&> { co_return x; };
  auto user = [&]() -> task<int*> { co_return &co_await reference(here); };
  EXPECT_EQ(charm::sync_wait(user()), &here);
  EXPECT_EQ(&charm::sync_wait(reference(here)), &here);
  auto pointer = []() -> task<std::unique_ptr<int>> { co_return std::make_unique<int>(6); };
  EXPECT_EQ(*charm::sync_wait(pointer()), 6);
}

struct Counted {
  static inline std::atomic<int> alive{0};
  Counted() { ++alive; }
  Counted(const Counted&) { ++alive; }
  Counted(Counted&&) noexcept { ++alive; }
  ~Counted() { --alive; }
};

TEST_P(Coroutines, AreLazyAndLeaveNothingBehindWhenNeverAwaited) {
  bool ran = false;
  {
    auto lazy = [](bool& flag, Counted) -> task<Counted> {
      flag = true;
      co_return Counted();
    };
    task<Counted> never = lazy(ran, Counted());
    EXPECT_TRUE(never.valid());
    EXPECT_EQ(Counted::alive, 1);
    task<Counted> other = std::move(never);
    EXPECT_FALSE(never.valid());  // NOLINT: that is what is tested
    EXPECT_EQ(Counted::alive, 1);
    other = lazy(ran, Counted());
    EXPECT_EQ(Counted::alive, 1);
    charm::sync_wait(std::move(other));
    EXPECT_TRUE(ran);
  }
  EXPECT_EQ(Counted::alive, 0);
  auto moved_from = []() -> task<> { co_await task<>(); };
  EXPECT_THROW(charm::sync_wait(moved_from()), charm::Error);
}

TEST_P(Coroutines, AwaitFutures) {
  auto waiter = []() -> task<int> {
    int sum = 0;
    for (int i = 0; i < 50; ++i) {
      sum += co_await charm::async([i] {
        if (i % 2 == 0) charm::yield();
        return i;
      });
    }
    try {
      co_await charm::async([]() -> int { throw std::runtime_error("task"); });
      ADD_FAILURE();
    } catch (const std::runtime_error&) {
      ++sum;
    }
    EXPECT_THROW(co_await charm::future<int>(), charm::Error);
    co_return sum;
  };
  EXPECT_EQ(charm::sync_wait(waiter()), 49 * 25 + 1);
  charm::run([&] { EXPECT_EQ(charm::sync_wait(waiter()), 49 * 25 + 1); });
}

TEST_P(Coroutines, FramesSurviveMigration) {
  // Locals on both sides of many moves, from many coroutines at once, some of which wait on their fiber in between.
  auto wanderer = [](int seed) -> task<long> {
    std::vector<long> trail;
    std::string label = "wanderer " + std::to_string(seed);
    for (int step = 0; step < 30; ++step) {
      trail.push_back(seed * 100 + step);
      switch ((seed + step) % 3) {
        case 0:
          co_await charm::schedule();
          break;
        case 1:
          co_await charm::schedule(charm::on_worker{(seed + step) % charm::num_workers()});
          break;
        default:
          charm::yield();
      }
    }
    EXPECT_EQ(label, "wanderer " + std::to_string(seed));
    co_return std::accumulate(trail.begin(), trail.end(), 0L);
  };
  auto all = [&]() -> task<long> {
    std::vector<task<long>> tasks;
    for (int i = 0; i < 60; ++i) tasks.push_back(wanderer(i));
    std::vector<long> sums = co_await charm::when_all(std::move(tasks));
    co_return std::accumulate(sums.begin(), sums.end(), 0L);
  };
  long expected = 0;
  for (long seed = 0; seed < 60; ++seed) expected += seed * 3000 + 29 * 15;
  EXPECT_EQ(charm::sync_wait(all()), expected);
}

TEST_P(Coroutines, LongChainsOfAwaitsNeedNoStack) {
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  constexpr int count = 300'000;
#else
  constexpr int count = 500;  // symmetric transfer is a tail call only in optimised builds
#endif
  auto loop = []() -> task<long> {
    long sum = 0;
    for (int i = 0; i < count; ++i) sum += co_await answer();
    co_return sum;
  };
  EXPECT_EQ(charm::sync_wait(loop()), 42L * count);
}

TEST(CoroutinesWithoutARuntime, RunInPlaceOrSayWhatIsMissing) {
  EXPECT_EQ(charm::sync_wait(answer()), 42);
  EXPECT_THROW(charm::sync_wait(on_the_runtime()), charm::Error);
  EXPECT_THROW(charm::sync_wait(fib(3)), charm::Error);
}

charm::task<int> sum_of(charm::channel<int>& numbers) {
  co_await charm::schedule();
  int sum = 0;
  while (const std::optional<int> number = co_await charm::recv(numbers)) sum += *number;
  co_return sum;
}

charm::task<int> send_numbers(charm::channel<int>& numbers, int count) {
  co_await charm::schedule();
  int sent = 0;
  for (int i = 1; i <= count; ++i) sent += co_await charm::send(numbers, i) ? 1 : 0;
  numbers.close();
  sent += co_await charm::send(numbers, 1000) ? 1 : 0;  // too late
  co_return sent;
}

TEST_P(Coroutines, ChannelsAreAwaited) {
  for (const std::size_t capacity : {std::size_t{0}, std::size_t{1}, std::size_t{100}}) {
    charm::channel<int> numbers(capacity);
    const auto [sum, sent] = charm::sync_wait(charm::when_all(sum_of(numbers), send_numbers(numbers, 50)));
    EXPECT_EQ(sum, 50 * 51 / 2);
    EXPECT_EQ(sent, 50);
  }
}

charm::task<int> slowly(std::chrono::milliseconds time, int result) {
  co_await charm::after(time);
  co_return result;
}

/// Each suspends itself alone: one that waits does not keep the others from going on.
TEST_P(Coroutines, TimesAreAwaited) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<charm::task<int>> all;
  for (int i = 0; i < 50; ++i) all.push_back(slowly(20ms, i));
  const std::vector<int> results = charm::sync_wait(charm::when_all(std::move(all)));
  EXPECT_EQ(results.size(), 50U);
  EXPECT_GE(std::chrono::steady_clock::now() - start, 20ms);
  const auto first = charm::sync_wait(charm::when_any(slowly(300ms, 1), slowly(0ms, 2), slowly(300ms, 3)));
  EXPECT_EQ(first.index(), 1U);
}

}  // namespace
