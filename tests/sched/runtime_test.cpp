// Starting, stopping, and what the runtime says about itself.
#include <atomic>
#include <functional>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "base/error_code.hpp"
#include "os/threads/affinity.hpp"
#include "sched/running.hpp"

namespace {

using charm::test::code_of;

TEST(Runtime, StartsAndStopsAgainAndAgain) {
  for (int i = 0; i < 20; ++i) {
    Running runtime(1 + i % 4);
    EXPECT_EQ(charm::num_workers(), 1 + i % 4);
    EXPECT_EQ(charm::run([] { return 7; }), 7);
  }
  EXPECT_FALSE(charm::initialized());
  EXPECT_EQ(charm::num_workers(), 0);
}

TEST(Runtime, StopsRightAfterItStarted) {
  for (int i = 0; i < 50; ++i) Running runtime(4);
}

TEST(Runtime, MisuseIsAnErrorThatSaysSo) {
  EXPECT_EQ(code_of([] { charm::run([] {}); }), charm::Errc::not_running);
  EXPECT_EQ(code_of([] { charm::finalize(); }), charm::Errc::not_running);
  EXPECT_EQ(code_of([] { charm::async([] {}); }), charm::Errc::not_running);
  Running runtime(2);
  EXPECT_EQ(code_of([] { charm::init({.policy = "os"}); }), charm::Errc::bad_config);
  EXPECT_EQ(code_of([] { charm::run([] { charm::finalize(); }); }), charm::Errc::not_running);
  EXPECT_EQ(code_of([] { charm::barrier(); }), charm::Errc::bad_input);
  EXPECT_EQ(code_of([] { charm::call(17, [] {}); }), charm::Errc::bad_input);
  EXPECT_EQ(code_of([] { charm::call(charm::on_chiplet{-1}, [] {}); }), charm::Errc::bad_input);
  EXPECT_EQ(code_of([] { charm::call(charm::on_node{99}, [] {}); }), charm::Errc::bad_input);
}

TEST(Runtime, MoreWorkersThanAllowedCoresIsAnErrorUnlessAskedFor) {
  charm::Config config;
  config.workers = static_cast<int>(charm::Machine::discover().cores.size()) + 1;
  EXPECT_EQ(code_of([&] { charm::init(config); }), charm::Errc::too_many_workers);
  EXPECT_FALSE(charm::initialized());
  config.share_cores = true;
  charm::init(config);
  EXPECT_EQ(charm::num_workers(), *config.workers);
  charm::finalize();
}

TEST(Runtime, AnUnknownPolicyIsAnError) {
  charm::Config config;
  config.policy = "scatter";
  EXPECT_EQ(code_of([&] { charm::init(config); }), charm::Errc::bad_config);
}

TEST(Runtime, WorkersRunOnTheirCores) {
  charm::Config config;
  config.lend_caller = false;  // the caller may be on its way to its core (caller_mask_test.cpp)
  config.watch_ms = 0;         // nor has a worker its whole chiplet because other programs keep it off its core
  charm::init(config);
  auto worker_cores = charm::worker_cores();
  ASSERT_EQ(static_cast<int>(worker_cores.size()), charm::num_workers());
  charm::all_do([&](int worker) {
    EXPECT_EQ(charm::os::allowed_cpus(), charm::CpuSet{worker_cores[static_cast<std::size_t>(worker)].cpu});
    EXPECT_EQ(charm::os::current_cpu(), worker_cores[static_cast<std::size_t>(worker)].cpu);
  });
  charm::finalize();
}

TEST(Runtime, TheCallersAffinityIsRestored) {
  auto before = charm::os::allowed_cpus();
  charm::init();
  charm::run([] {});
  charm::finalize();
  EXPECT_EQ(charm::os::allowed_cpus(), before);
}

TEST(Runtime, PolicyOsBindsNobody) {
  auto before = charm::os::allowed_cpus();
  charm::Config config;
  config.policy = "os";
  charm::init(config);
  charm::all_do([&] { EXPECT_EQ(charm::os::allowed_cpus(), before); });
  for (const auto& worker_core : charm::worker_cores()) EXPECT_EQ(worker_core.cpu, -1);
  charm::finalize();
}

TEST(Runtime, RunsOnAMachineOnPaperUnbound) {
  auto before = charm::os::allowed_cpus();
  charm::Config config;
  config.topology = "pack:2 numa:1 l3:2 core:2 pu:2";
  config.workers = 6;
  charm::init(config);
  EXPECT_EQ(charm::machine().chiplets.size(), 4U);
  std::set<int> chiplets;
  for (const auto& worker_core : charm::worker_cores()) chiplets.insert(worker_core.chiplet);
  EXPECT_EQ(chiplets.size(), 3U);
  std::atomic<int> sum{0};
  charm::all_do([&](int worker) {
    EXPECT_EQ(charm::os::allowed_cpus(), before);
    sum += worker;
  });
  EXPECT_EQ(sum, 15);
  EXPECT_EQ(charm::call(charm::on_chiplet{2},
                        [] { return charm::worker_cores()[static_cast<std::size_t>(charm::worker_id())].chiplet; }),
            2);
  EXPECT_EQ(charm::call(charm::on_node{1},
                        [] { return charm::worker_cores()[static_cast<std::size_t>(charm::worker_id())].node; }),
            1);
  charm::finalize();
}

TEST(Runtime, WorkerIdsAreKnownInTasksOnly) {
  Running runtime(3);
  EXPECT_EQ(charm::worker_id(), -1);
  int id = charm::run([] { return charm::worker_id(); });
  EXPECT_GE(id, 0);
  EXPECT_LT(id, 3);
  for (int w = 0; w < 3; ++w) EXPECT_EQ(charm::call(w, [] { return charm::worker_id(); }), w);
}

TEST(Runtime, ForeignThreadsMayCallEverything) {
  Running runtime(2);
  std::vector<std::thread> threads;
  std::atomic<long> sum{0};
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        sum += charm::run([&] { return t; });
        sum += charm::call(i % 2, [] { return 1; });
        sum += charm::async([] { return 1; }).get();
        charm::parallel_for(0, 10, [&](int) { sum += 1; });
      }
    });
  }
  for (int i = 0; i < 50; ++i) charm::run([&] { sum += 1; });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(sum, 50 * (0 + 1 + 2 + 3 + 4 + 5) + 6 * 50 * 12 + 50);
}

TEST(Runtime, FinalizeFinishesWhatWasStarted) {
  std::atomic<int> done{0};
  {
    Running runtime(2);
    for (int i = 0; i < 1000; ++i)
      charm::async([&] {
        charm::yield();
        ++done;
      });
  }
  EXPECT_EQ(done, 1000);
}

TEST(Runtime, StatsCountWhatHappened) {
  Running runtime(2);
  charm::all_do([] {});
  auto stats = charm::stats();
  EXPECT_EQ(stats.workers.size(), 2U);
  EXPECT_GE(stats.total().jobs, 2U);
  EXPECT_GE(stats.stacks, 1U);
}

}  // namespace
