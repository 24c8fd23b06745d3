// What is wrong with a graph is said, with names, and everything works afterwards.
#include <charm/task_graph.hpp>

#include <atomic>
#include <optional>
#include <stdexcept>
#include <thread>

#include "task_dag/graphs.hpp"

namespace {

using charm::graph_node;
using charm::subgraph;
using charm::task_graph;
using testing::Test;

class GraphErrors : public Test {
 protected:
  Running runtime_{2};
  void TearDown() override {  // the runtime is as good as new
    std::atomic<int> ran{0};
    task_graph graph;
    for (int i = 0; i < 10; ++i) graph.emplace([&] { ++ran; });
    EXPECT_TRUE(graph.run());
    EXPECT_EQ(ran, 10);
  }
};

TEST_F(GraphErrors, ACycleIsNamedAndCanBeMended) {
  task_graph graph("g");
  std::atomic<int> ran{0};
  auto a = graph.emplace([&] { ++ran; }).name("a");
  auto b = graph.emplace([&] { ++ran; }).name("b");
  auto c = graph.emplace([&] { ++ran; });
  auto before = graph.emplace([&] { ++ran; }).name("before");
  auto after = graph.emplace([&] { ++ran; }).name("after");
  before.precede(a);
  a.precede(b);
  b.precede(c, after);
  c.precede(a);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(error_of([&] { graph.run(); }),
              "task graph 'g' has a cycle: 'a' -> 'b' -> #2 -> 'a'; remove one of these edges, or make it conditional");
  }
  EXPECT_NE(error_of([&] { graph.check(); }), "");
  EXPECT_EQ(ran, 0);
  graph.clear();
  graph.emplace([&] { ++ran; });
  EXPECT_TRUE(graph.run());
  EXPECT_EQ(ran, 1);
}

TEST_F(GraphErrors, ANodeThatPrecedesItselfIsACycle) {
  task_graph graph;
  auto a = graph.emplace([] {}).name("a");
  a.precede(a);
  EXPECT_EQ(error_of([&] { graph.run(); }),
            "a task graph has a cycle: 'a' -> 'a'; remove one of these edges, or make it conditional");
}

TEST_F(GraphErrors, ALongCycleIsShortened) {
  task_graph graph;
  std::vector<graph_node> nodes;
  for (int i = 0; i < 1000; ++i) nodes.push_back(graph.emplace([] {}));
  for (int i = 0; i < 1000; ++i)
    nodes[static_cast<std::size_t>(i)].precede(nodes[static_cast<std::size_t>(i + 1) % 1000]);
  EXPECT_NE(
      error_of([&] { graph.run(); }).find("#0 -> #1 -> #2 -> #3 -> #4 -> #5 -> #6 -> #7 -> ... (1000 nodes) -> #0"),
      std::string::npos);
}

TEST_F(GraphErrors, ConditionalEdgesToAllNodesLeaveNoneToBeTheFirst) {
  task_graph graph("loop");
  auto a = graph.emplace([] { return 0; });
  a.precede(a);
  EXPECT_NE(error_of([&] { graph.run(); }).find("task graph 'loop' has no node that can be the first"),
            std::string::npos);
}

TEST_F(GraphErrors, HandlesThatAreEmptyStaleOrOfAnotherGraphAreSaidSo) {
  task_graph one("one"), two("two");
  auto a = one.emplace([] {}).name("a");
  auto b = two.emplace([] {}).name("b");
  graph_node none;
  EXPECT_TRUE(none.empty());
  EXPECT_NE(error_of([&] { a.precede(none); }).find("the handle is empty"), std::string::npos);
  EXPECT_NE(error_of([&] { none.precede(a); }).find("the handle is empty"), std::string::npos);
  EXPECT_EQ(
      error_of([&] { a.precede(b); }),
      "an edge from node 'a' of task graph 'one' to node 'b' of another, task graph 'two'; make both nodes in one "
      "graph, or compose one graph of the other");
  two.clear();
  two.emplace([] {});
  EXPECT_NE(error_of([&] { b.name("c"); }).find("which is gone: the graph was cleared since"), std::string::npos);
  EXPECT_NE(error_of([&] { (void)one.node(1); }).find("node #1 of task graph 'one', which has 1"), std::string::npos);
  EXPECT_EQ(one.num_edges(), 0U);
}

