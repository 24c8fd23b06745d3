// A machine narrowed to what the process may use: by its affinity mask, its cgroup, its quota.
#include <charm/machine.hpp>

#include <thread>

#include <gtest/gtest.h>

#include "os/threads/affinity.hpp"
#include "topology/build.hpp"
#include "topology/discovery.hpp"
#include "topology/machine_checks.hpp"

using namespace charm;
using namespace charm::test;
using charm::topology::build;
using charm::topology::Restrictions;
using charm::topology::survey_file;

namespace {

Machine restricted(const std::string& file, const Restrictions& restrictions) {
  Machine m = build(survey_file(topology_file(file)), restrictions);
  EXPECT_EQ(structure_error(m), "");
  return m;
}

const std::string genoa = "AMD-19h-Zen4-2xEpyc-9654.xml";

TEST(Restriction, AMaskOnSecondSiblingsBindsToThem) {
  Restrictions r;
  r.affinity = range(192, 199);
  Machine m = restricted(genoa, r);
  ASSERT_EQ(m.chiplets.size(), 1U);
  EXPECT_EQ(m.cores.size(), 8U);
  EXPECT_EQ(m.cores[0].cpu, 192);
  EXPECT_EQ(m.cores[0].siblings, CpuSet{192});
  EXPECT_TRUE(has_note(m, "forbidden by the affinity mask"));
  EXPECT_EQ(m.total.cpus, 384);
  EXPECT_EQ(m.total.cores, 192);
}

TEST(Restriction, AMaskOverTwoChipletsLeavesUnequalOnes) {
  Restrictions r;
  r.affinity = range(6, 11);
  Machine m = restricted(genoa, r);
  ASSERT_EQ(m.chiplets.size(), 2U);
  EXPECT_EQ(cpus_of(m, 0), range(6, 7));
  EXPECT_EQ(cpus_of(m, 1), range(8, 11));
  EXPECT_EQ(m.chiplets[0].l3_bytes, 32U << 20);  // the cache is as large as before
}

TEST(Restriction, TheOtherSocketStaysForItsMemory) {
  Restrictions r;
  r.affinity = range(96, 191);
  Machine m = restricted(genoa, r);
  EXPECT_EQ(m.sockets.size(), 2U);
  EXPECT_TRUE(m.sockets[0].chiplets.empty());
  EXPECT_EQ(m.sockets[1].chiplets.size(), 12U);
  EXPECT_TRUE(m.nodes[0].cpus.empty());
  EXPECT_EQ(m.cores[0].socket, 1);
}

TEST(Restriction, ACgroupThatForbidsTheMemoryTooTakesTheSocketAway) {
  Restrictions r;
  r.cgroup_cpus = range(96, 191);
  r.cgroup_nodes = OsNodeSet{1};
  Machine m = restricted(genoa, r);
  ASSERT_EQ(m.sockets.size(), 1U);
  EXPECT_EQ(m.nodes.size(), 1U);
  EXPECT_EQ(m.nodes[0].id, 0);
  EXPECT_EQ(m.nodes[0].os_index, 1);
  EXPECT_EQ(m.total.sockets, 2);
  EXPECT_TRUE(has_note(m, "forbidden by the cgroup's cpuset"));
}

TEST(Restriction, MaskAndCgroupHoldTogether) {
  Restrictions r;
  r.cgroup_cpus = range(0, 15);
  r.affinity = range(8, 23);
  EXPECT_EQ(restricted(genoa, r).allowed_cpus, range(8, 15));
}

TEST(Restriction, ACgroupOfAnotherMachineIsIgnoredAndNoted) {
  Restrictions r;
  r.cgroup_cpus = range(1000, 1003);
  Machine m = restricted(genoa, r);
  EXPECT_EQ(m.allowed_cpus.size(), 384U);
  EXPECT_TRUE(has_note(m, "names no cpu of this machine"));
}

TEST(Restriction, AQuotaBelowTheAllowedCpusIsNoted) {
  Restrictions r;
  r.cpu_quota = 2.5;
  Machine m = restricted(genoa, r);
  EXPECT_EQ(m.cpu_quota, 2.5);
  EXPECT_TRUE(has_note(m, "2.50 cpus' worth of time to 384 allowed cpus"));
  r.cpu_quota = 400;
  EXPECT_FALSE(has_note(restricted(genoa, r), "worth of time"));
}

TEST(Restriction, ANarrowMaskDoesNotMakeAnL3LookPrivate) {
  Restrictions r;
  r.affinity = CpuSet{0, 8, 16};
  EXPECT_FALSE(has_note(restricted(genoa, r), "single core"));
}

TEST(Restriction, TheAffinityMaskOfTheCallingThreadIsHonoured) {
  const auto all = os::allowed_cpus();
  std::thread([&] {
    for (int cpu : {all.front(), all.back()}) {
      ASSERT_TRUE(os::bind_this_thread({cpu}));
      Machine m = topology::discover_quietly({"", "off", {}}).machine;
      EXPECT_EQ(m.allowed_cpus, CpuSet{cpu});
      EXPECT_EQ(structure_error(m), "");
      EXPECT_EQ(os::allowed_cpus(), CpuSet{cpu});
    }
  }).join();
}

}  // namespace
