// The controllers in the running runtime: workers move themselves, follow the cpus that they may use, lose no task.
#include <charm/charm.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "sched/fake_cpus.hpp"
#include "sched/run/runtime.hpp"
#include "sched/scripted_counters.hpp"
#include "sched/steered.hpp"
#include "sched/work_until.hpp"

namespace {

using charm::test::FakeKernel;
using charm::test::Scripted;
using charm::test::Steered;
using charm::test::told;
using charm::test::work_until;
using namespace std::chrono_literals;

constexpr const char* four_chiplets = "pack:1 l3:4 core:4 pu:1";
constexpr const char* quick = "adaptive:tick=0.005,max_samples=4";

TEST(Steering, AWorkerMovesItselfAndSaysWhy) {
  Steered steered(2, four_chiplets, quick, 16);
  EXPECT_TRUE(charm::stats().adapts);
  EXPECT_TRUE(work_until([] { return charm::decisions().size() >= 3; }));
  const auto decisions = charm::decisions();
  ASSERT_GE(decisions.size(), 3U);
  for (const auto& d : decisions) {
    EXPECT_NE(d.from, d.to) << to_string(d);
    EXPECT_FALSE(d.reason.empty());
    EXPECT_GT(d.time, 0);
    EXPECT_NE(explain(d).find(d.reason), std::string::npos);
  }
  EXPECT_EQ(steered.kernel.collisions(), 0);
  EXPECT_GT(steered.kernel.binds(), 2) << "nobody was bound anew";
  EXPECT_FALSE(charm::timeline().empty());
}

TEST(Steering, Algorithm1DoesNotMoveAnybodyByCountersThatAreNotThere) {
  Steered steered(2, four_chiplets, "charm-alg1:period=0.004,threshold=0", 16);
  ASSERT_TRUE(work_until([] { return charm::timeline().size() > 20; }));
  EXPECT_TRUE(charm::decisions().empty()) << told(charm::decisions());
}

TEST(Steering, AfterADecisionEveryWorkerIsWhereTheSpreadPutsIt) {
  Scripted::Rates rates;
  Steered steered(4, "pack:1 numa:2 l3:4 core:4 pu:1", "charm-alg1-group:period=0.02", 32, {},
                  std::make_unique<Scripted>(rates));
  auto& runtime = steered.runtime();
  const int top = runtime.placement.levels.back();
  ASSERT_GE(top, 4);
  for (std::uint64_t fills : {1000000, 0, 1000000}) {
    rates.other_chiplet = fills;
    const int end = fills > 0 ? top : runtime.placement.levels.front();
    ASSERT_TRUE(work_until([&] {
      // Every worker bound to its cpu of that level, and found in the group of its chiplet.
      for (int w = 0; w < 4; ++w) {
        const charm::WorkerCore wanted = runtime.placement.lookup(w, end);
        charm::WorkerCore found = charm::call(w, [] { return charm::sched::this_worker()->worker_core(); });
        if (found != wanted) return false;
        const auto mask = charm::call(w, [&] { return steered.kernel.mask_of(std::this_thread::get_id()); });
        if (mask != charm::CpuSet{wanted.cpu}) return false;
      }
      return true;
    })) << told(charm::decisions());
  }
  const auto decisions = charm::decisions();
  ASSERT_FALSE(decisions.empty());
  EXPECT_NE(decisions.front().reason.find("events >="), std::string::npos) << told(decisions);
  EXPECT_EQ(steered.kernel.collisions(), 0);
}

TEST(Steering, OneChipletLeavesNothingToDecideAndCostsNoController) {
  Steered steered(2, "pack:1 l3:1 core:4 pu:1", "adaptive", 4);
  EXPECT_FALSE(charm::stats().adapts);
  EXPECT_TRUE(charm::timeline().empty());
  charm::run([] { charm::parallel_for(0, 1000, [](int) {}); });
  EXPECT_TRUE(charm::decisions().empty());
  EXPECT_EQ(charm::stats().policy, "adaptive");
}

TEST(Steering, EveryPolicyNameStartsARuntime) {
  for (const char* policy : {"adaptive", "charm-alg1", "charm-alg1-group", "static", "static:spread=4", "local",
                             "distributed", "numa", "os", "literal"}) {
    Steered steered(2, four_chiplets, policy, 16);
    EXPECT_EQ(charm::run([] { return 7; }), 7) << policy;
  }
}

TEST(Steering, WorkersLeaveCpusThatAreTakenAwayAndNoTaskIsLost) {
  Steered steered(4, four_chiplets, "adaptive:tick=0.005", 16);
  std::atomic<long> done{0};
  std::vector<charm::CpuSet> sets = {
      {0, 1, 2, 3, 4, 5, 6, 7}, {8, 9, 10, 11}, {2, 6, 10, 14}, {0, 1, 2, 3}, {0, 4, 8, 12, 13, 14, 15}};
  int changes = 0;
  for (int round = 0; round < 3; ++round) {
    for (const auto& cpus : sets) {
      steered.kernel.set_cpuset(cpus);
      ++changes;
      ASSERT_TRUE(work_until([&] { return charm::stats().allowed_cpus == cpus; }, &done));
      ASSERT_TRUE(work_until(
          [&] {
            auto taken = steered.kernel.taken();
            return std::all_of(taken.begin(), taken.end(), [&](int cpu) { return cpus.contains(cpu); });
          },
          &done));
      for (const auto& worker_core : charm::worker_cores()) {
        EXPECT_TRUE(cpus.contains(worker_core.cpu)) << worker_core.cpu;
      }
    }
  }
  EXPECT_EQ(done.load() % 64, 0);
  EXPECT_EQ(steered.kernel.collisions(), 0);
  EXPECT_EQ(charm::stats().cpu_changes, changes);
  EXPECT_NE(told(charm::decisions()).find("the process may use cpus 8-11 now"), std::string::npos)
      << told(charm::decisions());
}

TEST(Steering, AMaskFromOutsideIsObeyed) {
  Steered steered(2, four_chiplets, "local", 16);
  steered.kernel.set_all_masks({5, 9, 10});
  const charm::CpuSet wanted = {5, 9, 10};
  ASSERT_TRUE(work_until([&] { return charm::stats().allowed_cpus == wanted; }));
  for (const auto& worker_core : charm::worker_cores()) EXPECT_TRUE(wanted.contains(worker_core.cpu));
  EXPECT_EQ(steered.kernel.collisions(), 0);
}

TEST(Steering, WorkersWithoutACpuRestAndStillServeWhatIsBoundToThem) {
  Steered steered(4, four_chiplets, "local", 16);
  steered.kernel.set_cpuset({3, 7});
  ASSERT_TRUE(work_until([] { return charm::stats().allowed_cpus == charm::CpuSet{3, 7}; }));
  int placed = 0;
  for (const auto& worker_core : charm::worker_cores()) placed += worker_core.cpu >= 0 ? 1 : 0;
  EXPECT_EQ(placed, 2);
  std::atomic<int> served{0};
  for (int round = 0; round < 50; ++round) {
    charm::run([&] {
      charm::all_do([&](int) {
        served.fetch_add(1);
        charm::barrier();
      });
    });
    for (int w = 0; w < 4; ++w) EXPECT_EQ(charm::call(w, [] { return charm::worker_id(); }), w);
  }
  EXPECT_EQ(served.load(), 200);
  ASSERT_TRUE(work_until([] { return true; }));
  // And they come back.
  charm::CpuSet all = {0, 1, 2, 3, 4, 5, 6, 7};
  steered.kernel.set_cpuset(all);
  ASSERT_TRUE(work_until([&] { return charm::stats().allowed_cpus == all; }));
  for (const auto& worker_core : charm::worker_cores()) EXPECT_GE(worker_core.cpu, 0);
  EXPECT_EQ(steered.kernel.collisions(), 0);
}

TEST(Steering, WhatIsSentToAChipletWhereAllRestIsServed) {
  Steered steered(4, four_chiplets, "local", 16);
  steered.kernel.set_cpuset({7, 11});
  const std::vector<charm::WorkerCore> worker_cores = charm::worker_cores();
  auto chiplet_here = [] { return charm::sched::this_worker()->worker_core().chiplet; };
  auto chiplet_of = [&](int w) { return charm::call(w, chiplet_here); };
  ASSERT_TRUE(work_until([&] { return chiplet_of(0) == 1 && chiplet_of(1) == 2; }));
  for (int round = 0; round < 50; ++round) {
    for (const charm::WorkerCore& worker_core : worker_cores) {
      EXPECT_EQ(charm::call(charm::on_chiplet{worker_core.chiplet}, chiplet_here), worker_core.chiplet)
          << "two rest there";
      EXPECT_EQ(charm::call(charm::on_node{worker_core.node}, [&] { return worker_core.node; }), worker_core.node);
      if (round % 10 == 0) std::this_thread::sleep_for(5ms);  // so that they sleep
    }
  }
}

TEST(Steering, AWorkerAtRestHasItsTimeLimitsKeptAndEndsWithTheOthers) {
  Steered steered(4, four_chiplets, "local", 16);
  steered.kernel.set_cpuset({3, 7});
  ASSERT_TRUE(work_until([] { return charm::stats().allowed_cpus == charm::CpuSet{3, 7}; }));
  std::atomic<int> woke{0};
  for (int w = 0; w < 4; ++w) {
    charm::call(w, [&] {
      charm::sleep_for(2ms);
      ++woke;
    });
    charm::call_detached(w, [&] {
      charm::sleep_for(20ms);
      ++woke;
    });
  }
  EXPECT_TRUE(work_until([&] { return woke.load() == 8; }));
}

TEST(Steering, TheModeOfBindingIsKeptToTheAllowedCpus) {
  Steered steered(2, four_chiplets, "local", 16, [](charm::Config& c) { c.bind = "chiplet"; });
  auto masks_are = [&](const charm::CpuSet& expected) {
    for (int w = 0; w < 2; ++w) {
      if (steered.kernel.mask_of(charm::call(w, [] { return std::this_thread::get_id(); })) != expected) return false;
    }
    return true;
  };
  EXPECT_TRUE(work_until([&] { return masks_are({0, 1, 2, 3}); }));
  steered.kernel.set_all_masks({1, 2, 9, 10});
  EXPECT_TRUE(work_until([&] { return masks_are({1, 2}); }));
  steered.kernel.set_all_masks({8, 9, 10, 11, 12});
  EXPECT_TRUE(work_until([&] { return masks_are({8, 9, 10, 11}); }));
}

TEST(Steering, NobodyIsBoundWhereThatIsTheMode) {
  Steered steered(2, four_chiplets, quick, 16, [](charm::Config& c) { c.bind = "none"; });
  ASSERT_TRUE(work_until([] { return !charm::timeline().empty(); }));
  steered.kernel.set_cpuset({3});
  ASSERT_TRUE(work_until([] { return charm::stats().allowed_cpus == charm::CpuSet{3}; }));
  EXPECT_EQ(steered.kernel.binds(), 0);
}

TEST(Steering, WorkersWithoutACpuShareWhereThatIsAskedFor) {
  Steered steered(4, four_chiplets, "local", 16, [](charm::Config& c) { c.surplus = "share"; });
  steered.kernel.set_cpuset({3, 7});
  ASSERT_TRUE(work_until([] { return charm::stats().allowed_cpus == charm::CpuSet{3, 7}; }));
  for (const auto& worker_core : charm::worker_cores()) EXPECT_TRUE(worker_core.cpu == 3 || worker_core.cpu == 7);
}

TEST(Steering, CpusThatTheMachineDidNotKnowAreUsedOneEach) {
  Steered steered(4, "pack:1 l3:2 core:2 pu:1", "adaptive", 4);
  steered.kernel.set_all_masks({20, 21, 22, 23, 24});
  steered.kernel.set_cpuset({20, 21, 22, 23, 24});
  ASSERT_TRUE(work_until([] { return charm::stats().cpu_changes > 0; }));
  std::set<int> cpus;
  for (const auto& worker_core : charm::worker_cores()) cpus.insert(worker_core.cpu);
  EXPECT_EQ(cpus.size(), 4U);
  EXPECT_GE(*cpus.begin(), 20);
  EXPECT_EQ(steered.kernel.collisions(), 0);
}

class InLoop : public testing::TestWithParam<charm::Schedule> {};
INSTANTIATE_TEST_SUITE_P(Schedules, InLoop,
                         testing::Values(charm::Schedule::lazy, charm::Schedule::static_, charm::Schedule::dynamic));

TEST_P(InLoop, AWorkerMovesBetweenTwoChunks) {
  Steered steered(1, four_chiplets, "local", 16);
  std::atomic<bool> moved{false};
  charm::run([&] {
    charm::parallel_for(0, 2000000,
                        [&](int) {
                          if (moved.load(std::memory_order_relaxed)) return;
                          steered.kernel.set_cpuset({9, 10});
                          volatile int sink = 0;
                          for (int k = 0; k < 2000; ++k) sink = sink + k;
                          if (charm::sched::this_worker()->worker_core().cpu == 9) moved = true;
                        },
                        {.grain = 16, .schedule = GetParam()});
  });
  EXPECT_TRUE(moved);
}

class InReduction : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Trees, InReduction, testing::Bool());

