// Workers that rest because fewer are faster (the setting width): who runs what meanwhile. Who is to rest is told by
// the tests; when that pays is the controller's (tests/controller/width_test.cpp).
#include <charm/charm.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "sched/control/steering.hpp"
#include "sched/run/runtime.hpp"
#include "sched/running.hpp"

namespace {

constexpr int all_workers = 4;

charm::Config width_config(const char* policy = "local") {
  charm::Config config;
  config.width = "adaptive";
  config.policy = policy;
  config.topology = "pack:1 l3:2 core:2 pu:1";
  config.monitor = "regions";  // so that the controller decides nothing
  return config;
}

/// From now on only these run; returns when the others have come to rest.
void let_run(const std::vector<int>& workers) {
  std::vector<char> rests(all_workers, 1);
  for (const int worker : workers) rests[static_cast<std::size_t>(worker)] = 0;
  charm::sched::Runtime::get().steering->set_resting(0, rests);
  while (charm::stats().running_workers != static_cast<int>(workers.size())) std::this_thread::yield();
}

std::vector<int> who_runs(int tasks) {
  std::vector<std::atomic<int>> ran(all_workers);
  charm::run([&] {
    charm::task_group group;
    for (int i = 0; i < tasks; ++i) {
      group.run([&] {
        ++ran[static_cast<std::size_t>(charm::worker_id())];
        if (charm::worker_id() == 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
      });
    }
    group.wait();
  });
  std::vector<int> counts;
  for (auto& each : ran) counts.push_back(each);
  return counts;
}

TEST(WorkersThatRest, TakeNoTasks) {
  const Running runtime(all_workers, width_config());
  EXPECT_EQ(charm::stats().running_workers, all_workers);
  let_run({0, 2});
  const auto ran = who_runs(1000);
  EXPECT_EQ(ran[1] + ran[3], 0);
  EXPECT_EQ(ran[0] + ran[2], 1000);
  EXPECT_EQ(charm::num_workers(), all_workers);
  let_run({0, 1, 2, 3});
  for (int tries = 0; who_runs(1000)[3] == 0; ++tries) ASSERT_LT(tries, 1000) << "it works again";
}

TEST(WorkersThatRest, RunWhatIsBoundToThem) {
  const Running runtime(all_workers, width_config());
  let_run({0});
  for (int worker = 0; worker < all_workers; ++worker)
    EXPECT_EQ(charm::call(worker, [] { return charm::worker_id(); }), worker);
  std::vector<std::atomic<int>> visits(all_workers);
  charm::all_do([&](int worker) {
    for (int round = 0; round < 20; ++round) {
      ++visits[static_cast<std::size_t>(worker)];
      charm::barrier();
    }
  });
  for (auto& each : visits) EXPECT_EQ(each, 20);
}

// It looks at the inboxes every now and then also where it has jobs of its own.
TEST(WorkersThatRest, LeaveWhatIsForAnyWorkerAlsoWhileTheyRunWhatIsTheirs) {
  const Running runtime(all_workers, width_config());
  let_run({0});
  std::atomic<bool> held{false};
  std::atomic<bool> go{false};
  charm::future<void> holds_worker_0 = charm::call_async(0, [&] {
    held = true;
    while (!go) std::this_thread::yield();
  });
  while (!held) std::this_thread::yield();
  charm::future<int> anywhere = charm::async([] { return charm::worker_id(); });
  for (int i = 0; i < 200; ++i) charm::call(1, [] {});
  go = true;
  EXPECT_EQ(anywhere.get(), 0);
  holds_worker_0.get();
}

// A bound task waits for a short time for a task that ends only when it goes on: its worker leaves that one to others,
// and where these rest one of them has to come.
TEST(WorkersThatRest, HelpAWorkerWhoseBoundTaskHasATimeLimit) {
  const Running runtime(all_workers, width_config());
  for (int round = 0; round < 50; ++round) {
    let_run({0});
    charm::call(0, [] {
      std::atomic<bool> back{false};
      charm::future<void> other = charm::async([&] {
        while (!back) std::this_thread::yield();
      });
      EXPECT_FALSE(other.wait_for(std::chrono::microseconds(200)));
      back = true;
      other.get();
    });
  }
}

TEST(WorkersThatRest, FinishAndEndWithTheRuntime) {
  for (int round = 0; round < 20; ++round) {
    const Running runtime(all_workers, width_config());
    charm::future<int> late = charm::call_async(3, [] {
      charm::sleep_for(std::chrono::milliseconds(2));
      return 7;
    });
    let_run({0});
    EXPECT_EQ(late.get(), 7);
  }
}

TEST(WorkersThatRest, AreNoneByDefaultAndWhereEachWorkerDecides) {
  {
    charm::Config config = width_config();
    config.width = {};
    const Running runtime(all_workers, config);
    EXPECT_EQ(charm::stats().running_workers, all_workers);
    EXPECT_FALSE(charm::stats().adapts);
  }
  {
    const Running runtime(all_workers, width_config());
    EXPECT_TRUE(charm::stats().adapts) << "the number, although 'local' moves nobody";
  }
  const Running runtime(all_workers, width_config("charm-alg1"));
  who_runs(1000);
  const charm::Stats stats = charm::stats();
  EXPECT_EQ(stats.running_workers, all_workers);
  EXPECT_TRUE(std::any_of(stats.notices.begin(), stats.notices.end(), [](const std::string& notice) {
    return notice.find("each worker decides for itself") != std::string::npos;
  }));
}

TEST(WidthSetting, IsAdaptiveWhereHardwareThreadsAreToBeTried) {
  charm::Config config;
  config.policy = "local";
  config.topology = "pack:1 l3:2 core:2 pu:2";
  config.named = {{"smt", "auto"}};
  charm::init(config);
  EXPECT_EQ(charm::num_workers(), 8);
  EXPECT_TRUE(charm::stats().adapts);
  charm::run([] {
    charm::arena few({.workers = 2});
    few.execute([] { EXPECT_EQ(charm::num_workers(), 2); });
  });
  charm::finalize();
}

TEST(WidthSetting, NamesItsChoices) {
  charm::Config config;
  config.width = "narrow";
  try {
    charm::init(config);
    ADD_FAILURE() << "accepted";
    charm::finalize();
  } catch (const charm::Error& error) {
    EXPECT_EQ(error.code(), charm::Errc::bad_config);
    EXPECT_NE(std::string(error.what()).find("full or adaptive"), std::string::npos) << error.what();
  }
}

}  // namespace
