// Which cpus a thread may run on: with its core, and while it waits for it.
#include "binding/masks.hpp"

#include <gtest/gtest.h>

#include "placement/machines.hpp"

namespace {

using namespace charm::binding;
using Cpus = charm::CpuSet;

charm::WorkerCore core_at(const charm::Machine& machine, int core) {
  const charm::Core& it = machine.cores[static_cast<std::size_t>(core)];
  charm::WorkerCore at;
  at.core = it.id;
  at.cpu = it.cpu;
  at.chiplet = it.chiplet;
  at.node = it.node;
  at.socket = it.socket;
  return at;
}

TEST(Masks, AThreadWithACoreHasItOrWhatItMayUseAroundIt) {
  const charm::Machine machine = charm::test::uniform(2, 2, 2, 2);  // 8 cores; second threads are 8 to 15
  const charm::WorkerCore core = core_at(machine, 1);
  const Cpus allowed = {0, 1, 2, 3, 9};
  EXPECT_EQ(mask_for(machine, core, Bind::core, allowed), Cpus{1});
  EXPECT_EQ(mask_for(machine, core, Bind::chiplet, allowed), (Cpus{0, 1, 9}));
  EXPECT_EQ(mask_for(machine, core, Bind::node, allowed), (Cpus{0, 1, 2, 3, 9}));
  EXPECT_EQ(mask_for(machine, core, Bind::none, allowed), Cpus{});
  EXPECT_EQ(mask_for(machine, core_at(machine, 7), Bind::chiplet, allowed), Cpus{7}) << "its own cpu always";
  EXPECT_EQ(mask_for(machine, core_at(machine, 0), Bind::chiplet, allowed), (Cpus{0, 1, 9})) << "the first core, too";
  EXPECT_EQ(cpus_of_node(machine, 0), (Cpus{0, 1, 2, 3, 8, 9, 10, 11}));
  charm::WorkerCore none = core;
  none.cpu = -1;
  EXPECT_EQ(mask_for(machine, none, Bind::core, allowed), Cpus{});
  none.cpu = 0;
  EXPECT_EQ(mask_for(machine, none, Bind::core, allowed), Cpus{0});
  charm::WorkerCore unlisted = core;
  unlisted.core = -1;
  unlisted.cpu = 77;
  EXPECT_EQ(mask_for(machine, unlisted, Bind::chiplet, allowed), Cpus{77});
}

TEST(Masks, AFloatingThreadHasTheRestOfTheChipletWhereThatIsTwoCpusAtLeast) {
  const charm::Machine machine = charm::test::uniform(1, 3, 3);
  const charm::WorkerCore core = core_at(machine, 4);
  EXPECT_EQ(floating_mask(machine, core, machine.allowed_cpus), (Cpus{3, 5}));
  const Cpus allowed = {0, 1, 4, 5};
  EXPECT_EQ(floating_mask(machine, core, allowed), allowed) << "cpu 5 alone may be another thread's";
}

TEST(Masks, CoresAreNamedByTheirFirstCpu) {
  const charm::Machine machine = charm::test::uniform(1, 2, 2, 2);
  EXPECT_EQ(cpus_of_cores(machine, {1, 2}), (Cpus{1, 2, 5, 6}));
  EXPECT_EQ(cpus_of_chiplet(machine, 1), (Cpus{2, 3, 6, 7}));
  EXPECT_EQ(cpus_of_node(machine, -1), machine.allowed_cpus);
}

}  // namespace