TEST_F(GraphErrors, AGraphThatRunsIsNotChangedOrRunASecondTime) {
  for (const GraphSchedule schedule : both_schedules) {
    task_graph graph("busy");
    graph.set_schedule(schedule);
    std::vector<std::string> errors;
    auto a = graph.emplace([&] {
      errors.push_back(error_of([&] { graph.run(); }));
      errors.push_back(error_of([&] { graph.emplace([] {}); }));
      errors.push_back(error_of([&] { graph.clear(); }));
      errors.push_back(error_of([&] { graph.node(0).precede(graph.node(1)); }));
      errors.push_back(error_of([&] { graph.set_schedule(GraphSchedule::stream); }));
      EXPECT_TRUE(graph.running());
    });
    a.precede(graph.emplace([] {}));
    EXPECT_TRUE(graph.run());
    EXPECT_FALSE(graph.running());
    ASSERT_EQ(errors.size(), 5U);
    EXPECT_NE(errors[0].find("task graph 'busy' runs already"), std::string::npos);
    for (std::size_t i = 1; i < 5; ++i) EXPECT_NE(errors[i].find("which runs"), std::string::npos) << errors[i];
    EXPECT_TRUE(graph.run());
  }
}

TEST_F(GraphErrors, AGraphIsNotComposedOfItself) {
  task_graph a("a"), b("b"), c("c");
  EXPECT_NE(error_of([&] { a.composed_of(a); }).find("it was composed of itself"), std::string::npos);
  a.composed_of(b);
  b.composed_of(c);
  EXPECT_NE(
      error_of([&] { c.composed_of(a); }).find("task graph 'c' would be within itself: task graph 'a' contains it"),
      std::string::npos);
  EXPECT_TRUE(a.run());
}

TEST_F(GraphErrors, OneGraphInTwoNodesThatRunAtOnceIsAnError) {
  task_graph inner("inner"), outer;
  std::atomic<bool> held{true};
  inner.emplace([&] {
    while (held && !charm::is_cancelled()) charm::yield();  // the third node may be skipped
  });
  outer.composed_of(inner);
  outer.composed_of(inner);
  outer.emplace([&] {
    for (int i = 0; i < 100; ++i) charm::yield();
    held = false;
  });
  EXPECT_NE(error_of([&] { outer.run(); }).find("task graph 'inner' runs already"), std::string::npos);
  EXPECT_FALSE(inner.running());
  held = false;
  EXPECT_TRUE(inner.run());
}

TEST_F(GraphErrors, ACycleWithinAGraphWithinIsAnErrorBeforeAnythingRuns) {
  task_graph inner("inner"), outer;
  bool ran = false;
  auto a = inner.emplace([] {}), b = inner.emplace([] {});
  a.precede(b);
  b.precede(a);
  outer.emplace([&] { ran = true; }).precede(outer.composed_of(inner));
  EXPECT_NE(error_of([&] { outer.run(); }).find("task graph 'inner' has a cycle: #0 -> #1 -> #0"), std::string::npos);
  EXPECT_FALSE(ran);
  task_graph dynamic;
  dynamic
      .emplace([](subgraph& within) {
        auto x = within.emplace([] {}).name("x");
        x.precede(x);
      })
      .name("maker");
  for (int i = 0; i < 2; ++i)
    EXPECT_NE(error_of([&] { dynamic.run(); }).find("'made by maker' has a cycle: 'x' -> 'x'"), std::string::npos);
}