TEST_P(InReduction, AWorkerMovesBetweenTwoChunks) {
  Steered steered(1, four_chiplets, "local", 16);
  std::atomic<bool> moved{false};
  charm::run([&] {
    charm::parallel_reduce(
        0, 2000000, std::int64_t{0},
        [&](int low, int high, std::int64_t sum) {
          for (int i = low; i < high && !moved.load(std::memory_order_relaxed); ++i) {
            steered.kernel.set_cpuset({9, 10});
            volatile int sink = 0;
            for (int k = 0; k < 2000; ++k) sink = sink + k;
            if (charm::sched::this_worker()->worker_core().cpu == 9) moved = true;
          }
          return sum + (high - low);
        },
        [](std::int64_t a, std::int64_t b) { return a + b; }, {.grain = 16, .deterministic = GetParam()});
  });
  EXPECT_TRUE(moved);
}

/// Algorithm 1 spreads while there are fills, so each of these decides as soon as it is asked.
constexpr const char* eager = "charm-alg1-group:period=0.01";

TEST(Steering, RegionsHaveControllersOfTheirOwn) {
  Scripted::Rates rates;
  rates.other_chiplet = 1000000;
  Steered steered(2, four_chiplets, eager, 16, {}, std::make_unique<Scripted>(rates));
  auto made_in = [](const std::string& region) {
    return [region] {
      const auto all = charm::decisions();
      return std::any_of(all.begin(), all.end(), [&](const charm::Decision& d) {
        return d.region == region && d.reason.find("events >=") != std::string::npos;
      });
    };
  };
  ASSERT_TRUE(work_until(made_in(""))) << told(charm::decisions());
  {
    charm::region outer("scan");
    ASSERT_TRUE(work_until(made_in("scan"))) << told(charm::decisions());
    charm::region inner("join");
    ASSERT_TRUE(work_until(made_in("join"))) << told(charm::decisions());
  }
  EXPECT_NE(told(charm::decisions()).find("the region was entered"), std::string::npos);
}

