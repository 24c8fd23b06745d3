// How the ranks of a host divide its cores.
#include "remote/apart.hpp"

#include <gtest/gtest.h>

namespace charm::remote {
namespace {

TEST(RanksApart, EachHasItsOwnCoresAndTogetherTheyHaveAll) {
  const Machine machine = Machine::from("pack:2 l3:4 core:3 pu:2");
  for (int count = 1; count <= 24; ++count) {
    CpuSet all;
    for (int index = 0; index < count; ++index) {
      const CpuSet own = cpus_of_rank(machine, {index, count});
      EXPECT_FALSE(own.empty());
      EXPECT_TRUE((all & own).empty()) << count;
      all |= own;
    }
    EXPECT_EQ(all, machine.allowed_cpus) << count;
  }
}

TEST(RanksApart, ChipletsStayWholeWhereTheyDivideEvenly) {
  const Machine machine = Machine::from("pack:2 l3:4 core:3 pu:2");
  for (const int count : {2, 4, 8}) {
    for (const Chiplet& chiplet : machine.chiplets) {
      int owners = 0;
      for (int index = 0; index < count; ++index) {
        const CpuSet own = cpus_of_rank(machine, {index, count});
        bool any = false;
        for (const int core : chiplet.cores)
          any = any || own.contains(machine.cores[static_cast<std::size_t>(core)].cpu);
        owners += any ? 1 : 0;
      }
      EXPECT_EQ(owners, 1) << count;
    }
  }
}

TEST(RanksApart, MoreRanksThanCoresTakeTurns) {
  const Machine machine = Machine::from("pack:1 core:2 pu:1");
  EXPECT_EQ(cpus_of_rank(machine, {0, 3}), cpus_of_rank(machine, {2, 3}));
  EXPECT_NE(cpus_of_rank(machine, {0, 3}), cpus_of_rank(machine, {1, 3}));
}

}  // namespace
}  // namespace charm::remote
