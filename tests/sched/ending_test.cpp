#include "sched/run/ending.hpp"

#include <chrono>
#include <thread>

#include "assertion.hpp"

namespace {

using charm::sched::Ending;

TEST(Ending, CountsIdleWorkersAndWhoStirs) {
  Ending ending;
  EXPECT_FALSE(ending.has_begun());
  ending.begin();
  EXPECT_TRUE(ending.has_begun());
  ending.enter_idle();
  EXPECT_FALSE(ending.all_idle(2));
  ending.enter_idle();
  EXPECT_TRUE(ending.all_idle(2));
  EXPECT_EQ(ending.stirred(), 0U);
  ending.leave_idle();
  EXPECT_FALSE(ending.all_idle(2));
  ending.enter_idle();
  EXPECT_TRUE(ending.all_idle(2));
  EXPECT_EQ(ending.stirred(), 1U) << "all are idle again, but one has had a job";
  EXPECT_FALSE(ending.is_over());
  ending.finish();
  EXPECT_TRUE(ending.is_over());
}

TEST(Ending, IsOverAtOnceAfterAFailedStart) {
  Ending ending;
  ending.give_up();
  EXPECT_TRUE(ending.is_over());
  EXPECT_FALSE(ending.has_begun());
}

/// The test has no other way to end than the wake-up: a day is longer than its time limit.
TEST(Ending, WakesWhoeverRests) {
  Ending ending;
  ending.begin();
  std::thread rests([&] {
    while (!ending.is_over()) ending.rest(std::chrono::hours(24));
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  ending.finish();
  rests.join();
  ending.rest(std::chrono::hours(24));  // there is nothing to wait for any more
}

TEST(Ending, RestsNoLongerThanItIsTold) {
  Ending ending;
  ending.rest(std::chrono::milliseconds(1));
  EXPECT_FALSE(ending.is_over());
}

TEST(EndingDeathTest, NothingEndsThatHasNotBegunToEnd) {
  NEEDS_ASSERTIONS();
  Ending ending;
  EXPECT_ASSERTION(ending.enter_idle(), "workers are counted as idle only when the end has begun");
  EXPECT_ASSERTION(ending.finish(), "only an end that has begun comes to its close");
  ending.begin();
  EXPECT_ASSERTION(ending.leave_idle(), "only a worker that is counted as idle leaves the count");
  EXPECT_ASSERTION(ending.give_up(), "only a run whose end has not begun is given up");
}

}  // namespace
