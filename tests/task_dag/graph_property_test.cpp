// Random graphs against what is true of any run: every node once, after its predecessors, in both schedules, again and
// again, with nodes that throw, and cut off.
#include <algorithm>
#include <atomic>
#include <memory>
#include <rapidcheck.h>
#include <thread>

#include <gtest/gtest.h>

#include "task_dag/graphs.hpp"

namespace {

struct Shape {
  int workers;
  const char* topology;
};

/// Runs a random graph whose nodes note when they ran: `stamp` 0 for not at all.
class Noted {
 public:
  Noted(std::uint64_t seed, std::size_t nodes, double edges)
      : shape_(seed, nodes, edges), stamps_(nodes), runs_(nodes) {
    std::vector<charm::graph_node> made;
    for (std::size_t i = 0; i < nodes; ++i) made.push_back(graph.emplace([this, i] { note(i); }));
    for (std::size_t i = 0; i < nodes; ++i) {
      for (const std::size_t j : shape_.after[i]) made[i].precede(made[j]);
    }
  }
  void forget() {
    clock_ = 0;
    for (auto& stamp : stamps_) stamp = 0;
    for (auto& runs : runs_) runs = 0;
  }
  /// Whether nodes ran at most once, and none before its predecessors. \return how many ran.
  std::size_t check() const {
    std::size_t ran = 0;
    for (std::size_t i = 0; i < shape_.size(); ++i) {
      RC_ASSERT(runs_[i] <= 1);
      ran += static_cast<std::size_t>(runs_[i]);
      for (const std::size_t j : shape_.after[i]) {
        if (runs_[j] != 0) RC_ASSERT(stamps_[i] != 0 && stamps_[i] < stamps_[j]);
      }
    }
    return ran;
  }

  charm::task_graph graph;
  std::atomic<int> throw_at{-1}, cancel_at{-1};

 private:
  void note(std::size_t i) {
    ++runs_[i];
    stamps_[i] = ++clock_;
    if (static_cast<int>(i) == throw_at) throw static_cast<int>(i);
    if (static_cast<int>(i) == cancel_at) graph.cancel();
  }
  RandomGraph shape_;
  std::atomic<int> clock_{0};
  std::vector<std::atomic<int>> stamps_, runs_;
};

class GraphProperties : public testing::TestWithParam<Shape> {
 protected:
  static charm::Config config() {
    charm::Config config;
    if (*GetParam().topology != 0) config.topology = GetParam().topology;
    config.policy = "distributed";
    return config;
  }
  Running runtime_{GetParam().workers, config()};
};
INSTANTIATE_TEST_SUITE_P(Shapes, GraphProperties,
                         testing::Values(Shape{1, ""}, Shape{2, ""}, Shape{4, "pack:2 l3:2 core:1 pu:1"}));

TEST_P(GraphProperties, EveryNodeRunsOnceAfterItsPredecessorsAgainAndAgain) {
  EXPECT_TRUE(rc::check([] {
    Noted noted(*rc::gen::arbitrary<std::uint64_t>(), *rc::gen::inRange<std::size_t>(0, 300),
                *rc::gen::element(0.0, 0.5, 1.0, 3.0, 12.0));
    for (const GraphSchedule schedule : {GraphSchedule::stream, GraphSchedule::batch, GraphSchedule::stream}) {
      noted.graph.set_schedule(schedule);
      noted.forget();
      RC_ASSERT(noted.graph.run());
      RC_ASSERT(noted.check() == noted.graph.size());
      RC_ASSERT(noted.graph.last_schedule() == schedule);
    }
  }));
}

TEST_P(GraphProperties, TheFirstExceptionLeavesAndTheRestIsSkipped) {
  EXPECT_TRUE(rc::check([] {
    const auto nodes = *rc::gen::inRange<std::size_t>(1, 200);
    Noted noted(*rc::gen::arbitrary<std::uint64_t>(), nodes, *rc::gen::element(0.0, 1.0, 4.0));
    noted.graph.set_schedule(*rc::gen::element(GraphSchedule::stream, GraphSchedule::batch));
    noted.throw_at = static_cast<int>(*rc::gen::inRange<std::size_t>(0, nodes));
    int thrown = -1;
    try {
      noted.graph.run();
    } catch (const int what) {
      thrown = what;
    }
    RC_ASSERT(thrown == noted.throw_at);
    noted.check();
    noted.throw_at = -1;
    noted.forget();
    RC_ASSERT(noted.graph.run());  // usable afterwards
    RC_ASSERT(noted.check() == nodes);
  }));
}

TEST_P(GraphProperties, ACancelledRunIsCutOffCleanly) {
  EXPECT_TRUE(rc::check([] {
    const auto nodes = *rc::gen::inRange<std::size_t>(1, 200);
    Noted noted(*rc::gen::arbitrary<std::uint64_t>(), nodes, *rc::gen::element(0.0, 1.0, 4.0));
    noted.graph.set_schedule(*rc::gen::element(GraphSchedule::stream, GraphSchedule::batch));
    noted.cancel_at = static_cast<int>(*rc::gen::inRange<std::size_t>(0, nodes));
    RC_ASSERT(!noted.graph.run());
    noted.check();
    noted.cancel_at = -1;
    noted.forget();
    RC_ASSERT(noted.graph.run());
    RC_ASSERT(noted.check() == nodes);
  }));
}

/// Graphs within graphs, made in both ways, to a random depth.
struct Nested {
  explicit Nested(std::uint64_t s) : random(s) {}
  std::mt19937_64 random;
  std::vector<std::unique_ptr<charm::task_graph>> graphs;
  std::atomic<int> ran{0};
  int expected = 0;

