// Data by chiplet: per_chiplet, sharded_map, and which chiplets have workers.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "algorithms/runtimes.hpp"

namespace {

using ChipletData = OnShapes;
INSTANTIATE_TEST_SUITE_P(Shapes, ChipletData, shapes());

TEST_P(ChipletData, ChipletsWithWorkersAreThoseOfTheWorkersCores) {
  std::set<int> expected;
  for (const auto& core : charm::worker_cores()) {
    if (core.chiplet >= 0) expected.insert(core.chiplet);
  }
  const std::vector<int> chiplets = charm::chiplets_with_workers();
  EXPECT_EQ(std::set<int>(chiplets.begin(), chiplets.end()), expected);
  EXPECT_EQ(chiplets.size(), expected.size());
  EXPECT_TRUE(std::is_sorted(chiplets.begin(), chiplets.end()));
  for (const int chiplet : chiplets)
    EXPECT_EQ(charm::call(charm::on_chiplet{chiplet}, [] { return charm::detail::current_chiplet(); }), chiplet);
}

TEST_P(ChipletData, EachWorkerUsesItsChipletsObject) {
  struct Counter {
    explicit Counter(int c) : chiplet(c) {}
    Counter(const Counter&) = delete;  // made in place
    Counter& operator=(const Counter&) = delete;
    int chiplet;
    std::atomic<int> count{0};
  };
  charm::per_chiplet<Counter> counters([](int chiplet) { return Counter(chiplet); });
  EXPECT_EQ(counters.size(), static_cast<int>(charm::machine().chiplets.size()));
  std::atomic<int> wrong{0};
  charm::all_do([&](int worker) {
    const int here = charm::worker_cores()[static_cast<std::size_t>(worker)].chiplet;
    Counter& mine = counters.local();
    if (here >= 0 && mine.chiplet != here) ++wrong;
    if (&mine != &counters.on(mine.chiplet)) ++wrong;
    ++mine.count;
  });
  EXPECT_EQ(wrong, 0);
  int sum = 0;
  int next = 0;
  counters.for_each([&](Counter& each) {
    EXPECT_EQ(each.chiplet, next++);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&each) % 64, 0U);
    sum += each.count;
  });
  EXPECT_EQ(sum, charm::num_workers());
  static_cast<void>(counters.local());  // outside of tasks, too
}

TEST_P(ChipletData, AnObjectThatCannotBeMadeLeavesNothing) {
  const auto alive = std::make_shared<int>();
  const int last = static_cast<int>(charm::machine().chiplets.size()) - 1;
  EXPECT_THROW((charm::per_chiplet<std::shared_ptr<int>>([&](int chiplet) {
                 if (chiplet == last) throw std::runtime_error("no more");
                 return alive;
               })),
               std::runtime_error);
  EXPECT_EQ(alive.use_count(), 1);
}

TEST_P(ChipletData, AMapAgreesWithStdMap) {
  charm::sharded_map<int, std::string> map;
  std::map<int, std::string> expected;
  std::mt19937 random(3);
  for (int step = 0; step < 5000; ++step) {
    const int key = static_cast<int>(random() % 200);
    const std::string value = std::to_string(random());
    switch (random() % 5) {
      case 0:
        EXPECT_EQ(map.insert(key, value), expected.try_emplace(key, value).second);
        break;
      case 1:
        EXPECT_EQ(map.erase(key), expected.erase(key) == 1);
        break;
      case 2:
        map.update(key, [&](std::string& text) { text += value; });
        expected[key] += value;
        break;
      case 3:
        EXPECT_EQ(map.visit(key, [&](std::string& text) { text = value; }), expected.count(key) == 1);
        if (expected.count(key) == 1) expected[key] = value;
        break;
      default: {
        const auto found = map.find(key);
        ASSERT_EQ(found.has_value(), expected.count(key) == 1);
        EXPECT_EQ(found.value_or(""), expected.count(key) == 1 ? expected[key] : "");
      }
    }
    ASSERT_EQ(map.size(), expected.size());
  }
  std::map<int, std::string> all;
  std::mutex lock;
  map.for_each_local([&](int key, std::string& text) {
    const std::lock_guard locked(lock);
    all[key] = text;
  });
  EXPECT_EQ(all, expected);
  map.clear();
  EXPECT_EQ(map.size(), 0U);
}

TEST_P(ChipletData, AMapCountsWhatManyTasksAdd) {
  charm::sharded_map<int, long> map;
  charm::parallel_for(0, 20'000, [&](int i) { map.update(i % 97, [](long& count) { ++count; }); }, {.grain = 50});
  std::atomic<long> sum{0};
  map.for_each_local([&](int key, long count) { sum += count * (key + 1); });
  long expected = 0;
  for (int i = 0; i < 20'000; ++i) expected += i % 97 + 1;
  EXPECT_EQ(sum, expected);
  EXPECT_EQ(map.size(), 97U);
}

TEST_P(ChipletData, CallsGoToTheKeysChiplet) {
  charm::sharded_map<std::string, int> map;
  const std::vector<int> chiplets = charm::chiplets_with_workers();
  std::set<int> used;
  for (int i = 0; i < 200; ++i) {
    const std::string key = "key " + std::to_string(i);
    const int owner = map.chiplet_of(key);
    used.insert(owner);
    EXPECT_EQ(map.call(key, [] { return charm::detail::current_chiplet(); }), owner);
  }
  EXPECT_EQ(std::vector<int>(used.begin(), used.end()), chiplets);
  EXPECT_THROW(map.call("a", []() -> int { throw std::runtime_error("passed on"); }), std::runtime_error);
  EXPECT_THROW(map.update("a", [](int&) -> int { throw std::runtime_error("passed on"); }), std::runtime_error);
  EXPECT_EQ(map.update("a", [](int& value) { return value += 2; }), 2);  // not locked any more
}

TEST(ChipletDataOutside, NeedsARuntime) {
  EXPECT_THROW(static_cast<void>(charm::chiplets_with_workers()), charm::Error);
  EXPECT_THROW((charm::sharded_map<int, int>()), charm::Error);
}

/// A policy that binds nobody: all chiplets own keys, and calls go anywhere.
TEST(ChipletDataUnbound, WorksWhereWorkersAreNotBound) {
  charm::Config config;
  config.topology = "pack:1 l3:3 core:2 pu:1";
  config.policy = "os";
  const Running runtime(2, config);
  EXPECT_TRUE(charm::chiplets_with_workers().empty());
  charm::sharded_map<int, int> map;
  for (int i = 0; i < 100; ++i) map.call(i, [&] { map.insert(i, i); });
  EXPECT_EQ(map.size(), 100U);
  charm::per_chiplet<std::atomic<int>> counts;
  charm::parallel_for(0, 100, [&](int) { ++counts.local(); });
  int sum = 0;
  counts.for_each([&](const std::atomic<int>& count) { sum += count; });
  EXPECT_EQ(sum, 100);
}

}  // namespace
