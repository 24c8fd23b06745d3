// combinable and task_local: what belongs to a worker, and what goes with a task.
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "sched/running.hpp"

namespace {

using namespace std::chrono_literals;

class Locals : public testing::TestWithParam<int> {
 protected:
  Running runtime_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Workers, Locals, testing::Values(1, 2, 4, 40));

TEST_P(Locals, CombinableGivesEachWorkerOneValue) {
  charm::combinable<std::vector<int>> parts;
  charm::parallel_for(0, 10'000, [&](int i) { parts.local().push_back(i); }, {.grain = 16});
  int values = 0;
  std::size_t length = 0;
  parts.combine_each([&](std::vector<int>& part) {
    ++values;
    length += part.size();
  });
  EXPECT_EQ(length, 10'000U);
  EXPECT_LE(values, GetParam());
  const std::vector<int> all = parts.combine([](std::vector<int> a, const std::vector<int>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  });
  EXPECT_EQ(std::set<int>(all.begin(), all.end()).size(), 10'000U);
}

TEST_P(Locals, CombinableCountsEveryWorkerAndThreadsOutside) {
  charm::combinable<long> counts([] { return 1000L; });
  EXPECT_EQ(counts.combine(std::plus<>()), 1000);  // none yet: what a new one is
  charm::all_do([&] { counts.local() += 1; });
  long workers = 0;
  counts.combine_each([&](long& count) {
    EXPECT_EQ(count, 1001);
    ++workers;
  });
  EXPECT_EQ(workers, GetParam());
  std::thread([&] { counts.local() += 2; }).join();
  counts.local() += 3;
  EXPECT_EQ(counts.combine(std::plus<>()), workers * 1001 + 1002 + 1003);
  counts.clear();
  EXPECT_EQ(counts.combine(std::plus<>()), 1000);
}

TEST_P(Locals, CombinableKeepsAllValuesWhereTheInitialiserForksSleepsOrYields) {
  const std::vector<std::function<void()>> ways{
      [] { charm::parallel_for(0, 8, [](int) { charm::yield(); }, {.grain = 1}); },
      [] { charm::sleep_for(std::chrono::microseconds(10)); },
      [] { charm::yield(); },
  };
  for (const auto& suspends : ways) {
    for (int round = 0; round < 50; ++round) {
      charm::combinable<std::vector<int>> parts([&] {
        suspends();
        return std::vector<int>();
      });
      charm::task_group group;
      for (int task = 0; task < 100; ++task) group.run([&, task] { parts.local().push_back(task); });
      group.wait();
      std::size_t length = 0;
      parts.combine_each([&](const std::vector<int>& part) { length += part.size(); });
      ASSERT_EQ(length, 100U);
    }
  }
}

TEST_P(Locals, CombinableKeepsBothValuesThatWereMadeForOneWorker) {
  if (GetParam() != 1) GTEST_SKIP() << "with one worker the tasks are sure to meet";
  charm::latch both(2);
  charm::combinable<int> parts([&] {
    both.count_down();
    both.wait();
    return 1;
  });
  charm::task_group group;
  for (int task = 0; task < 2; ++task) group.run([&] { parts.local() += 10; });
  group.wait();
  EXPECT_EQ(parts.combine(std::plus<>()), 22);
}

charm::task_local<int> depth(-1);
charm::task_local<std::string> user;

TEST_P(Locals, TaskLocalHasItsValueWithinTheCall) {
  EXPECT_EQ(depth.get(), -1);
  const int result = depth.with(1, [] {
    EXPECT_EQ(*depth, 1);
    user.with("anna", [] {
      EXPECT_EQ(*depth, 1);
      depth.with(2, [] { EXPECT_EQ(*depth, 2); });
      EXPECT_EQ(*user, "anna");
    });
    EXPECT_EQ(*user, "");
    try {
      depth.with(3, [] { throw 1; });
    } catch (int) {
    }
    EXPECT_EQ(*depth, 1);
    return *depth;
  });
  EXPECT_EQ(result, 1);
  EXPECT_EQ(depth.get(), -1);
}

TEST_P(Locals, TaskLocalStaysWithATaskThatIsSuspendedAndMoves) {
  std::vector<charm::future<void>> tasks;
  for (int i = 0; i < 40; ++i) {
    tasks.push_back(charm::async([i] {
      depth.with(i, [i] {
        for (int round = 0; round < 30; ++round) {
          charm::yield();
          ASSERT_EQ(*depth, i);
          if (round % 10 == 0) charm::sleep_for(10us);
          ASSERT_EQ(*depth, i);
        }
        charm::blocking([i] {
          EXPECT_EQ(*depth, i);
          depth.with(-i, [i] { EXPECT_EQ(*depth, -i); });
          EXPECT_EQ(*depth, i);
        });
        EXPECT_EQ(*depth, i);
      });
      EXPECT_EQ(*depth, -1);
    }));
  }
  for (auto& task : tasks) task.get();
}

TEST_P(Locals, ForkedTasksInheritTaskLocals) {
  std::atomic<int> wrong{0};
  auto check = [&](int expected) { wrong += *depth != expected ? 1 : 0; };
  depth.with(7, [&] {
    charm::invoke([&] { check(7); }, [&] { check(7); });
    charm::parallel_for(0, 1000,
                        [&](int i) {
                          check(7);
                          if (i % 100 == 0)
                            depth.with(i, [&] { charm::parallel_for(0, 10, [&](int) { check(i); }, {.grain = 1}); });
                          check(7);
                        },
                        {.grain = 1});
    charm::parallel_for(0, 100, [&](int) { check(7); }, {.grain = 1, .schedule = charm::Schedule::dynamic});
    charm::parallel_for(0, 100, [&](int) { check(7); }, {.grain = 1, .schedule = charm::Schedule::static_});
    charm::all_do([&] { check(7); });
    charm::task_group group;
    for (int i = 0; i < 100; ++i) group.run([&] { check(7); });
    group.wait();
  });
  EXPECT_EQ(wrong, 0);
}

TEST_P(Locals, IndependentTasksBeginWithoutThem) {
  charm::task_group elsewhere;
  depth.with(7, [&] {
    EXPECT_EQ(charm::async([] { return *depth; }).get(), -1);
    EXPECT_EQ(charm::call(0, [] { return *depth; }), -1);
    elsewhere.run([] { EXPECT_EQ(*depth, -1); });
    EXPECT_EQ(charm::run([] { return *depth; }), 7);  // a plain call in a task
    auto coroutine = []() -> charm::task<std::pair<int, int>> {
      const int before = *depth;
      co_await charm::schedule();
      co_return std::pair(before, *depth);
    };
    EXPECT_EQ(charm::sync_wait(coroutine()), std::pair(7, -1));
  });
  elsewhere.wait();
}

TEST_P(Locals, ANameLastsForItsFunction) {
  auto names = [] {
    std::string all;
    for (const charm::TaskInfo& task : charm::tasks()) all += task.state == "running" ? task.name + "|" : "";
    return all;
  };
  charm::run([&] {
    charm::name_task("outer");
    charm::task_group group;
    for (int i = 0; i < 3; ++i) {
      group.run(charm::named("inner", [&] { EXPECT_NE(names().find("inner|"), std::string::npos); }));
    }
    group.wait();  // runs some of them on this stack
    EXPECT_NE(names().find("outer|"), std::string::npos) << names();
    EXPECT_EQ(charm::async(charm::named("seven", [] { return 7; })).get(), 7);
  });
}

}  // namespace
