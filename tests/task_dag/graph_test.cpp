// What a task graph does, feature by feature.
#include <charm/detail/graph_node.hpp>
#include <charm/task_graph.hpp>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <numeric>
#include <stop_token>
#include <thread>
#include <vector>

#include "task_dag/graphs.hpp"

namespace {

using charm::graph_node;
using charm::subgraph;
using charm::task_graph;

class Graphs : public testing::TestWithParam<int> {
 protected:
  Running runtime_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Workers, Graphs, testing::Values(1, 2, 4));

TEST_P(Graphs, ADiamondRunsInOrder) {
  for (const GraphSchedule schedule : both_schedules) {
    task_graph graph("diamond");
    graph.set_schedule(schedule);
    std::atomic<int> clock{0};
    int a = 0, b = 0, c = 0, d = 0;
    auto [first, left, right, last] =
        graph.emplace([&] { a = ++clock; }, [&] { b = ++clock; }, [&] { c = ++clock; }, [&] { d = ++clock; });
    first.precede(left, right);
    last.succeed(left, right);
    EXPECT_TRUE(graph.run());
    EXPECT_EQ(a, 1);
    EXPECT_EQ(b + c, 5);
    EXPECT_EQ(d, 4);
    EXPECT_EQ(graph.num_edges(), 4U);
    EXPECT_EQ(last.num_predecessors(), 2U);
    EXPECT_EQ(first.num_successors(), 2U);
  }
}

TEST_P(Graphs, TheyRunFromTasksAndFromOtherThreads) {
  std::atomic<int> ran{0};
  task_graph graph;
  for (int i = 0; i < 50; ++i) graph.emplace([&] { ++ran; });
  charm::run([&] { graph.run(); });
  std::thread([&] { graph.run_n(3); }).join();
  int times = 0;
  graph.run_until([&] { return ++times == 4; });
  EXPECT_EQ(ran, 50 * 8);
}

TEST_P(Graphs, CallablesMayBeMovableOnlyLargeAndOveraligned) {
  struct alignas(256) Wide {
    double values[32] = {};
  };
  task_graph graph;
  std::atomic<int> sum{0};
  graph.emplace([&sum, one = std::make_unique<int>(1)] { sum += *one; });
  Wide wide;
  wide.values[31] = 2;
  graph.emplace([&sum, wide] {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&wide) % 256, 0U);
    sum += static_cast<int>(wide.values[31]);
  });
  std::function<void()> erased = [&sum] { sum += 4; };
  graph.emplace(erased);
  graph.emplace([&sum, text = std::string(100, 'x')] { sum += static_cast<int>(text.size()); });
  graph.run();
  EXPECT_EQ(sum, 107);
}

TEST_P(Graphs, WhatACallableOwnsIsDestroyedOnce) {
  auto owned = std::make_shared<int>();
  {
    task_graph graph;
    for (int i = 0; i < 40; ++i) {
      graph.emplace([owned] { (void)owned; });
      graph.emplace([owned](subgraph& within) {
        for (int j = 0; j < 3; ++j) within.emplace([owned] { (void)owned; });
      });
    }
    graph.run_n(3);
    EXPECT_EQ(owned.use_count(), 1 + 40 * 5);
    graph.clear();
    EXPECT_EQ(owned.use_count(), 1);
    graph.emplace([owned] { (void)owned; });
  }
  EXPECT_EQ(owned.use_count(), 1);
}

TEST_P(Graphs, AConditionChoosesWhichSuccessorRuns) {
  for (const GraphSchedule schedule : both_schedules) {
    for (int choice = -1; choice <= 3; ++choice) {
      task_graph graph;
      graph.set_schedule(schedule);
      std::vector<int> ran(3);
      auto before = graph.emplace([] {});
      auto condition = graph.emplace([choice] { return choice; });
      condition.succeed(before);
      for (int i = 0; i < 3; ++i) {
        auto branch = graph.emplace([&ran, i] { ++ran[static_cast<std::size_t>(i)]; });
        condition.precede(branch);
      }
      EXPECT_TRUE(graph.run_n(2));
      for (int i = 0; i < 3; ++i) EXPECT_EQ(ran[static_cast<std::size_t>(i)], i == choice ? 2 : 0);
    }
  }
}

