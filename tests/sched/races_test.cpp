// Looks at other workers and tasks from outside while these go on. ThreadSanitizer and AddressSanitizer see more of it.
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "sched/fake_cpus.hpp"
#include "sched/run/runtime.hpp"
#include "sched/running.hpp"

namespace {

using namespace std::chrono_literals;

TEST(OnAddress, IsAskedForWhileWorkersMove) {
  charm::Config config;
  config.topology = "pack:2 numa:2 l3:2 core:2 pu:1";
  config.policy = "distributed";
  Running runtime(2, config);
  std::atomic<bool> over{false};
  std::thread mover([&] {
    for (std::size_t i = 0; !over; ++i) {
      charm::call(1, [&] {
        charm::sched::Worker* worker = charm::sched::this_worker();
        const auto& levels = worker->runtime->placement.worker_cores;
        const auto& level = levels[i % levels.size()];
        worker->move_to(level[i / 2 % level.size()]);
      });
    }
  });
  int here = 0;
  for (int i = 0; i < 300; ++i) EXPECT_EQ(charm::call(charm::on_address{&here}, [&] { return i; }), i);
  over = true;
  mover.join();
}

/// The list is long, so that mutexes which were there when it was begun are gone when it comes to them.
TEST(Tasks, AreListedWhileTheMutexesThatTheyWaitForGo) {
  Running runtime(1);
  charm::latch over(1);
  std::vector<charm::future<void>> many;
  for (int i = 0; i < 100; ++i) many.push_back(charm::async([&] { over.wait(); }));
  std::atomic<bool> stop{false};
  std::thread lister([&] {
    while (!stop) static_cast<void>(charm::tasks());
  });
  for (int i = 0; i < 400; ++i) {
    auto mutex = std::make_unique<charm::mutex>();
    mutex->lock();
    auto waiter = charm::async([&] {
      mutex->lock();
      mutex->unlock();
    });
    if (i % 4 == 0) std::this_thread::sleep_for(500us);  // until the worker sleeps
    mutex->unlock();
    waiter.get();
  }
  stop = true;
  lister.join();
  over.count_down();
  for (auto& each : many) each.get();
}

TEST(OnDecision, TheListenerMayAskWhereTheWorkersAre) {
  charm::Config config;
  config.workers = 2;
  config.topology = "pack:1 l3:2 core:2 pu:1";
  config.watch_ms = 2;
  config.counters = "none";
  charm::test::FakeKernel kernel(4);
  std::thread([&] { new charm::sched::Runtime(config, kernel.watch()); }).join();  // finalize() deletes it
  std::atomic<std::size_t> cores{0};
  charm::on_decision([&](const charm::Decision&) {
    static_cast<void>(charm::decisions());
    static_cast<void>(charm::stats());
    cores = charm::worker_cores().size();
  });
  kernel.set_cpuset({0, 1});
  while (cores == 0) charm::run([] { std::this_thread::sleep_for(1ms); });
  EXPECT_EQ(cores, 2U);
  charm::finalize();
}

}  // namespace
