// The task graph from events that are given by hand, so that every number is known.
#include "trace/graph.hpp"

#include <vector>

#include <gtest/gtest.h>

using namespace charm::trace;

namespace {

// One tick is a nanosecond here; jobs and fibers are numbers like any others.
Recording recording(std::vector<WorkerEvent> events, std::uint64_t now = 1000) {
  Recording r;
  r.events = std::move(events);
  r.now = now;
  return r;
}
WorkerEvent spawn(std::uint64_t at, int worker, std::uint64_t job, std::uint64_t by) {
  return {{.at = at, .a = job, .b = by, .kind = Kind::spawn}, worker};
}
WorkerEvent begin(std::uint64_t at, int worker, std::uint64_t task, std::uint64_t job, std::uint64_t from = 0) {
  return {{.at = at, .a = task, .b = job, .d = from, .kind = Kind::begin}, worker};
}
WorkerEvent end(std::uint64_t at, int worker, std::uint64_t task) {
  return {{.at = at, .a = task, .kind = Kind::end}, worker};
}
WorkerEvent suspend(std::uint64_t at, int worker, std::uint64_t task, std::uint64_t fiber) {
  return {{.at = at, .a = task, .b = fiber, .kind = Kind::suspend}, worker};
}
WorkerEvent resume(std::uint64_t at, int worker, std::uint64_t task, std::uint64_t fiber, int left) {
  return {{.at = at, .a = task, .b = fiber, .number = left, .kind = Kind::resume}, worker};
}
WorkerEvent ready(std::uint64_t at, int worker, std::uint64_t fiber, std::uint64_t by) {
  return {{.at = at, .b = fiber, .c = by, .kind = Kind::ready}, worker};
}

TEST(TaskGraph, ParentWaitsForTheTaskThatItSpawned) {
  auto r = recording({begin(100, 0, 71, 1), spawn(130, 0, 2, 71), suspend(150, 0, 71, 9),  //
                      begin(140, 1, 81, 2), ready(190, 1, 9, 81), end(200, 1, 81),         //
                      resume(230, 1, 71, 9, 0), end(260, 1, 71)});
  const std::vector<Task> tasks = task_graph(r);
  ASSERT_EQ(tasks.size(), 2U);
  const Task& parent = tasks[0];
  const Task& child = tasks[1];
  EXPECT_EQ(parent.parent, 0U);
  EXPECT_EQ(parent.edge, Task::Edge::root);
  EXPECT_EQ(child.parent, parent.id);
  EXPECT_EQ(child.edge, Task::Edge::spawn);
  EXPECT_EQ(child.parent_after, 30);
  EXPECT_EQ(child.ran, 60);
  EXPECT_EQ(parent.ran, 50 + 30);
  ASSERT_EQ(parent.parts.size(), 2U);
  EXPECT_EQ(parent.parts[0].worker, 0);
  EXPECT_EQ(parent.parts[1].worker, 1);
  ASSERT_EQ(parent.waits.size(), 1U);
  EXPECT_EQ(parent.waits[0].after, 50);
  EXPECT_EQ(parent.waits[0].length, 80);
  EXPECT_EQ(parent.waits[0].by, child.id);
  EXPECT_EQ(parent.waits[0].by_after, 50);
  EXPECT_TRUE(parent.ended && child.ended);
}

TEST(TaskGraph, AStolenForkBelongsToTheTaskThatItWasStolenFrom) {
  auto r = recording({begin(100, 0, 71, 1), begin(140, 1, 81, 2, 71), end(150, 1, 81), end(200, 0, 71)});
  const std::vector<Task> tasks = task_graph(r);
  ASSERT_EQ(tasks.size(), 2U);
  EXPECT_EQ(tasks[1].parent, tasks[0].id);
  EXPECT_EQ(tasks[1].edge, Task::Edge::fork);
  EXPECT_EQ(tasks[1].parent_after, 40);
}

TEST(TaskGraph, AddressesAreUsedAgain) {
  auto r = recording({begin(10, 0, 1, 500), spawn(12, 0, 600, 1), end(20, 0, 1), begin(22, 0, 2, 600),
                      spawn(24, 0, 600, 2), end(30, 0, 2), begin(32, 0, 3, 600), end(40, 0, 3)});
  const std::vector<Task> tasks = task_graph(r);
  ASSERT_EQ(tasks.size(), 3U);
  EXPECT_EQ(tasks[1].parent, 1U);
  EXPECT_EQ(tasks[2].parent, 2U) << "the latest spawn counts";
}

TEST(TaskGraph, AYieldIsAWaitForNobody) {
  auto r = recording({begin(10, 0, 1, 500), suspend(20, 0, 1, 9), resume(25, 0, 1, 9, 0), suspend(30, 0, 1, 9),
                      resume(36, 0, 1, 9, 0), end(40, 0, 1)});
  const std::vector<Task> tasks = task_graph(r);
  ASSERT_EQ(tasks.size(), 1U);
  ASSERT_EQ(tasks[0].waits.size(), 2U);
  EXPECT_EQ(tasks[0].waits[1].after, 15);
  EXPECT_EQ(tasks[0].waits[1].length, 6);
  EXPECT_EQ(tasks[0].waits[1].by, 0U);
  EXPECT_EQ(tasks[0].ran, 19);
}

TEST(TaskGraph, WhatIsStillOnLastsUntilTheEndOfTheRecording) {
  auto r = recording({begin(100, 0, 1, 500), begin(100, 1, 2, 501), suspend(300, 1, 2, 9)}, 400);
  const std::vector<Task> tasks = task_graph(r);
  ASSERT_EQ(tasks.size(), 2U);
  EXPECT_FALSE(tasks[0].ended);
  EXPECT_EQ(tasks[0].ran, 300);
  EXPECT_FALSE(tasks[1].ended);
  ASSERT_EQ(tasks[1].waits.size(), 1U);
  EXPECT_EQ(tasks[1].waits[0].length, 100);
}

TEST(TaskGraph, EventsWhoseBeginWasDroppedAreLeftOut) {
  auto r = recording({end(10, 0, 5), resume(20, 0, 6, 9, 0), ready(21, 0, 9, 5), suspend(30, 0, 6, 9)});
  EXPECT_TRUE(task_graph(r).empty());
}

}  // namespace
