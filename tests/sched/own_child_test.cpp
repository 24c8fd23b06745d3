// A task that waits for its newest child runs it itself. Nothing but the speed of it may show.
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

#include "sched/running.hpp"

namespace {

TEST(OwnChild, RunsWithoutLeavingTheTask) {
  Running runtime(1);
  charm::run([] {
    const auto before = charm::stats().total().suspensions;
    for (int i = 0; i < 100; ++i) EXPECT_EQ(charm::async([i] { return i; }).get(), i);
    EXPECT_EQ(charm::stats().total().suspensions, before);
  });
}

TEST(OwnChild, CountsAsATask) {
  Running runtime(1);
  charm::run([] {
    const auto before = charm::stats().total().jobs;
    for (int i = 0; i < 100; ++i) charm::async([] {}).get();
    EXPECT_EQ(charm::stats().total().jobs, before + 100);
  });
}

TEST(OwnChild, OlderChildrenWaitTheirTurn) {
  Running runtime(1);
  charm::run([] {
    int order = 0;
    auto first = charm::async([&] { return order++; });
    auto second = charm::async([&] { return order++; });
    const int of_first = first.get();  // not the newest, so both go by way of the queue
    EXPECT_NE(of_first, second.get());
    EXPECT_EQ(order, 2);
  });
}

TEST(OwnChild, IsNotCancelledWithTheGroupOfItsParent) {
  Running runtime(1);
  charm::run([] {
    charm::task_group group;
    bool seen = true;
    group.run([&] {
      group.cancel();
      seen = charm::async([] { return charm::is_cancelled(); }).get();
      EXPECT_TRUE(charm::is_cancelled());
    });
    group.wait();
    EXPECT_FALSE(seen) << "what async() starts belongs to nobody";
  });
}

std::string own_name() {
  for (const auto& task : charm::tasks()) {
    if (task.state == "running") return task.name;
  }
  return "nobody runs";
}

TEST(OwnChild, ItsNameIsItsOwn) {
  Running runtime(1);
  charm::run([] {
    charm::name_task("a parent with a long name");
    charm::async([] {
      EXPECT_EQ(own_name(), "");
      charm::name_task("child");
      EXPECT_EQ(own_name(), "child");
    }).get();
    EXPECT_EQ(own_name(), "a parent with a long name");
  });
}

TEST(OwnChild, IsNotInTheTeamOfItsParent) {
  Running runtime(2);
  charm::all_do([](int worker) {
    if (worker == 0) {
      EXPECT_THROW(charm::async([] { charm::barrier(); }).get(), charm::Error);
    }
    charm::barrier();
  });
}

TEST(OwnChild, ThrowsWhereItIsWaitedFor) {
  Running runtime(1);
  charm::run([] {
    auto task = charm::async([]() -> int { throw std::runtime_error("child"); });
    EXPECT_THROW((void)task.get(), std::runtime_error);
  });
}

int depth_of(int n) {
  return n == 0 ? 0 : 1 + charm::async([n] { return depth_of(n - 1); }).get();
}

TEST(OwnChild, ALongChainOfChildrenFitsOnSmallStacks) {
  charm::Config config;
  config.stack_bytes = 64 * 1024;
  Running runtime(1, config);
  EXPECT_EQ(charm::run([] { return depth_of(3000); }), 3000);
}

TEST(OwnChild, MayWaitAndComeBackOnAnotherWorker) {
  Running runtime(3);
  charm::run([] {
    charm::task_group group;
    for (int i = 0; i < 200; ++i) {
      group.run([i] {
        const int answer = charm::async([i] {
                             for (int k = 0; k < 5; ++k) charm::yield();
                             return i + charm::async([i] { return i; }).get();
                           }).get();
        EXPECT_EQ(answer, 2 * i);
      });
    }
    group.wait();
  });
}

TEST(Replies, TwoWorkersThatCallEachOtherDoNotWaitForEachOther) {
  Running runtime(2);
  charm::all_do([](int worker) {
    for (int i = 0; i < 300; ++i) EXPECT_EQ(charm::call(1 - worker, [i] { return i; }), i);
  });
}

}  // namespace
