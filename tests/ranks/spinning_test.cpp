// A short wait for a message (spinning.hpp).
#include "ranks/spinning.hpp"

#include <charm/charm.hpp>

#include <gtest/gtest.h>

namespace charm::remote {
namespace {

/// How often a task that has its worker for itself looks for messages.
int looks() {
  return charm::run([] {
    int count = 0;
    for (Spinning spinning(sched::this_worker(), 100000); spinning.goes_on(false);) ++count;
    return count;
  });
}

TEST(Spinning, EndsAfterSomeTime) {
  charm::init({.workers = 1, .share_cores = true});
  EXPECT_GT(looks(), 0);
  charm::finalize();
}

TEST(Spinning, AlsoWhereOtherProgramsHaveTheCore) {
  charm::init({.workers = 1, .share_cores = true});
  sched::report_oversubscription({"a test says so", false}, base::monotonic_ns());
  EXPECT_TRUE(sched::oversubscribed());
  EXPECT_GT(looks(), 0);
  charm::finalize();
}

TEST(Spinning, NobodySpinsOutsideOfTasks) { EXPECT_FALSE(Spinning(nullptr, 100000).goes_on(false)); }

}  // namespace
}  // namespace charm::remote
