// The count of a task group: whoever runs tasks into it, from where and when, the waiter waits for them, and once.
#include <charm/charm.h>
#include <charm/charm.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <thread>

#include <gtest/gtest.h>

#include "sched/running.hpp"

namespace {

class GroupCount : public testing::TestWithParam<int> {
 protected:
  Running runtime_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Workers, GroupCount, testing::Values(1, 2, 4));

constexpr int tasks = 500;

/// Adds tasks one by one, each a varying moment after the one before has run: so some come when the waiter has just
/// been told that all are done and has not gone on yet.
void add_one_by_one(charm::task_group& group, std::atomic<int>& ran, const std::function<void()>& pause) {
  std::atomic<int> mine{0};
  for (int i = 0; i < tasks; ++i) {
    group.run([&] {
      ran.fetch_add(1, std::memory_order_relaxed);
      mine.fetch_add(1, std::memory_order_release);  // and then its stack may be another's
    });
    while (mine.load(std::memory_order_acquire) <= i) pause();
    for (int moment = i % 97 * 16; moment > 0; --moment) asm volatile("");
  }
}

TEST_P(GroupCount, AThreadOutsideMayAddTasksWhileAnotherWaits) {
  charm::task_group group;
  std::atomic<int> ran{0};
  std::atomic<bool> added{false};
  std::thread adder([&] {
    add_one_by_one(group, ran, std::this_thread::yield);
    added = true;
  });
  while (!added) group.wait();
  adder.join();
  group.wait();
  EXPECT_EQ(ran, tasks);
}

TEST_P(GroupCount, ATaskOfAnotherGroupMayAddTasksWhileAnotherWaits) {
  std::atomic<int> ran{0};
  charm::run([&] {
    charm::task_group group;
    std::atomic<bool> added{false};
    auto adder = charm::async([&] {
      add_one_by_one(group, ran, charm::yield);
      added = true;
    });
    while (!added) {
      group.wait();
      charm::yield();
    }
    adder.get();
    group.wait();
  });
  EXPECT_EQ(ran, tasks);
}

TEST_P(GroupCount, AGroupOnTheHeapCountsWhatSeveralThreadsAdd) {
  auto group = std::make_unique<charm::task_group>();
  std::atomic<int> ran{0};
  std::atomic<int> adding{3};
  auto add = [&] {
    add_one_by_one(*group, ran, charm::yield);
    --adding;
  };
  std::thread first(add);
  std::thread second(add);
  charm::run_detached(add);
  charm::run([&] {
    while (adding > 0) {
      group->wait();
      charm::yield();
    }
  });
  first.join();
  second.join();
  group->wait();
  EXPECT_EQ(ran, 3 * tasks);
}

TEST(GroupWithoutRuntime, RunsNothingAndWaitsForNothing) {
  ASSERT_FALSE(charm::initialized());
  {
    charm::task_group group;
    EXPECT_THROW(group.run([] {}), charm::Error);
    EXPECT_NO_THROW(group.wait());
    EXPECT_THROW(group.run([] {}), charm::Error);
  }  // and the destructor returns
  CHARM_Group* group = nullptr;
  ASSERT_EQ(CHARM_Group_create(&group), CHARM_OK);
  EXPECT_EQ(CHARM_Group_spawn(group, [](void*) {}, nullptr), CHARM_NOT_RUNNING);
  EXPECT_EQ(CHARM_Group_wait(group), CHARM_OK);
  CHARM_Group_destroy(group);
}

TEST(GroupWithoutRuntime, CanBeUsedOnceThereIsOne) {
  charm::task_group group;
  EXPECT_THROW(group.run([] {}), charm::Error);
  Running runtime(2);
  std::atomic<int> ran{0};
  for (int i = 0; i < 100; ++i) group.run([&] { ++ran; });
  group.wait();
  EXPECT_EQ(ran, 100);
}

}  // namespace