TEST_F(GraphErrors, ExceptionsOfGraphsWithinLeaveTheOuterRun) {
  for (const GraphSchedule schedule : both_schedules) {
    task_graph inner, outer;
    outer.set_schedule(schedule);
    bool fails = true, after = false;
    inner.emplace([&] {
      if (fails) throw std::runtime_error("inner");
    });
    outer.composed_of(inner).precede(outer.emplace([&] { after = true; }));
    EXPECT_THROW(outer.run(), std::runtime_error);
    EXPECT_FALSE(after);
    EXPECT_FALSE(inner.running());
    fails = false;
    EXPECT_TRUE(outer.run());
    EXPECT_TRUE(after);

    task_graph dynamic;
    dynamic.set_schedule(schedule);
    dynamic.emplace([](subgraph& within) {
      within.emplace([] { throw std::logic_error("made"); });
      EXPECT_THROW(within.join(), std::logic_error);
      within.emplace([] { throw std::domain_error("later"); });
    });
    EXPECT_THROW(dynamic.run(), std::domain_error);
    EXPECT_THROW(dynamic.run(), std::domain_error);
  }
}

TEST_F(GraphErrors, AConditionMustNotStartANodeThatRuns) {
  task_graph graph("race");
  std::atomic<bool> go{false};
  auto start = graph.emplace([] {});
  auto one = graph.emplace([] { return 0; }), two = graph.emplace([] { return 0; });
  auto held = graph
                  .emplace([&] {
                    while (!go && !charm::is_cancelled()) charm::yield();
                  })
                  .name("held");
  start.precede(one, two);
  one.precede(held);
  two.precede(held);
  EXPECT_NE(error_of([&] {
              graph.run();
            }).find("node 'held' of task graph 'race' was started by an edge while it was running or about to run"),
            std::string::npos);
  go = true;
}

TEST_F(GraphErrors, WhatCopyingACallableThrowsLeavesTheGraphAsItWas) {
  struct Throws {
    Throws() = default;
    Throws(const Throws&) { throw std::bad_alloc(); }
    void operator()() const {}
  };
  task_graph graph;
  graph.emplace([] {});
  const Throws throws;
  EXPECT_THROW(graph.emplace(throws), std::bad_alloc);
  EXPECT_EQ(graph.size(), 1U);
  EXPECT_TRUE(graph.run());
}

TEST(GraphWithoutRuntime, RunSaysSoAndTheGraphWorksLater) {
  task_graph graph;
  std::atomic<int> ran{0};
  graph.emplace([&] { ++ran; });
  EXPECT_NE(error_of([&] { graph.run(); }, charm::Errc::not_running), "");
  Running runtime(2);
  EXPECT_TRUE(graph.run());
  EXPECT_EQ(ran, 1);
}

TEST(GraphAtTheEnd, ARunThatFinalizeDropsLeavesAGraphThatRunsAgain) {
  std::optional<Running> runtime(std::in_place, 2, charm::Config{.deadlock = "off"});
  task_graph graph, inner;
  charm::channel<int> never(0);
  std::atomic<bool> waits{true};
  std::atomic<int> ran{0};
  inner.emplace([&] {
    ++ran;
    if (waits) (void)never.recv();
  });
  auto last = graph.emplace([&] { ++ran; });
  graph.composed_of(inner).precede(last);
  graph.emplace([&] { ++ran; }).precede(last);
  std::string error;
  std::thread outside([&] { error = error_of([&] { graph.run(); }, charm::Errc::not_running); });
  while (ran < 2) std::this_thread::yield();
  runtime.reset();
  outside.join();
  EXPECT_NE(error, "");
  EXPECT_FALSE(graph.running());
  waits = false;
  ran = 0;
  runtime.emplace(2);
  EXPECT_TRUE(graph.run());
  EXPECT_EQ(ran, 3);
}

}  // namespace
