#include "os/cpu_list.hpp"

#include <rapidcheck.h>
#include <set>

#include <gtest/gtest.h>

using charm::os::format_cpu_list;
using charm::os::parse_cpu_list;
using Cpus = std::vector<int>;

namespace {

TEST(CpuList, ReadsWhatTheKernelWrites) {
  EXPECT_EQ(parse_cpu_list("0-3,8\n"), (Cpus{0, 1, 2, 3, 8}));
  EXPECT_EQ(parse_cpu_list("5"), Cpus{5});
  EXPECT_EQ(parse_cpu_list(""), Cpus{});
  EXPECT_EQ(parse_cpu_list("\n"), Cpus{});
  EXPECT_EQ(parse_cpu_list("2,0-2"), (Cpus{0, 1, 2}));
}

TEST(CpuList, RefusesWhatIsNone) {
  for (const char* bad : {"a", "1-", "-1", "3-1", "1,", ",1", "1,,2", "1 2", "0x3", "99999999999", "0-999999999"}) {
    EXPECT_FALSE(parse_cpu_list(bad)) << bad;
  }
}

TEST(CpuList, FormattingAndReadingAreInverse) {
  EXPECT_EQ(format_cpu_list({0, 1, 2, 3, 8, 10, 11}), "0-3,8,10-11");
  EXPECT_TRUE(rc::check([](const std::set<std::uint8_t>& set) {
    const Cpus cpus(set.begin(), set.end());
    RC_ASSERT(parse_cpu_list(format_cpu_list(cpus)) == cpus);
  }));
}

}  // namespace
