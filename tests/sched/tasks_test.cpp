// Fork-join, loops, reductions, groups: the results are those of the sequential program.
#include <atomic>
#include <cstdint>
#include <limits>
#include <numeric>
#include <rapidcheck.h>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sched/running.hpp"

namespace {

class Tasks : public testing::TestWithParam<int> {
 protected:
  Running runtime_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Workers, Tasks, testing::Values(1, 2, 4));

long fib(long n) {
  if (n < 2) return n;
  long a = 0;
  long b = 0;
  charm::invoke([&] { a = fib(n - 1); }, [&] { b = fib(n - 2); });
  return a + b;
}

TEST_P(Tasks, ForkJoinComputes) {
  EXPECT_EQ(charm::run([] { return fib(22); }), 17711);
  EXPECT_EQ(fib(15), 610) << "from outside, too";
}

TEST_P(Tasks, InvokeTakesAnyNumberOfFunctions) {
  std::atomic<int> sum{0};
  charm::invoke([&] { sum += 1; }, [&] { sum += 2; }, [&] { sum += 4; }, [&] { sum += 8; }, [&] { sum += 16; });
  EXPECT_EQ(sum, 31);
}

TEST_P(Tasks, ExceptionsReachTheWaiterAndNoSiblingIsLeftBehind) {
  for (int i = 0; i < 100; ++i) {
    std::atomic<int> running{0};
    auto sibling = [&] {
      ++running;
      charm::yield();
      --running;
    };
    EXPECT_THROW(charm::invoke([] { throw std::runtime_error("first"); }, sibling), std::runtime_error);
    EXPECT_EQ(running, 0);
    EXPECT_THROW(charm::invoke(sibling, [] { throw std::runtime_error("second"); }), std::runtime_error);
    EXPECT_EQ(running, 0);
  }
  try {
    charm::invoke([] { throw std::string("first"); }, [] { throw std::string("second"); });
    FAIL();
  } catch (const std::string& text) {
    EXPECT_EQ(text, "first");
  }
}

TEST_P(Tasks, LoopsCoverEveryIndexOnce) {
  EXPECT_TRUE(rc::check("for any range and grain", [] {
    auto first = *rc::gen::inRange<int>(-1000, 1000);
    auto count = *rc::gen::inRange<int>(0, 5000);
    auto grain = *rc::gen::inRange<int>(0, 300);
    std::vector<std::atomic<int>> hits(static_cast<std::size_t>(count));
    charm::parallel_for(first, first + count, [&](int i) { ++hits[static_cast<std::size_t>(i - first)]; }, {grain});
    for (auto& hit : hits) RC_ASSERT(hit == 1);
  }));
}

TEST_P(Tasks, BlocksHoldAtMostAGrain) {
  std::atomic<long> covered{0};
  charm::parallel_for(0L, 100000L,
                      [&](long low, long high) {
                        EXPECT_LE(high - low, 64);
                        covered += high - low;
                      },
                      {64});
  EXPECT_EQ(covered, 100000);
}

TEST_P(Tasks, LoopsOverTheEndsOfTheIntegers) {
  std::atomic<int> calls{0};
  auto low = std::numeric_limits<std::int64_t>::max() - 10;
  charm::parallel_for(low, low + 10, [&](std::int64_t i) {
    EXPECT_GE(i, low);
    ++calls;
  });
  charm::parallel_for(std::uint8_t{250}, std::uint8_t{255}, [&](std::uint8_t) { ++calls; });
  charm::parallel_for(std::numeric_limits<int>::min(), std::numeric_limits<int>::min() + 5, [&](int) { ++calls; });
  charm::parallel_for(5, 5, [&](int) { ++calls; });
  charm::parallel_for(5, 4, [&](int) { ++calls; });
  EXPECT_EQ(calls, 20);
}

TEST_P(Tasks, NestedLoopsWork) {
  std::atomic<long> sum{0};
  charm::parallel_for(0, 30, [&](int i) { charm::parallel_for(0, 30, [&](int j) { sum += i * j; }); });
  EXPECT_EQ(sum, 435 * 435);
}

TEST_P(Tasks, AnExceptionLeavesTheLoop) {
  for (int at : {0, 500, 999}) {
    EXPECT_THROW(charm::parallel_for(0, 1000,
                                     [&](int i) {
                                       if (i == at) throw std::out_of_range("here");
                                     },
                                     {1}),
                 std::out_of_range);
  }
}

TEST_P(Tasks, GroupsRunEverythingThatWasSpawned) {
  for (int count : {0, 1, 10, 1000, 30000}) {
    std::atomic<int> done{0};
    charm::run([&] {
      charm::task_group group;
      for (int i = 0; i < count; ++i) group.run([&] { ++done; });
      group.wait();
      EXPECT_EQ(done, count);
      group.run([&] { ++done; });
      group.wait();
    });
    EXPECT_EQ(done, count + 1);
  }
}

TEST_P(Tasks, GroupTasksMaySpawnIntoTheirGroup) {
  std::atomic<int> done{0};
  charm::task_group group;
  struct Tree {
    charm::task_group& group;
    std::atomic<int>& done;
    void grow(int depth) const {
      ++done;
      if (depth == 0) return;
      for (int i = 0; i < 3; ++i) group.run([*this, depth] { grow(depth - 1); });
    }
  };
  charm::run([&] {
    Tree{group, done}.grow(7);
    group.wait();
  });
  EXPECT_EQ(done, (6561 - 1) / 2);
}

TEST_P(Tasks, GroupsWorkFromOutside) {
  std::atomic<int> done{0};
  charm::task_group group;
  for (int i = 0; i < 500; ++i) group.run([&] { ++done; });
  group.wait();
  EXPECT_EQ(done, 500);
}

TEST_P(Tasks, GroupTasksThatSuspendAreWaitedFor) {
  charm::run([&] {
    std::atomic<int> done{0};
    charm::task_group group;
    for (int i = 0; i < 200; ++i) {
      group.run([&] {
        charm::yield();
        charm::async([] { charm::yield(); }).get();
        ++done;
      });
    }
    group.wait();
    EXPECT_EQ(done, 200);
  });
}

TEST_P(Tasks, ADroppedGroupWaitsForItsTasks) {
  std::atomic<int> running{0};
  charm::run([&] {
    charm::task_group group;
    for (int i = 0; i < 100; ++i) {
      group.run([&] {
        ++running;
        charm::yield();
        --running;
      });
    }
  });
  EXPECT_EQ(running, 0);
}

TEST_P(Tasks, ValuesOfAnyKindComeBack) {
  struct MoveOnly {
    std::unique_ptr<int> value;
  };
  EXPECT_EQ(*charm::run([] { return MoveOnly{std::make_unique<int>(5)}; }).value, 5);
  int here = 3;
  EXPECT_EQ(&charm::run([&]() -> int& { return here; }), &here);
  EXPECT_EQ(*charm::async([] { return std::make_unique<int>(6); }).get(), 6);
  EXPECT_EQ(&charm::async([&]() -> int& { return here; }).get(), &here);
  EXPECT_THROW(charm::run([]() -> int { throw 4; }), int);
  EXPECT_THROW(charm::async([]() -> int { throw 4; }).get(), int);
}

}  // namespace