TEST_P(Graphs, ALoopOverAConditionRunsUntilItIsLeft) {
  for (const GraphSchedule schedule : both_schedules) {
    task_graph graph;
    graph.set_schedule(schedule);
    int rounds = 0;
    std::atomic<int> body{0}, after{0};
    auto start = graph.emplace([&] { rounds = 0; });
    auto fork = graph.emplace([] {});
    auto left = graph.emplace([&] { ++body; });
    auto right = graph.emplace([&] { ++body; });
    auto again = graph.emplace([&]() -> int { return ++rounds < 1000 ? 0 : 1; });
    auto end = graph.emplace([&] { ++after; });
    auto enter = graph.emplace([] { return 0; });  // an edge that is not conditional would be a second predecessor
    start.precede(enter);
    enter.precede(fork);
    fork.precede(left, right);
    again.succeed(left, right);
    again.precede(fork, end);
    EXPECT_TRUE(graph.run_n(2));
    EXPECT_EQ(body, 4000);
    EXPECT_EQ(after, 2);
  }
}

TEST_P(Graphs, ADynamicNodesTasksEndBeforeItsSuccessors) {
  for (const GraphSchedule schedule : both_schedules) {
    task_graph graph;
    graph.set_schedule(schedule);
    std::atomic<int> made{0};
    int seen = 0;
    auto spawner = graph.emplace([&](subgraph& within) {
      auto last = within.emplace([&] {
        EXPECT_EQ(made.load() % 21, 20);
        ++made;
      });
      for (int i = 0; i < 20; ++i) last.succeed(within.emplace([&] { ++made; }));
    });
    spawner.precede(graph.emplace([&] { seen = made; }));
    for (int i = 1; i <= 3; ++i) {
      graph.run();
      EXPECT_EQ(seen, 21 * i);
    }
  }
}

TEST_P(Graphs, JoinWaitsWithinADynamicNode) {
  task_graph graph;
  std::vector<int> order;
  graph.emplace([&](subgraph& within) {
    std::atomic<int> ran{0};
    for (int i = 0; i < 30; ++i) within.emplace([&] { ++ran; });
    within.join();
    order.push_back(ran);
    EXPECT_TRUE(within.empty());
    within.emplace([&order] { order.push_back(1); });
    within.join();
    order.push_back(2);
  });
  graph.run();
  EXPECT_EQ(order, (std::vector<int>{30, 1, 2}));
}

TEST_P(Graphs, AGraphMayBeComposedOfOthers) {
  for (const GraphSchedule schedule : both_schedules) {
    task_graph inner("inner"), outer("outer");
    outer.set_schedule(schedule);
    std::atomic<int> ran{0};
    int seen = 0, before = 0;
    for (int i = 0; i < 10; ++i) inner.emplace([&] { ++ran; });
    auto one = outer.composed_of(inner);
    auto between = outer.emplace([&] { before = ran; });
    auto two = outer.composed_of(inner);  // after the first, so that both may be it
    auto last = outer.emplace([&] { seen = ran; });
    one.precede(between);
    between.precede(two);
    two.precede(last);
    outer.run();
    EXPECT_EQ(before, 10);
    EXPECT_EQ(seen, 20);
    inner.run();
    EXPECT_EQ(ran, 30);
  }
}

TEST_P(Graphs, NodesMayWaitForEachOtherInAStream) {
  task_graph graph;
  charm::channel<int> channel(0);
  int got = 0;
  graph.emplace([&] { got = channel.recv().value_or(0); });
  graph.emplace([&] { channel.send(7); });
  graph.run();
  EXPECT_EQ(got, 7);
}

TEST_P(Graphs, AStopTokenEndsARun) {
  task_graph graph;
  std::stop_source stop;
  std::atomic<int> ran{0};
  graph_node before;
  for (int i = 0; i < 100; ++i) {
    graph_node node = graph.emplace([&, i] {
      ++ran;
      if (i == 10) stop.request_stop();
    });
    if (i > 0) before.precede(node);
    before = node;
  }
  EXPECT_FALSE(graph.run(stop.get_token()));
  EXPECT_EQ(ran, 11);
  EXPECT_FALSE(graph.run(stop.get_token()));  // at once
  EXPECT_EQ(ran, 11);
  EXPECT_FALSE(graph.run_n(5, stop.get_token()));
  EXPECT_TRUE(graph.run());
  EXPECT_EQ(ran, 111);
}

TEST_P(Graphs, CancellingTheGroupOfTheCallerEndsARun) {
  std::atomic<int> ran{0};
  task_graph graph;
  charm::task_group* cancelled = nullptr;  // by the graph, while it exists
  charm::run([&] {
    charm::task_group group;
    cancelled = &group;
    graph_node before;
    for (int i = 0; i < 100; ++i) {
      graph_node node = graph.emplace([&ran, &cancelled, i] {
        ++ran;
        if (i == 10 && cancelled != nullptr) cancelled->cancel();
      });
      if (i > 0) before.precede(node);
      before = node;
    }
    std::string error;
    group.run([&] { error = error_of([&] { graph.run(); }, charm::Errc::cancelled); });
    group.wait();
    cancelled = nullptr;
    EXPECT_NE(error, "");
  });
  EXPECT_EQ(ran, 11);
  EXPECT_TRUE(graph.run());
}

