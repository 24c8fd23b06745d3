// RandomAccess: the stream and its jumps, that every update is made once, and that lost updates are counted.
#include "workloads/gups/gups.hpp"

#include <rapidcheck.h>

#include <gtest/gtest.h>

#include "workloads/executors.hpp"
#include "workloads/gups/stream.hpp"

namespace charm::workloads::testing {
namespace {

TEST(Stream, JumpsWhereStepsLead) {
  std::uint64_t x = 1;
  for (std::uint64_t k = 0; k < 1000; ++k) {
    EXPECT_EQ(update_at(k), x) << k;
    x = next_update(x);
  }
  EXPECT_TRUE(rc::check("a jump and a step", [] {
    const auto k = *rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << 62);
    RC_ASSERT(next_update(update_at(k)) == update_at(k + 1));
    const auto more = *rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << 62);
    RC_ASSERT(multiply_updates(update_at(k), update_at(more)) == update_at(k + more));
  }));
}

TEST(Stream, RepeatsAfterThePeriodThatHpccStates) { EXPECT_EQ(update_at(1317624576693539401U), 1U); }

TEST(Gups, MakesEveryUpdateOfTheStreamOnce) {
  constexpr Index words = 1 << 10;
  std::vector<std::uint64_t> expected(words);
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = i;
  std::uint64_t x = 1;
  for (Index k = 0; k < updates_of(words); ++k) {
    x = next_update(x);
    expected[x % words] ^= x;
  }
  SerialExecutor serial;
  Table table(words);
  fill_table(serial, table);
  update_table(serial, table);
  EXPECT_TRUE(std::equal(table.begin(), table.end(), expected.begin()));
  // Made exactly by any number of workers, they undo these.
  on_every_executor([&](auto& e) {
    Table copy(words);
    std::copy(expected.begin(), expected.end(), copy.begin());
    EXPECT_EQ(count_errors(e, copy), 0);
  });
}

TEST(Gups, CountsTheWordsThatLostAnUpdate) {
  on_every_executor([](auto& e) {
    Table table(1 << 12);
    fill_table(e, table);
    count_errors(e, table);  // the exact updates
    table[7] ^= 1;
    table[100] ^= 99;
    EXPECT_EQ(count_errors(e, table), 2);
  });
}

TEST(Gups, WorksOnTablesSmallerThanALotOfUpdates) {
  on_every_executor([](auto& e) {
    Table table(8);
    fill_table(e, table);
    count_errors(e, table);
    EXPECT_EQ(count_errors(e, table), 0);
  });
}

}  // namespace
}  // namespace charm::workloads::testing
