// A machine of which only some cpus may be used.
#include "placement/restrict.hpp"

#include <algorithm>
#include <rapidcheck.h>

#include <gtest/gtest.h>

#include "placement/machines.hpp"

namespace charm::placement {
namespace {

TEST(Restricted, LeavesOutChipletsWithoutCoresAndNumbersTheRestAnew) {
  const Machine machine = charm::test::uniform(2, 2, 2, 2);  // cpus 0-7, their second threads 8-15
  const Machine left = restricted(machine, CpuSet{3, 9, 6, 7});
  ASSERT_EQ(left.chiplets.size(), 3U);
  EXPECT_EQ(left.chiplets[0].cores.size(), 1U);
  EXPECT_EQ(left.chiplets[2].cores.size(), 2U);
  ASSERT_EQ(left.cores.size(), 4U);
  EXPECT_EQ(left.cores[0].cpu, 9) << "of the core of cpu 1 its second thread is left";
  EXPECT_EQ(left.cores[1].cpu, 3);
  EXPECT_EQ(left.allowed_cpus, (CpuSet{3, 6, 7, 9}));
  EXPECT_EQ(left.forbidden_cpus, machine.forbidden_cpus | (machine.allowed_cpus - left.allowed_cpus));
  EXPECT_EQ(left.sockets[0].chiplets, (ChipletSet{0, 1}));
  EXPECT_EQ(left.sockets[1].chiplets, (ChipletSet{2}));
  EXPECT_EQ(left.chiplets[2].node, machine.chiplets[3].node);
}

/// A chiplet across two nodes belongs to that of its first core.
TEST(Restricted, GivesAChipletTheNodeOfItsFirstCoreThatIsLeft) {
  Machine machine = charm::test::uniform(2, 1, 2);
  machine.cores[1].node = 1;
  EXPECT_EQ(restricted(machine, CpuSet{0, 1}).chiplets.front().node, 0);
  EXPECT_EQ(restricted(machine, CpuSet{1}).chiplets.front().node, 1);
}

/// Whatever is left of whatever machine.
TEST(Restricted, IsAMachineInItself) {
  EXPECT_TRUE(rc::check([] {
    const Machine machine = charm::test::uniform(*rc::gen::inRange(1, 4), *rc::gen::inRange(1, 5),
                                                 *rc::gen::inRange(1, 5), *rc::gen::inRange(1, 3));
    CpuSet cpus;
    for (const int cpu : machine.allowed_cpus) {
      if (*rc::gen::arbitrary<bool>()) cpus.insert(cpu);
    }
    const Machine left = restricted(machine, cpus);
    RC_ASSERT(left.allowed_cpus == cpus);
    CpuSet of_cores, of_nodes;
    std::size_t in_chiplets = 0;
    for (std::size_t c = 0; c < left.cores.size(); ++c) {
      const Core& core = left.cores[c];
      RC_ASSERT(core.id == static_cast<int>(c));
      RC_ASSERT(core.cpu == core.siblings.front());
      RC_ASSERT(left.chiplets[static_cast<std::size_t>(core.chiplet)].cores.contains(core.id));
      of_cores |= core.siblings;
    }
    for (std::size_t c = 0; c < left.chiplets.size(); ++c) {
      const Chiplet& chiplet = left.chiplets[c];
      RC_ASSERT(chiplet.id == static_cast<int>(c));
      RC_ASSERT(!chiplet.cores.empty());
      RC_ASSERT(left.sockets[static_cast<std::size_t>(chiplet.socket)].chiplets.contains(chiplet.id));
      RC_ASSERT(chiplet.node == left.cores[static_cast<std::size_t>(chiplet.cores.front())].node);
      in_chiplets += chiplet.cores.size();
    }
    std::size_t in_sockets = 0;
    for (const Socket& socket : left.sockets) in_sockets += socket.chiplets.size();
    for (const Node& node : left.nodes) of_nodes |= node.cpus;
    RC_ASSERT(of_cores == cpus);
    RC_ASSERT(of_nodes == cpus);
    RC_ASSERT(in_chiplets == left.cores.size());
    RC_ASSERT(in_sockets == left.chiplets.size());
  }));
}

}  // namespace
}  // namespace charm::placement
