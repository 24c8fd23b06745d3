// Other programs that keep cores busy: who leaves them, who stays, and how often.
#include <rapidcheck.h>

#include <gtest/gtest.h>

#include "attach/steered_program.hpp"

namespace {

using namespace charm::attach;
using charm::test::SteeredProgram;

TEST(Quiet, AWorkerLeavesACoreThatAnotherProgramKeepsBusy) {
  SteeredProgram run(charm::test::uniform(1, 2, 4), "local");
  for (int i = 0; i < 2; ++i) run.program.start(1.0);
  run.pass(3);
  ASSERT_EQ(run.cpus_of_workers(), (std::vector{0, 1}));
  run.program.others[0] = 1;
  run.pass(10);
  EXPECT_EQ(run.cpus_of_workers(), (std::vector{1, 2})) << "a quiet core of the same chiplet";
  EXPECT_EQ(run.thread_placer.tally().avoided, 1U);
  run.program.others.clear();
  run.pass(20);
  EXPECT_EQ(run.cpus_of_workers(), (std::vector{1, 2})) << "there is no reason to go back";
  EXPECT_EQ(run.thread_placer.tally().avoided, 1U);
}

TEST(Quiet, TwoLeaveAChipletThatOthersFillForOneThatTheyLeaveIdle) {
  SteeredProgram run(charm::test::uniform(1, 2, 4), "local");
  for (int i = 0; i < 2; ++i) run.program.start(1.0);
  run.pass(3);
  ASSERT_EQ(run.cpus_of_workers(), (std::vector{0, 1}));
  for (const int cpu : {0, 1, 2, 3}) run.program.others[cpu] = 0.8;
  run.pass(10);
  EXPECT_EQ(run.cpus_of_workers(), (std::vector{4, 5}));
}

TEST(Quiet, ALoadThatComesAndGoesMovesNobody) {
  SteeredProgram run(charm::test::uniform(1, 2, 4), "local");
  for (int i = 0; i < 2; ++i) run.program.start(1.0);
  run.pass(3);
  for (int burst = 0; burst < 10; ++burst) {
    run.program.others[0] = 1;
    run.pass(1);
    run.program.others.clear();
    run.pass(9);
  }
  EXPECT_EQ(run.cpus_of_workers(), (std::vector{0, 1}));
  EXPECT_EQ(run.thread_placer.tally().avoided, 0U);
}

TEST(Quiet, NobodyMovesForACoreThatIsNotTheirsOrWhereAllAreBusy) {
  SteeredProgram run(charm::test::uniform(1, 1, 4), "local");
  for (int i = 0; i < 3; ++i) run.program.start(1.0);
  run.pass(3);
  ASSERT_EQ(run.cpus_of_workers(), (std::vector{0, 1, 2}));
  run.program.others[3] = 1;
  run.pass(10);
  EXPECT_EQ(run.thread_placer.tally().avoided, 0U);
  for (const int cpu : {0, 1, 2}) run.program.others[cpu] = 1;
  run.pass(20);
  EXPECT_EQ(run.cpus_of_workers(), (std::vector{0, 1, 2}));
  EXPECT_EQ(run.thread_placer.tally().avoided, 0U);
}

TEST(Quiet, WhatTheProgramDoesItselfIsNoNoise) {
  SteeredProgram run(charm::test::uniform(1, 2, 4), "local");
  run.program.start(1.0);
  for (int i = 0; i < 8; ++i) run.program.start(0.4);  // no workers, and bound to no core
  run.pass(30);
  EXPECT_TRUE(run.thread_placer.busy().empty());
}

TEST(Quiet, WhatOthersHaveLeasedIsNotSampled) {
  SteeredProgram run(charm::test::uniform(1, 2, 4), "local");
  run.thread_placer.others().set_leased({5, 6});
  for (int i = 0; i < 2; ++i) run.program.start(1.0);
  for (const int cpu : {5, 6, 7}) run.program.others[cpu] = 1;
  run.pass(10);
  EXPECT_EQ(run.thread_placer.busy(), charm::CpuSet{7});
}

TEST(Quiet, IsNotLookedForWhereNobodyAskedForIt) {
  SteeredProgram run(charm::test::uniform(1, 2, 4), "local");
  run.thread_placer.others().ignore();
  for (int i = 0; i < 2; ++i) run.program.start(1.0);
  run.program.others[0] = 1;
  run.pass(10);
  EXPECT_EQ(run.cpus_of_workers(), (std::vector{0, 1}));
  SteeredProgram free(charm::test::uniform(1, 2, 4), "os");
  free.program.start(1.0);
  free.program.others[0] = 1;
  free.pass(10);
  EXPECT_TRUE(free.thread_placer.busy().empty());
}

TEST(Quiet, WhateverOthersDoNobodyLeavesThePlanOrMeetsOrMovesAllTheTime) {
  EXPECT_TRUE(rc::check([] {
    const charm::Machine machine = *charm::test::any_machine();
    SteeredProgram run(machine, *rc::gen::element<std::string>("local", "distributed", "numa", "charm-alg1-group"));
    const auto workers = *rc::gen::inRange<std::size_t>(1, std::min<std::size_t>(24, 2 * machine.cores.size()) + 1);
    for (std::size_t i = 0; i < workers; ++i) run.program.start(1.0);
    run.pass(2);
    for (int step = 0; step < 10; ++step) {
      for (const int cpu : machine.allowed_cpus) {
        if (*rc::gen::inRange(0, 3) == 0) run.program.others[cpu] = *rc::gen::element(0.0, 0.5, 1.0);
      }
      run.pass(*rc::gen::element(0.5, 2.0, 6.0));
      std::set<int> taken;
      for (const auto& row : run.thread_placer.rows()) {
        RC_ASSERT(row.cpus.is_subset_of(machine.allowed_cpus));
        if (run.thread_placer.shares() || run.thread_placer.workers() < 2 || !row.worker) continue;
        RC_ASSERT(row.cpus.size() == 1);
        RC_ASSERT(taken.insert(row.cpus.front()).second);
      }
      RC_ASSERT(static_cast<double>(run.thread_placer.tally().avoided) <= run.now / 5 + 1);
    }
    RC_ASSERT(run.program.collisions == 0 || run.thread_placer.shares());
  }));
}

}  // namespace
