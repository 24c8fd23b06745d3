// Times of threads, as the kernel writes them and as this one's are.
#include "os/threads/schedstat.hpp"

#include <ctime>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/living_thread.hpp"

namespace {

using charm::os::parse_schedstat;
using charm::os::ThreadClock;

std::string path_of(int thread) { return "/proc/self/task/" + std::to_string(thread) + "/schedstat"; }

TEST(Schedstat, IsReadAsTheKernelWritesIt) {
  const auto time = parse_schedstat("1234567 89 42\n");
  ASSERT_TRUE(time);
  EXPECT_EQ(time->run_ns, 1234567U);
  EXPECT_EQ(time->wait_ns, 89U);
}

TEST(Schedstat, OfAnOlderKindTellsWhatItHas) {
  const auto time = parse_schedstat("17");
  ASSERT_TRUE(time);
  EXPECT_EQ(time->run_ns, 17U);
  EXPECT_EQ(time->wait_ns, 0U);
}

TEST(Schedstat, ThatIsNoneTellsNothing) {
  for (const char* text : {"", "\n", "sched", "-1 2 3", "99999999999999999999999 1 1"}) {
    EXPECT_FALSE(parse_schedstat(text)) << '"' << text << '"';
  }
}

TEST(ThreadClock, GoesOnWhileTheThreadRuns) {
  const ThreadClock clock("/proc/thread-self/schedstat");
  const auto before = clock.read();
  if (!before) GTEST_SKIP() << "the kernel keeps no times of threads (CONFIG_SCHED_INFO)";
  timespec begin{}, now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  do clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  while ((now.tv_sec - begin.tv_sec) * 1'000'000'000L + now.tv_nsec - begin.tv_nsec < 20'000'000);
  const auto after = clock.read();
  ASSERT_TRUE(after);
  // The kernel brings it up to date at ticks.
  EXPECT_GE(after->run_ns, before->run_ns + 5'000'000);
}

TEST(ThreadClock, OfAnEndedThreadTellsNothing) {
  charm::test::LivingThread thread;
  const ThreadClock clock(path_of(thread.id()));
  const bool told = clock.read().has_value();
  thread.end();
  if (!told) GTEST_SKIP() << "the kernel keeps no times of threads (CONFIG_SCHED_INFO)";
  for (int i = 0; i < 60000 && clock.read(); ++i) usleep(1000);
  EXPECT_FALSE(clock.read());
}

TEST(ThreadClock, OfNobodyTellsNothing) { EXPECT_FALSE(ThreadClock(path_of(1 << 30)).read()); }

}  // namespace
