// Long chains of awaits in code that is not optimised: each await leaves frames on the stack, since GCC makes its
// transfers tail calls only where it optimises. The stack of a thread would overflow; that of a task is continued.
#include <charm/coroutine.hpp>

#include <gtest/gtest.h>

#include "fiber/sanitizers.hpp"
#include "sched/running.hpp"

namespace {

charm::task<int> answer() { co_return 42; }

charm::task<long> many_awaits(int count) {
  long sum = 0;
  for (int i = 0; i < count; ++i) sum += co_await answer();
  co_return sum;
}

TEST(LongAwaits, FromATaskAndFromTheThreadThatCalledInit) {
#if defined(CHARM_ASAN) || defined(CHARM_TSAN)
  constexpr int count = 500;  // they remember the frames
#else
  constexpr int count = 300'000;
#endif
  const Running runtime(2);
  EXPECT_EQ(charm::run([] { return charm::sync_wait(many_awaits(count)); }), 42L * count);
  EXPECT_EQ(charm::sync_wait(many_awaits(count)), 42L * count);
}

}  // namespace
