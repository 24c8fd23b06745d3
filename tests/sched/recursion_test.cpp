// Recursion by every way that continues on the caller's stack: deeper than a stack, it continues on another.
#include <charm/charm.hpp>
#include <charm/coroutine.hpp>

#include <atomic>
#include <cstdint>

#include <gtest/gtest.h>

#include "fiber/sanitizers.hpp"
#include "fiber/stack.hpp"
#include "sched/running.hpp"

namespace {

#if defined(CHARM_TSAN)
constexpr int depth = 500;  // ThreadSanitizer keeps 65,536 frames of a stack
#elif defined(CHARM_ASAN)
constexpr int depth = 2000;
#else
constexpr int depth = 10000;
#endif

class Recursion : public testing::TestWithParam<int> {
 protected:
  Running runtime_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Workers, Recursion, testing::Values(1, 2));

std::int64_t by_loops(int levels, charm::Schedule schedule) {
  if (levels == 0) return 0;
  std::atomic<std::int64_t> below{0};
  charm::parallel_for(0, 1, [&](int) { below += by_loops(levels - 1, schedule); }, {.grain = 1, .schedule = schedule});
  return below + 1;
}

TEST_P(Recursion, ThroughLoopsOfEverySchedule) {
  for (charm::Schedule schedule :
       {charm::Schedule::lazy, charm::Schedule::static_, charm::Schedule::dynamic, charm::Schedule::affine}) {
    EXPECT_EQ(charm::run([&] { return by_loops(depth / 5, schedule); }), depth / 5) << static_cast<int>(schedule);
  }
}

std::int64_t by_reductions(int levels, bool deterministic) {
  if (levels == 0) return 0;
  auto body = [&](int low, int high, std::int64_t sum) {
    for (int i = low; i < high; ++i) sum += 1 + by_reductions(levels - 1, deterministic);
    return sum;
  };
  return charm::parallel_reduce(0, 1, std::int64_t{0}, body, [](std::int64_t a, std::int64_t b) { return a + b; },
                                {.grain = 1, .deterministic = deterministic});
}

TEST_P(Recursion, ThroughReductions) {
  EXPECT_EQ(charm::run([] { return by_reductions(depth, false); }), depth);
  EXPECT_EQ(charm::run([] { return by_reductions(depth, true); }), depth);
}

std::int64_t by_groups(int levels) {
  if (levels == 0) return 0;
  std::int64_t below = 0;
  charm::task_group group;
  group.run([&] { below = by_groups(levels - 1); });
  group.wait();
  return below + 1;
}

TEST_P(Recursion, ThroughGroups) {
  EXPECT_EQ(charm::run([] { return by_groups(depth); }), depth);
}

std::int64_t by_exceptions(int levels) {
  if (levels == 0) throw levels;
  charm::parallel_for(0, 1, [&](int) { by_exceptions(levels - 1); });
  return levels;
}

TEST_P(Recursion, AnExceptionComesBackThroughAllStacks) {
  EXPECT_THROW(charm::run([] { by_exceptions(depth / 10); }), int);
}

charm::task<std::int64_t> by_awaiting(int levels) {
  if (levels == 0) co_return 0;
  co_return 1 + co_await by_awaiting(levels - 1);
}

charm::task<std::int64_t> awaits_in_a_row(int count) {
  std::int64_t sum = 0;
  for (int i = 0; i < count; ++i) sum += co_await by_awaiting(1);
  co_return sum;
}

TEST_P(Recursion, ThroughCoroutinesThatNobodySuspends) {
  EXPECT_EQ(charm::run([] { return charm::sync_wait(by_awaiting(10 * depth)); }), 10 * depth);
  EXPECT_EQ(charm::run([] { return charm::sync_wait(awaits_in_a_row(10 * depth)); }), 10 * depth);
}

/// GCC without optimisation resumes a coroutine by a call that comes back, so the stack grows with each; and main's has
/// no further stacks. It is a task's that is used, then.
TEST_P(Recursion, ThroughCoroutinesThatMainWaitsFor) {
  EXPECT_EQ(charm::sync_wait(by_awaiting(10 * depth)), 10 * depth);
  EXPECT_EQ(charm::sync_wait(awaits_in_a_row(10 * depth)), 10 * depth);
}

std::int64_t by_sync_wait(int levels);
charm::task<std::int64_t> waits_below(int levels) { co_return by_sync_wait(levels); }
std::int64_t by_sync_wait(int levels) { return levels == 0 ? 0 : 1 + charm::sync_wait(waits_below(levels - 1)); }

TEST_P(Recursion, ThroughSyncWait) {
  EXPECT_EQ(charm::run([] { return by_sync_wait(depth); }), depth);
}

/// Uses stack up to just above the limit, then forks again and again: each fork continues on another stack.
[[gnu::noinline]] std::int64_t fork_at_the_limit(int forks) {
  char pad[512];
  asm volatile("" : : "r"(pad) : "memory");
  const charm::detail::WorkerBase* worker = charm::detail::this_worker();
  if (charm::detail::stack_here() - sizeof pad - 256 > worker->stack_limit) {
    const std::int64_t got = fork_at_the_limit(forks);
    asm volatile("" : : "r"(pad) : "memory");
    return got;
  }
  std::int64_t sum = 0;
  for (int i = 0; i < forks; ++i) {
    int one = 0;
    int two = 0;
    [&]() __attribute__((noinline)) {
      char more[1024];
      asm volatile("" : : "r"(more) : "memory");
      charm::invoke([&] { one = 1; }, [&] { two = 1; });
    }();
    sum += one + two;
  }
  return sum;
}

TEST_P(Recursion, ForksAtTheEndOfAStackMakeNoStackEach) {
  constexpr int forks = 1000;
  const std::uint64_t before = charm::fiber::stacks_mapped();
  EXPECT_EQ(charm::run([] { return fork_at_the_limit(forks); }), 2 * forks);
  EXPECT_LT(charm::fiber::stacks_mapped() - before, 50U) << "a stack was mapped for every other fork";
}

}  // namespace