TEST_P(Graphs, LoopsWithinANodeBelongToTheRun) {
  task_graph graph;
  std::atomic<bool> began{false}, cut{false};
  graph.emplace([&] {
    began = true;
    try {
      while (true) charm::parallel_for(0, 1000, [](int) { charm::yield(); });
    } catch (const charm::Error& error) {
      cut = error.code() == charm::Errc::cancelled;
      throw;
    }
  });
  graph.emplace([&] {
    while (!began) charm::yield();
    graph.cancel();
  });
  EXPECT_FALSE(graph.run());
  EXPECT_TRUE(cut);
}

TEST_P(Graphs, SourcesAndSuccessorsMayBeMoreThanADequeHolds) {
  constexpr int many = 20'000;
  for (const GraphSchedule schedule : both_schedules) {
    task_graph graph;
    graph.set_schedule(schedule);
    std::atomic<int> ran{0};
    auto middle = graph.emplace([&] { EXPECT_EQ(ran.load() % (2 * many), many); });
    for (int i = 0; i < many; ++i) graph.emplace([&] { ++ran; }).precede(middle);
    for (int i = 0; i < many; ++i) middle.precede(graph.emplace([&] { ++ran; }));
    EXPECT_TRUE(graph.run_n(2));
    EXPECT_EQ(ran, 4 * many);
  }
}

TEST(GraphFairness, ALongChainLeavesTheWorkerToOthersNowAndThen) {
  const Running runtime(1);
  task_graph graph;
  charm::latch chain_ended(1);
  bool other = false, seen = false;
  graph_node before = graph.emplace([&] { charm::call_detached(charm::on_worker{0}, [&] { other = true; }); });
  for (int i = 0; i < 10'000; ++i) {
    graph_node node = graph.emplace([&] { seen = seen || other; });
    before.precede(node);
    before = node;
  }
  before.precede(graph.emplace([&] { chain_ended.count_down(); }));
  graph.emplace([&] { chain_ended.wait(); });
  // One of the two sources is run by the caller, the other by the scheduler; the caller shall have the one that waits.
  task_graph turned;
  turned.emplace([&] { chain_ended.wait(); });
  turned.composed_of(graph);
  turned.run();
  EXPECT_TRUE(seen);
}

TEST_P(Graphs, TwoGraphsRunAtOnce) {
  std::atomic<int> ran{0};
  task_graph one, two;
  for (task_graph* graph : {&one, &two}) {
    for (int i = 0; i < 500; ++i) {
      auto a = graph->emplace([&] { ++ran; });
      auto b = graph->emplace([&] { ++ran; });
      a.precede(b);
    }
  }
  charm::run([&] { charm::invoke([&] { one.run_n(10); }, [&] { two.run_n(10); }); });
  EXPECT_EQ(ran, 20'000);
}

TEST_P(Graphs, AGraphMayRunWithinANodeOfAnother) {
  task_graph outer;
  std::atomic<int> ran{0};
  for (int i = 0; i < 20; ++i) {
    outer.emplace([&] {
      task_graph inner;
      for (int j = 0; j < 20; ++j) inner.emplace([&] { ++ran; });
      inner.run();
    });
  }
  outer.run_n(2);
  EXPECT_EQ(ran, 800);
}

TEST_P(Graphs, CostsAreMeasuredByKind) {
  const charm::task_kind slow("test: slow"), fast("test: fast");
  EXPECT_EQ(slow, charm::task_kind("test: slow"));
  EXPECT_EQ(slow.name(), "test: slow");
  task_graph graph;
  std::atomic<int> sink{0};
  for (int i = 0; i < 64; ++i) {
    graph
        .emplace([&] {
          for (int j = 0; j < 20'000; ++j) sink.fetch_add(1, std::memory_order_relaxed);
        })
        .kind(slow);
    auto node = graph.emplace([&] { sink.fetch_add(1, std::memory_order_relaxed); });
    node.kind(fast);
    EXPECT_EQ(node.kind(), fast);
  }
  graph.run();
  EXPECT_GE(charm::cost_of(slow).samples, 16U);
  EXPECT_GT(charm::cost_of(slow).mean_ns, 5 * charm::cost_of(fast).mean_ns);
  EXPECT_EQ(charm::cost_of(charm::task_kind("test: never run")).samples, 0U);
}

}  // namespace