  void fill_dynamic(charm::subgraph& graph, int depth, int width) {
    charm::graph_node before;
    for (int i = 0; i < width; ++i) {
      charm::graph_node node =
          depth == 0 ? graph.emplace([this] { ++ran; }) : graph.emplace([this, depth, width](charm::subgraph& within) {
            ++ran;
            fill_dynamic(within, depth - 1, width);
          });
      if (i % 2 == 1) before.precede(node);
      before = node;
    }
  }
  static int size_of(int depth, int width) { return depth < 0 ? 0 : width * (1 + size_of(depth - 1, width)); }
  charm::task_graph& make(int depth) {
    graphs.push_back(std::make_unique<charm::task_graph>());
    charm::task_graph& graph = *graphs.back();
    std::vector<charm::graph_node> nodes;
    const int count = static_cast<int>(random() % 5);
    for (int i = 0; i < count; ++i) {
      const auto what = random() % 4;
      if (what == 0 && depth > 0) {
        nodes.push_back(graph.composed_of(make(depth - 1)));
      } else if (what == 1) {
        const int deep = static_cast<int>(random() % 3), width = static_cast<int>(random() % 4);
        nodes.push_back(
            graph.emplace([this, deep, width](charm::subgraph& within) { fill_dynamic(within, deep, width); }));
        expected += size_of(deep, width);
      } else {
        nodes.push_back(graph.emplace([this] { ++ran; }));
        ++expected;
      }
      if (i > 0 && random() % 2 == 0) nodes[random() % static_cast<unsigned>(i)].precede(nodes.back());
    }
    return graph;
  }
};

TEST_P(GraphProperties, GraphsWithinGraphsRunWholeAndAgain) {
  EXPECT_TRUE(rc::check([] {
    Nested nested(*rc::gen::arbitrary<std::uint64_t>());
    charm::task_graph& graph = nested.make(4);
    for (const GraphSchedule schedule : both_schedules) {
      graph.set_schedule(schedule);
      nested.ran = 0;
      RC_ASSERT(graph.run_n(2));
      RC_ASSERT(nested.ran == 2 * nested.expected);
    }
  }));
}

}  // namespace