TEST(Steering, ARecordingDecidesAsTheMachineThatItWasMadeOnWould) {
  const std::string file = testing::TempDir() + "steering_recording.csv";
  std::ofstream(file) << "# charm counters 1\n"
                         "time_ns,worker,instructions,cycles,own_l2,own_chiplet,other_chiplet,remote_cache,local_dram,"
                         "remote_dram,other,page_faults,migrations,waiting_ns,counted_share\n"
                         "0,0,0,,,0,0,0,0,0,,0,0,0,1\n"
                         "0,1,0,,,0,0,0,0,0,,0,0,0,1\n"
                         // A million lines a second from other chiplets, for far longer than the test runs.
                         "1000000000000,0,1000000000000,,,0,1000000000,0,0,0,,0,0,0,1\n"
                         "1000000000000,1,1000000000000,,,0,1000000000,0,0,0,,0,0,0,1\n";
  Steered steered(2, four_chiplets, eager, 16, [&](charm::Config& c) { c.counters = "replay:" + file; });
  EXPECT_TRUE(work_until([] {
    const auto all = charm::decisions();
    return std::any_of(all.begin(), all.end(), [](const charm::Decision& d) { return d.from == 1 && d.to == 2; });
  })) << told(charm::decisions());
}

TEST(Steering, OutsideOfRegionsNothingIsDecidedWhereOnlyRegionsAreMonitored) {
  Scripted::Rates rates;
  rates.other_chiplet = 1000000;
  Steered steered(
      2, four_chiplets, eager, 16, [](charm::Config& c) { c.monitor = "regions"; }, std::make_unique<Scripted>(rates));
  const auto ticks = [] { return charm::timeline().size(); };
  ASSERT_TRUE(work_until([&] { return ticks() > 20; }));
  EXPECT_TRUE(charm::decisions().empty()) << told(charm::decisions());
  charm::region here("here");
  EXPECT_TRUE(work_until([] { return !charm::decisions().empty(); }));
}

TEST(Steering, AListenerHearsOfEveryDecision) {
  Scripted::Rates rates;
  rates.other_chiplet = 1000000;
  Steered steered(2, four_chiplets, eager, 16, {}, std::make_unique<Scripted>(rates));
  std::atomic<int> heard{0};
  charm::on_decision([&](const charm::Decision& d) {
    if (!d.outcome.empty()) heard.fetch_add(1);
  });
  EXPECT_TRUE(work_until([&] {
    rates.other_chiplet =
        charm::sched::Runtime::get().steering->worker_cores()[1].chiplet == 0 ? 1000000 : 0;  // up and down
    return heard.load() >= 2;
  }));
  charm::on_decision({});
}

TEST(Steering, UserWorkIsCountedAlsoFromThreadsThatAreNoWorkers) {
  Steered steered(2, four_chiplets, "adaptive:tick=0.005", 16);
  EXPECT_TRUE(work_until([] {
    charm::add_work(1e9);  // far more than the tasks' own
    const auto points = charm::timeline();
    return std::any_of(points.begin(), points.end(),
                       [](const charm::TimelinePoint& p) { return p.throughput * p.seconds > 5e8; });
  }));
}

}  // namespace
