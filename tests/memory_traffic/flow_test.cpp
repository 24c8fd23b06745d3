// What holds on every machine, over random ones.
#include "tools/memory_traffic/flow.hpp"

#include <numeric>

#include <gtest/gtest.h>

#include "memory_traffic/machines.hpp"
#include "tools/memory_traffic/shared.hpp"
#include "tools/memory_traffic/smoothing.hpp"

namespace charm::memory_traffic::test {
namespace {

double sum_of(const Weights& weights) { return std::accumulate(weights.begin(), weights.end(), 0.0); }

/// Whether no bus and no controller carries more than it can.
bool fits(const Model& model, int root, const Weights& flow) {
  const Bandwidths used = flow_on_buses(model, root, flow);
  const Bandwidths all = capacities(model);
  bool good = true;
  for (std::size_t d = 0; d < model.domains.size(); ++d)
    good = good && used.out[d] <= all.out[d] + 1e-6 && used.in[d] <= all.in[d] + 1e-6;
  for (std::size_t m = 0; m < flow.size(); ++m) good = good && used.memory[m] <= all.memory[m] + 1e-6;
  return good;
}

double latency_of(const Model& model, int root, const Weights& flow) {
  double sum = 0;
  for (std::size_t m = 0; m < flow.size(); ++m) sum += flow[m] * read_latency(model, root, model.memories[m]);
  return sum;
}

}  // namespace

TEST(Flow, CarriesTheMaximumAndNothingIsOverloaded) {
  base::Random random(1);
  for (int i = 0; i < 3000; ++i) {
    const Model model = random_model(random);
    for (const AccessTree& tree : access_forest(model, capacities(model))) {
      const double most = max_flow(tree);
      for (const Weights& flow : {proportional(tree), nearest_first(tree)}) {
        ASSERT_NEAR(sum_of(flow), most, 1e-6 * most);
        ASSERT_TRUE(fits(model, tree.root, flow));
        ASSERT_NEAR(rate(tree, flow), most, 1e-6 * most);
      }
      ASSERT_LE(rate(tree, printed(tree)), most * (1 + 1e-9));
    }
  }
}

TEST(Flow, NearestFirstMeetsTheDemandWithTheLeastLatency) {
  base::Random random(2);
  for (int i = 0; i < 2000; ++i) {
    const Model model = random_model(random);
    const int root = roots(model).front();
    const AccessTree tree = access_tree(model, root, capacities(model));
    const double demand = max_flow(tree) * random.unit();
    const Weights flow = nearest_first(tree, demand);
    ASSERT_NEAR(sum_of(flow), demand, 1e-6 * (1 + demand));
    ASSERT_TRUE(fits(model, root, flow));
    const std::vector<Reader> reader = {{root, 1}};
    const Weights best = shared_flow(model, capacities(model), reader, demand);
    ASSERT_NEAR(latency_of(model, root, flow), latency_of(model, root, best),
                1e-5 * (1 + latency_of(model, root, best)));
  }
}

TEST(Flow, TheLinearProgramOfOneReaderIsTheTree) {
  base::Random random(3);
  for (int i = 0; i < 2000; ++i) {
    const Model model = random_model(random);
    const int root = roots(model).front();
    const AccessTree tree = access_tree(model, root, capacities(model));
    const std::vector<Reader> reader = {{root, 1}};
    const Weights flow = shared_flow(model, capacities(model), reader);
    ASSERT_NEAR(sum_of(flow), max_flow(tree), 1e-6 * max_flow(tree));
    ASSERT_NEAR(shared_rate(model, capacities(model), reader, printed(tree)), rate(tree, printed(tree)), 1e-6);
  }
}

TEST(Flow, WhatIsTakenByOthersIsNotGivenAway) {
  Model model = kunpeng(30);
  Bandwidths used = flow_on_buses(model, 5, {0, 0, 40, 0});  // die 2 uses all of its memory
  AccessTree tree = access_tree(model, sccl0, remaining(model, used));
  EXPECT_EQ(nearest_first(tree)[2], 0);
  used = flow_on_buses(model, sccl0, {40, 40, 30, 0});  // all is used: every memory is as good as any other
  tree = access_tree(model, sccl0, remaining(model, used));
  EXPECT_NEAR(sum_of(nearest_first(tree)), 0, 1e-9);
  EXPECT_NEAR(normalised(nearest_first(tree))[0], 0.25, 1e-9);
}

TEST(Tree, HasNoEdgeThatLimitsNothingAndNoneWithoutMemory) {
  Model model = kunpeng(30);
  model.memories.erase(model.memories.begin() + 3);
  const AccessTree tree = access_tree(model, sccl0, capacities(model));
  // The root, M0, the die beside it and M1, the other socket, its one die and M2.
  ASSERT_EQ(tree.vertices.size(), 7U);
  EXPECT_EQ(tree.vertices[0].end, 7);
  for (std::size_t v = 1; v < tree.vertices.size(); ++v) EXPECT_NE(tree.vertices[v].gb_per_s, unlimited);
  EXPECT_EQ(access_forest(model, capacities(model)).size(), 4U);
}

TEST(Tree, LatencyGrowsWithEveryBusOnTheWay) {
  const Model model = kunpeng(30);
  EXPECT_EQ(read_latency(model, sccl0, model.memories[0]), 100);
  EXPECT_EQ(read_latency(model, sccl0, model.memories[1]), 120);
  EXPECT_EQ(read_latency(model, sccl0, model.memories[3]), 220);
}

}  // namespace charm::memory_traffic::test
