// The profile of a program by kind of work: loop bodies and task functions.
#include <charm/charm.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "sched/running.hpp"

namespace {

charm::Config adaptive() {
  charm::Config config;
  config.topology = "pack:1 l3:4 core:4 pu:1";
  config.policy = "adaptive:tick=0.005";
  config.counters = "none";
  config.lend_caller = false;
  return config;
}

const charm::TaskTypeStats* with_count(const std::vector<charm::TaskTypeStats>& types, double count) {
  const auto found = std::find_if(types.begin(), types.end(), [&](const auto& type) { return type.count == count; });
  return found == types.end() ? nullptr : &*found;
}

TEST(TaskTypes, AreCountedByLoopBodyAndTaskFunction) {
  Running runtime(2, adaptive());
  std::atomic<long> sum{0};
  charm::run([&] {
    charm::parallel_for(0, 5000, [&](int i) { sum += i; });
    charm::task_group group;
    for (int i = 0; i < 300; ++i) group.run([&] { ++sum; });
    group.wait();
  });
  // A worker settles what it has counted when it runs out of work.
  std::vector<charm::TaskTypeStats> types;
  for (int tries = 0; tries < 3000; ++tries) {
    types = charm::stats().task_types;
    if (with_count(types, 5000) != nullptr && with_count(types, 300) != nullptr) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_NE(with_count(types, 5000), nullptr);
  EXPECT_NE(with_count(types, 300), nullptr);
  for (const auto& type : types) EXPECT_FALSE(type.name.empty());
}

TEST(TaskTypes, AreNotCountedWhereNothingDecides) {
  charm::Config config = adaptive();
  config.policy = "local";
  Running runtime(2, config);
  charm::run([] { charm::parallel_for(0, 100, [](int) {}); });
  EXPECT_TRUE(charm::stats().task_types.empty());
}

}  // namespace
