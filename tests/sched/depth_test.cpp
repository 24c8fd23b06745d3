// Recursion deeper than any stack: it continues on further stacks, and what it took is given back.
#include <charm/charm.hpp>

#include <cstdint>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "fiber/sanitizers.hpp"
#include "sched/running.hpp"
#include "tasks/programs.hpp"
#include "tasks/runtimes.hpp"

namespace {

[[maybe_unused]] long resident_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmRSS:", 0) == 0) return std::atol(line.c_str() + 6);
  }
  return 0;
}

[[gnu::noinline]] std::int64_t down(std::int64_t depth) {
  if (depth == 0) return 0;
  std::int64_t below = 0;
  std::int64_t one = 0;
  charm::invoke([&] { below = down(depth - 1); }, [&] { one = 1; });
  return below + one;
}

class Depth : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Workers, Depth, testing::Values(1, 2));

TEST_P(Depth, AMillionLevelsTakeAsMuchMemoryAsTheirFramesAndGiveItBack) {
#if defined(CHARM_TSAN)
  GTEST_SKIP() << "ThreadSanitizer keeps 65,536 frames of a stack";
#elif defined(CHARM_ASAN)
  constexpr std::int64_t depth = 100000;  // frames of AddressSanitizer are many times as large
#else
  constexpr std::int64_t depth = 1000000;
#endif
#if !defined(CHARM_TSAN)
  Running runtime(GetParam());
  [[maybe_unused]] const long before = resident_kib();
  EXPECT_EQ(charm::run([&] { return down(depth); }), depth);
#if !defined(CHARM_ASAN)
  EXPECT_LT(resident_kib() - before, 64 * 1024) << "what a million levels took has not been given back";
#endif
#endif
}

/// UTS T3 with the 8 MiB that a thread's stack has by default: 4,112,897 nodes, 1,572 levels.
TEST_P(Depth, TheUnbalancedTreeT3IsCountedWithinAnEightMegabyteStack) {
#if defined(CHARM_TSAN) || defined(CHARM_ASAN)
  GTEST_SKIP() << "four million tasks take minutes with a sanitizer";
#else
  rlimit stack{};
  ASSERT_EQ(getrlimit(RLIMIT_STACK, &stack), 0);
  if (stack.rlim_cur == RLIM_INFINITY || stack.rlim_cur > (8UL << 20U)) {
    stack.rlim_cur = 8UL << 20U;
    ASSERT_EQ(setrlimit(RLIMIT_STACK, &stack), 0);
  }
  Running runtime(GetParam());
  using namespace charm::bench;
  EXPECT_EQ(charm::run([] { return uts_t3<Charm>(uts_root(42), 0); }), 4112897);
#endif
}

}  // namespace
