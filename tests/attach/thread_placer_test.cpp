// Steering a program that is not there: who is a worker, the core of each, and what is left when it is over.
#include "tools/attach/thread_placer.hpp"

#include <algorithm>
#include <rapidcheck.h>
#include <set>

#include <gtest/gtest.h>

#include "attach/steered_program.hpp"
#include "placement/restrict.hpp"

namespace {

using namespace charm::attach;

using Program = charm::test::SteeredProgram;
using charm::test::plan_on;

TEST(ThreadPlacer, BusyThreadsGetTheCoresOfThePolicyAndSleepersTheChipletsOfTheseWorkers) {
  Program run(charm::test::uniform(1, 4, 4), "local");
  const int sleeper = run.program.start(0.01);
  for (int i = 0; i < 6; ++i) run.program.start(1.0);
  run.pass(3);
  EXPECT_EQ(run.thread_placer.workers(), 6);
  EXPECT_EQ(run.cpus_of_workers(), (std::vector{0, 1, 2, 4, 5, 6})) << "two chiplets hold six, three on each";
  EXPECT_EQ(run.program.at(sleeper).mask, (charm::CpuSet{0, 1, 2, 3, 4, 5, 6, 7}));

  Program apart(charm::test::uniform(1, 4, 4), "distributed");
  for (int i = 0; i < 4; ++i) apart.program.start(1.0);
  apart.pass(2);
  EXPECT_EQ(apart.cpus_of_workers(), (std::vector{0, 4, 8, 12}));
}

TEST(ThreadPlacer, TellsWhetherTheLatestSearchFoundAnythingNew) {
  Program run(charm::test::uniform(1, 2, 4), "local");
  run.program.start(0.0);
  run.pass(0.05);
  EXPECT_FALSE(run.thread_placer.found_news());
  run.program.start(0.0);
  run.thread_placer.step(run.thread_placer.next_look());
  EXPECT_TRUE(run.thread_placer.found_news());
  run.thread_placer.step(run.thread_placer.next_look());
  EXPECT_FALSE(run.thread_placer.found_news());
}

TEST(ThreadPlacer, BindsNobodyUnderPolicyOs) {
  Program run(charm::test::uniform(1, 2, 4), "os");
  for (int i = 0; i < 4; ++i) run.program.start(1.0);
  run.pass(2);
  for (const auto& [id, thread] : run.program.all) EXPECT_EQ(thread.mask, run.machine.allowed_cpus);
}

TEST(ThreadPlacer, AThreadThatIsSometimesBusyStaysWhatItIs) {
  Program run(charm::test::uniform(1, 2, 4), "local");
  const int one = run.program.start(1.0);
  run.pass(2);
  EXPECT_EQ(run.thread_placer.workers(), 1);
  run.program.at(one).share = 0.3;
  run.pass(10);
  EXPECT_EQ(run.thread_placer.workers(), 1) << "still more than a helper does";
  run.program.at(one).share = 0.02;
  run.pass(4);
  EXPECT_EQ(run.thread_placer.workers(), 0);
  EXPECT_EQ(run.program.at(one).mask, run.machine.allowed_cpus) << "its core is everybody's again";
  run.program.at(one).share = 0.3;
  run.pass(10);
  EXPECT_EQ(run.thread_placer.workers(), 0) << "less than a worker does";
}

TEST(ThreadPlacer, AThreadThatAWorkerMakesIsLetLooseFromTheWorkersCore) {
  Program run(charm::test::uniform(1, 2, 4), "local");
  const int worker = run.program.start(1.0);
  run.program.start(1.0);
  run.pass(2);
  ASSERT_EQ(run.program.at(worker).mask.size(), 1U);
  const int child = run.program.start(0.0, worker);
  run.pass(0.05);
  EXPECT_EQ(run.program.at(child).mask, run.machine.allowed_cpus);
  run.pass(2);
  EXPECT_EQ(run.program.at(child).mask, (charm::CpuSet{0, 1, 2, 3})) << "grown up: near the worker";
}

TEST(ThreadPlacer, ACoreIsNotTakenFromAChildProcessThatIsNotFollowed) {
  Program run(charm::test::uniform(1, 2, 4), "local");
  const int worker = run.program.start(1.0);
  run.program.start(1.0);
  run.pass(2);
  ASSERT_EQ(run.program.at(worker).mask.size(), 1U);
  const int child = run.program.start(1.0, worker, 2);
  run.program.at(child).followed = false;
  const int grandchild = run.program.start(1.0, child, 3);
  run.program.at(grandchild).followed = false;
  run.pass(3);
  EXPECT_EQ(run.program.at(child).mask, run.machine.allowed_cpus);
  EXPECT_EQ(run.program.at(grandchild).mask, run.machine.allowed_cpus);
  EXPECT_EQ(run.thread_placer.workers(), 2);
}

TEST(ThreadPlacer, WhileOneThreadIsBusyAllOfThemShowAllCpusSoThatPoolsAreAsLargeAsTheMachine) {
  Program run(charm::test::uniform(1, 4, 4), "local");
  const int serial = run.program.start(1.0);
  const int helper = run.program.start(0.01);
  const auto whole = [&] {
    for (const auto& [id, thread] : run.program.all) {
      if (thread.mask != run.machine.allowed_cpus) return false;
    }
    return true;
  };
  run.pass(5);
  EXPECT_EQ(run.thread_placer.workers(), 1);
  EXPECT_TRUE(whole());
  const int other = run.program.start(1.0, serial);
  EXPECT_EQ(run.program.at(other).mask, run.machine.allowed_cpus) << "a pool counts these cpus";
  run.pass(3);
  EXPECT_EQ(run.thread_placer.workers(), 2);
  EXPECT_EQ(run.cpus_of_workers().size(), 2U) << "two are placed";
  EXPECT_EQ(run.program.at(helper).mask.size(), 4U);
  run.program.end(other);
  run.pass(1);
  EXPECT_TRUE(whole()) << "one is not";
  const int again = run.program.start(1.0, serial);
  run.pass(3);
  EXPECT_EQ(run.cpus_of_workers().size(), 2U);
  run.program.at(again).share = 0;
  run.pass(3);
  EXPECT_TRUE(whole()) << "the other sleeps";
  EXPECT_EQ(run.program.collisions, 0);
}

TEST(ThreadPlacer, MoreWorkersThanCoresShareThemChipletByChiplet) {
  Program run(charm::test::uniform(1, 2, 2), "local");
  for (int i = 0; i < 8; ++i) run.program.start(0.6);
  run.pass(3);
  std::multiset<charm::CpuSet> masks;
  for (const auto& [id, thread] : run.program.all) masks.insert(thread.mask);
  EXPECT_EQ(masks.count(charm::CpuSet{0, 1}), 4U);
  EXPECT_EQ(masks.count(charm::CpuSet{2, 3}), 4U);
  EXPECT_TRUE(run.thread_placer.tally().shared);
}

TEST(ThreadPlacer, WhatIsBornWhileItGetsOtherCpusIsOnTheseFromTheStart) {
  Program run(charm::test::uniform(1, 2, 4), "local");
  const int worker = run.program.start(1.0);
  run.pass(0.5);
  const int child = run.program.start(0.0, worker);  // not found yet
  bool born = false;
  run.program.at_bind = [&](const ThreadId& id) {  // of a thread that has its old mask still
    if (!born && id.thread == worker) run.program.start(0.0, worker);
    born = born || id.thread == worker;
  };
  run.thread_placer.use(narrowed(run.thread_placer.plan(), {4, 5}), run.now);
  ASSERT_TRUE(born);
  EXPECT_EQ(run.program.all.size(), 3U);
  for (const auto& [id, thread] : run.program.all) {
    EXPECT_TRUE(thread.mask.is_subset_of({4, 5})) << id.thread;
  }
  EXPECT_GT(child, worker);
}

TEST(ThreadPlacer, TellsWhatChildrenWantThatAreLeftToThemselves) {
  Program run(charm::test::uniform(1, 2, 4), "local");
  const int own = run.program.start(0.0);
  for (int i = 0; i < 3; ++i) run.program.at(run.program.start(1.0, own, 2)).followed = false;
  run.pass(2);
  EXPECT_EQ(run.thread_placer.demand(), 3);
  EXPECT_EQ(run.thread_placer.workers(), 0);
}

TEST(ThreadPlacer, ACoreIsNobodyElsesWhileTheKernelRefusesToBindItsThreadElsewhere) {
  Program run(charm::test::uniform(1, 2, 2), "local");
  const int stuck = run.program.start(1.0);
  run.program.start(1.0);
  run.pass(2);
  ASSERT_EQ(run.cpus_of_workers(), (std::vector{0, 1}));
  const charm::CpuSet core = run.program.at(stuck).mask;
  run.program.refused.insert(stuck);
  run.program.at(stuck).share = 0;
  run.pass(4);
  run.program.start(1.0);
  run.pass(3);
  EXPECT_EQ(run.thread_placer.workers(), 2);
  EXPECT_EQ(run.program.at(stuck).mask, core);
  EXPECT_GT(run.cpus_of_workers().size(), 2U) << "the one whose core it is floats";
  EXPECT_EQ(run.program.collisions, 0);
  EXPECT_FALSE(run.thread_placer.has_left(core));
  run.program.refused.clear();
  run.pass(2);
  EXPECT_EQ(run.cpus_of_workers(), (std::vector{0, 1}));
  EXPECT_EQ(run.program.collisions, 0);
}

TEST(ThreadPlacer, AProgramOfTheLibraryPlacesItself) {
  Program run(charm::test::uniform(1, 2, 4), "local");
  run.program.start(0.1);
  const int worker = run.program.start(1.0);
  run.program.at(worker).name = "charm-0";
  run.program.at(worker).mask = {7};
  run.pass(3);
  EXPECT_EQ(run.program.at(worker).mask, charm::CpuSet{7});
  EXPECT_TRUE(run.thread_placer.tally().steers_itself);
  for (const auto& [id, thread] : run.program.all) EXPECT_EQ(thread.binds, 0) << "it would take it for a wish";

  // A share that shrinks is a wish.
  const auto less = narrowed(run.thread_placer.plan(), {0, 1});
  run.thread_placer.use(less, run.now);
  for (const auto& [id, thread] : run.program.all) EXPECT_EQ(thread.mask, (charm::CpuSet{0, 1}));
}

TEST(ThreadPlacer, RestoreGivesBackWhatThreadsCameWith) {
  Program run(charm::test::uniform(1, 2, 4), "local", true);
  for (int i = 0; i < 3; ++i) run.program.start(1.0);
  const int own = run.program.start(1.0);
  run.program.at(own).mask = {3, 4};
  run.pass(2);
  EXPECT_EQ(run.cpus_of_workers().size(), 3U);
  const int late = run.program.start(0.5, 1);
  run.pass(1);
  run.thread_placer.restore();
  for (const auto& [id, thread] : run.program.all) {
    EXPECT_EQ(thread.mask, id.thread == own ? (charm::CpuSet{3, 4}) : run.machine.allowed_cpus) << id.thread;
  }
  EXPECT_GT(late, own);
}

TEST(ThreadPlacer, RestoresWhatWasBornSinceItLooked) {
  Program run(charm::test::uniform(1, 4, 4), "local");
  const int worker = run.program.start(1.0);
  run.program.start(1.0);
  run.pass(2);
  ASSERT_EQ(run.program.at(worker).mask.size(), 1U);
  const int child = run.program.start(1.0, worker);
  const int of_a_child = run.program.start(1.0, worker, 2);
  ASSERT_EQ(run.program.at(child).mask.size(), 1U);
  run.thread_placer.restore();
  for (const int id : {worker, child, of_a_child}) EXPECT_EQ(run.program.at(id).mask, run.machine.allowed_cpus) << id;
}

TEST(ThreadPlacer, TakesOnlyTheLibrarysNamesForItsWorkers) {
  for (const char* name : {"worker1", "worker123", "charm-", "charm-x", "charm-1x", "xcharm-1", "charm", "1234567"}) {
    Program run(charm::test::uniform(1, 2, 4), "local");
    const int worker = run.program.start(1.0);
    run.program.at(worker).name = name;
    run.program.start(1.0);
    run.pass(2);
    EXPECT_FALSE(run.thread_placer.tally().steers_itself) << name;
    EXPECT_EQ(run.program.at(worker).mask.size(), 1U) << name;
  }
}

/// Between two looks; the kernel shows no mask of it any more, which nobody has chosen.
TEST(ThreadPlacer, AThreadThatEndsBeforeItsPlanChangesHasChosenNothing) {
  for (const bool restored : {false, true}) {
    Program run(charm::test::uniform(1, 2, 4), "local");
    for (int i = 0; i < 3; ++i) run.program.start(1.0);
    run.pass(2);
    run.program.end(2);
    if (restored) {
      run.thread_placer.restore();
    } else {
      run.thread_placer.use(plan_on(charm::placement::restricted(run.machine, charm::CpuSet{0, 1}), "local"), run.now);
    }
    EXPECT_EQ(run.thread_placer.tally().left_alone, 0U);
  }
}

TEST(ThreadPlacer, WithoutCountersAPolicyThatMovesSaysWhyItStands) {
  Program run(charm::test::uniform(1, 4, 4), "adaptive");
  for (int i = 0; i < 4; ++i) run.program.start(1.0);
  run.pass(2);
  EXPECT_FALSE(run.thread_placer.decides());
  EXPECT_NE(run.thread_placer.trouble().find("no counters"), std::string::npos);
}

/// Chiplets of 32 MiB: what fits into those that hold the workers stays there, the rest gets all caches.
TEST(ThreadPlacer, WithoutCountersItStandsByTheMemoryThatTheProgramHolds) {
  for (const auto& [mib, chiplets] : {std::pair{8, 1}, std::pair{60, 2}, std::pair{4000, 4}}) {
    Program run(charm::test::uniform(1, 4, 4), "adaptive");
    run.program.resident = mib * 1024.0 * 1024.0;
    for (int i = 0; i < 4; ++i) run.program.start(1.0);
    run.pass(5);
    EXPECT_EQ(run.thread_placer.spread(), chiplets) << mib << " MiB";
    EXPECT_NE(run.thread_placer.trouble().find("stands at " + std::to_string(chiplets)), std::string::npos);
    EXPECT_EQ(run.program.collisions, 0);
  }
}

/// Eight workers fill one of two sockets, whose caches do not hold the program's memory.
TEST(ThreadPlacer, WithoutCountersItTakesBothSocketsForMemoryThatNeedsTheirCaches) {
  for (const double bytes : {1e6, 4e9}) {
    Program run(charm::test::uniform(2, 2, 4), "adaptive");
    run.program.resident = bytes;
    for (int i = 0; i < 8; ++i) run.program.start(1.0);
    run.pass(5);
    EXPECT_EQ(run.thread_placer.spread(), bytes < 1e9 ? 2 : 4);
    EXPECT_EQ(run.program.collisions, 0);
  }
}

TEST(ThreadPlacer, FollowsAProgramThatGrowsAndNotOneThatIsLargeForAMoment) {
  Program run(charm::test::uniform(1, 4, 4), "adaptive");
  run.program.resident = 1e6;
  for (int i = 0; i < 4; ++i) run.program.start(1.0);
  run.pass(5);
  ASSERT_EQ(run.thread_placer.spread(), 1);
  run.program.resident = 4e9;
  run.pass(0.9);
  run.program.resident = 1e6;
  run.pass(5);
  EXPECT_EQ(run.thread_placer.tally().moves, 0U);
  run.program.resident = 4e9;
  run.pass(5);
  EXPECT_EQ(run.thread_placer.spread(), 4);
  EXPECT_GT(run.thread_placer.tally().moves, 0U);
}

TEST(ThreadPlacer, KeepsToTheSpreadThatTheUserAskedFor) {
  Program run(charm::test::uniform(1, 4, 4), "adaptive", false, 2);
  run.program.resident = 4e9;
  for (int i = 0; i < 4; ++i) run.program.start(1.0);
  run.pass(5);
  EXPECT_EQ(run.thread_placer.spread(), 2);
}

/// Twice as fast on four chiplets as on one: without counters only what the program tells can show that.
TEST(ThreadPlacer, WithoutCountersTheControllerTriesAndComparesWhatTheProgramTells) {
  Program run(charm::test::uniform(1, 4, 4), "adaptive");
  run.program.done = 0;
  for (int i = 0; i < 4; ++i) run.program.start(1.0);
  for (int i = 0; i < 600; ++i) {
    run.pass(0.1);
    *run.program.done += 0.1 * (1 + run.thread_placer.spread() / 4.0);
  }
  EXPECT_TRUE(run.thread_placer.decides());
  EXPECT_EQ(run.thread_placer.spread(), 4);
  EXPECT_FALSE(run.thread_placer.decisions().empty());
}

/// It tells a number every 1.3 s, in which the controller of `charm run` ticks more than six times.
TEST(ThreadPlacer, ATickLastsUntilTheProgramTellsTheNextNumber) {
  Program run(charm::test::uniform(1, 4, 4), "adaptive");
  double really = 0;
  run.program.done = 0;
  run.program.done_at = 0;
  for (int i = 0; i < 4; ++i) run.program.start(1.0);
  for (int i = 0; i < 3000; ++i) {
    run.pass(0.1);
    really += 0.1 * (1 + run.thread_placer.spread() / 4.0);
    if (i % 13 != 12) continue;
    run.program.done = really;
    run.program.done_at = run.now;
  }
  EXPECT_EQ(run.thread_placer.spread(), 4) << "twice as fast as one";
  const auto decisions = run.thread_placer.decisions();
  ASSERT_FALSE(decisions.empty());
  for (const auto& decision : decisions) {
    const double rate = 1 + decision.from / 4.0;
    EXPECT_NEAR(decision.throughput, rate, 0.2 * rate) << decision.reason;
  }
}

TEST(ThreadPlacer, AFirstNumberThatComesLateIsHeardAndSilenceNoticed) {
  Program run(charm::test::uniform(1, 4, 4), "adaptive");
  run.program.resident = 1e6;
  for (int i = 0; i < 4; ++i) run.program.start(1.0);
  run.pass(20);
  ASSERT_FALSE(run.thread_placer.decides());
  EXPECT_NE(run.thread_placer.trouble().find("stands at 1 "), std::string::npos);
  run.program.done = 0;
  for (int i = 0; i < 600; ++i) {
    run.pass(0.1);
    *run.program.done += 0.1 * (1 + run.thread_placer.spread() / 4.0);
  }
  EXPECT_TRUE(run.thread_placer.decides());
  EXPECT_EQ(run.thread_placer.trouble(), "");
  EXPECT_EQ(run.thread_placer.spread(), 4);
  run.program.done_at = run.now;
  run.program.next_word = run.now + 40;
  run.pass(38);
  EXPECT_TRUE(run.thread_placer.decides()) << "it is known that it takes long";
  run.pass(4);
  EXPECT_FALSE(run.thread_placer.decides());
  run.program.done_at = run.now;
  run.program.next_word = 0;
  run.pass(12);
  EXPECT_TRUE(run.thread_placer.decides()) << "it may be busy with one piece of work";
  run.pass(20);
  EXPECT_FALSE(run.thread_placer.decides());
  EXPECT_EQ(run.thread_placer.spread(), 1) << "one chiplet's cache holds it";
}

TEST(ThreadPlacer, WithCountersTheControllerMovesTheWorkers) {
  Program run(charm::test::uniform(1, 4, 4), "adaptive");
  run.program.has_counters = true;
  for (int i = 0; i < 4; ++i) run.program.start(1.0);
  run.pass(30);
  EXPECT_TRUE(run.thread_placer.decides());
  EXPECT_FALSE(run.thread_placer.decisions().empty()) << "all of its time goes to memory: it tries to spread";
  EXPECT_GT(run.thread_placer.tally().moves, 0U);
  EXPECT_EQ(run.program.collisions, 0);
}

TEST(ThreadPlacer, WhereCountersAreGivenUpItStandsByTheProgramsMemoryAndSaysWhy) {
  Program run(charm::test::uniform(1, 4, 4), "adaptive");
  run.program.has_counters = true;
  for (int i = 0; i < 4; ++i) run.program.start(1.0);
  run.pass(10);
  ASSERT_TRUE(run.thread_placer.decides());
  run.program.counters_end = true;
  run.program.resident = 1;
  run.pass(10);
  EXPECT_FALSE(run.thread_placer.decides());
  EXPECT_EQ(run.thread_placer.spread(), 1) << "one chiplet's cache holds it";
  run.program.resident = 1e15;
  run.pass(10);
  EXPECT_EQ(run.thread_placer.spread(), 4);
  EXPECT_NE(run.thread_placer.trouble().find("since they switch so often"), std::string::npos)
      << run.thread_placer.trouble();
}

TEST(ThreadPlacer, WhateverThreadsDoNoTwoWorkersMeetAndNobodyLeavesThePlan) {
  EXPECT_TRUE(rc::check([] {
    const charm::Machine machine = *charm::test::any_machine();
    const std::string policy = *rc::gen::element<std::string>("local", "distributed", "numa", "adaptive");
    Program run(machine, policy);
    run.program.has_counters = *rc::gen::arbitrary<bool>();
    std::vector<int> ids{run.program.start(0.5)};
    for (int step = 0; step < 25; ++step) {
      const int what = *rc::gen::inRange(0, 6);
      const auto which = *rc::gen::inRange<std::size_t>(0, ids.size());
      if (what < 2) {
        const int more = *rc::gen::inRange(1, 5);
        for (int i = 0; i < more; ++i) ids.push_back(run.program.start(*rc::gen::element(0.0, 0.3, 1.0), ids[which]));
      } else if (what == 2 && ids.size() > 1) {
        run.program.end(ids[which]);
        ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(which));
      } else if (what == 3) {
        run.program.at(ids[which]).share = *rc::gen::element(0.0, 0.3, 1.0);
      } else if (what == 4) {
        charm::CoreCpuSet cores;
        for (const auto& core : machine.cores) {
          if (*rc::gen::inRange(0, 3) != 0) cores.insert(core.cpu);
        }
        run.thread_placer.use(narrowed(plan_on(machine, policy), cores), run.now);
      }
      run.pass(0.4);
      const auto& cpus = run.thread_placer.plan().cpus;
      std::multiset<int> alone;
      for (const auto& [id, thread] : run.program.all) {
        RC_ASSERT(thread.mask.is_subset_of(cpus));
      }
      if (run.thread_placer.shares()) continue;
      for (const auto& row : run.thread_placer.rows()) {
        if (row.worker && row.cpus.size() == 1) alone.insert(row.cpus.front());
      }
      for (const int cpu : alone) RC_ASSERT(alone.count(cpu) == 1);
    }
    run.thread_placer.restore();
    for (const auto& [id, thread] : run.program.all) RC_ASSERT(thread.mask == machine.allowed_cpus);
  }));
}

}  // namespace
