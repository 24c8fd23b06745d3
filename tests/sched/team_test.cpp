// all_do whose bodies do not all come to the barrier: the others are told and do not wait for ever.
#include <charm/charm.hpp>

#include <atomic>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "sched/running.hpp"

namespace {

class Team : public testing::TestWithParam<int> {
 protected:
  Running runtime_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Workers, Team, testing::Values(1, 2, 4));

TEST_P(Team, ABodyThatThrowsReleasesThoseAtTheBarrier) {
  for (int round = 0; round < 200; ++round) {
    const int thrower = round % GetParam();
    const int rounds_before = round % 5;
    std::atomic<int> cancelled{0};
    std::string seen;
    try {
      charm::all_do([&](int worker) {
        for (int i = 0; i < rounds_before; ++i) charm::barrier();
        if (worker == thrower) throw std::runtime_error("a body fails");
        try {
          for (;;) charm::barrier();
        } catch (const charm::Error& error) {
          EXPECT_EQ(error.code(), charm::Errc::cancelled);
          ++cancelled;
          throw;
        }
      });
    } catch (const std::exception& error) {
      seen = error.what();
    }
    EXPECT_EQ(seen, "a body fails");
    EXPECT_EQ(cancelled, GetParam() - 1);
  }
}

TEST_P(Team, ABodyThatEndsEarlyIsAnErrorForThoseWhoWaitForIt) {
  if (GetParam() == 1) GTEST_SKIP() << "nobody else to wait for";
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> told{0};
    EXPECT_THROW(charm::all_do([&](int worker) {
                   charm::barrier();
                   if (worker == round % GetParam()) return;
                   try {
                     charm::barrier();
                   } catch (const charm::Error& error) {
                     EXPECT_EQ(error.code(), charm::Errc::bad_input);
                     ++told;
                     throw;
                   }
                 }),
                 charm::Error);
    EXPECT_EQ(told, GetParam() - 1);
  }
}

TEST_P(Team, BodiesMayEndWhileOthersStillLeaveTheLastBarrier) {
  std::atomic<int> passed{0};
  for (int round = 0; round < 500; ++round) {
    charm::all_do([&] {
      charm::barrier();
      charm::barrier();
      ++passed;
    });
  }
  EXPECT_EQ(passed, 500 * GetParam());
}

TEST_P(Team, CancellationReachesTheBodies) {
  charm::run([] {
    charm::task_group group;
    std::atomic<bool> seen{false};
    group.run([&] {
      group.cancel();
      charm::all_do([&] {
        if (charm::is_cancelled()) seen = true;
      });
    });
    group.wait();
    EXPECT_TRUE(seen);
  });
}

/// One thread of the blocking pool, and tasks in it that wait for tasks that need one.
TEST(BlockingPoolOfOne, ATaskInItMayWaitForATaskThatNeedsIt) {
  charm::Config config;
  config.blocking_threads = 1;
  Running runtime(2, config);
  int deepest = 0;
  charm::run([&] {
    charm::blocking([&] {
      charm::run([&] { charm::blocking([&] { charm::async([&] { charm::blocking([&] { deepest = 3; }); }).get(); }); });
    });
  });
  EXPECT_EQ(deepest, 3);
}

}  // namespace
