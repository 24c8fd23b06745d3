// The cases that tell Algorithm 1 as printed from the exact answers, with the numbers worked out by hand. GB/s.
#include <numeric>

#include <gtest/gtest.h>

#include "memory_traffic/machines.hpp"
#include "tools/memory_traffic/flow.hpp"
#include "tools/memory_traffic/shared.hpp"
#include "tools/memory_traffic/tree.hpp"

namespace charm::memory_traffic::test {
namespace {

void expect_shares(const Weights& weights, const std::vector<double>& expected) {
  const Weights shares = normalised(weights);
  ASSERT_EQ(shares.size(), expected.size());
  for (std::size_t i = 0; i < shares.size(); ++i) EXPECT_NEAR(shares[i], expected[i], 0.0006) << "memory " << i;
}

struct Golden {
  Model model;
  double paper, exact;
  std::vector<double> shares;
  double interleave, local;
};

void expect_golden(const Golden& golden) {
  const AccessTree tree = access_tree(golden.model, sccl0, capacities(golden.model));
  EXPECT_NEAR(rate(tree, printed(tree)), golden.paper, 0.05);
  EXPECT_NEAR(max_flow(tree), golden.exact, 1e-9);
  EXPECT_NEAR(rate(tree, proportional(tree)), golden.exact, 1e-9);
  EXPECT_NEAR(rate(tree, nearest_first(tree)), golden.exact, 1e-9);
  expect_shares(proportional(tree), golden.shares);
  Weights alone(golden.model.memories.size(), 0);
  EXPECT_NEAR(rate(tree, Weights(alone.size(), 1)), golden.interleave, 1e-9);
  alone[0] = 1;
  EXPECT_NEAR(rate(tree, alone), golden.local, 1e-9);
}

}  // namespace

TEST(Golden, ASymmetricMachine) { expect_golden({kunpeng(100), 120, 160, {.25, .25, .25, .25}, 160, 40}); }

TEST(Golden, LittleDemandStaysOnTheLocalMemory) {
  const Model model = kunpeng(100);
  const AccessTree tree = access_tree(model, sccl0, capacities(model));
  expect_shares(nearest_first(tree, 20), {1, 0, 0, 0});
  expect_shares(nearest_first(tree, 60), {2. / 3, 1. / 3, 0, 0});
}

TEST(Golden, BNarrowBusBetweenSockets) { expect_golden({kunpeng(30), 110, 110, {.364, .364, .136, .136}, 60, 40}); }

TEST(Golden, CBusyLocalMemory) {
  Model model = kunpeng(30);
  model.memories[0].gb_per_s = 10;
  expect_golden({model, 80, 80, {.125, .5, .1875, .1875}, 40, 10});
}

TEST(Golden, C2BusyBusBetweenSockets) { expect_golden({kunpeng(6), 86, 86, {.465, .465, .035, .035}, 12, 40}); }

TEST(Golden, DMemoryOnCxlAtTheRoot) {
  Model model = kunpeng(30);
  model.memories.push_back({4, sccl0, 12, 300});
  expect_golden({model, 122, 122, {.328, .328, .123, .123, .098}, 60, 40});
}

TEST(Golden, ECxlBehindTheBus) {
  Model model = kunpeng(26);
  model.memories[2].gb_per_s = 8;
  model.memories[3].gb_per_s = 8;
  model.memories.push_back({4, 2, 12, 300});
  expect_golden({model, 91.375, 106, {.377, .377, .070, .070, .105}, 40, 40});
}

TEST(Golden, SmallestNestedCaseThatThePrintMisses) {
  Model model;
  model.domains = {{.name = "root", .os_node = 0},
                   {.name = "outer", .parent = 0, .out_gb_per_s = 50},
                   {.name = "inner", .parent = 1, .out_gb_per_s = 60}};
  model.memories = {{0, 0, 40, 100}, {1, 2, 10, 100}, {2, 2, 10, 100}, {3, 1, 40, 100}};
  const AccessTree tree = access_tree(model, 0, capacities(model));
  EXPECT_NEAR(rate(tree, printed(tree)), 73.33, 0.01);
  EXPECT_NEAR(max_flow(tree), 90, 1e-9);
  EXPECT_NEAR(rate(tree, nearest_first(tree)), 90, 1e-9);
}

TEST(Golden, BlocksThatSeveralDomainsRead) {
  const Model model = kunpeng(30);
  const Bandwidths left = capacities(model);
  const AccessTree tree = access_tree(model, sccl0, left);
  const std::vector<Reader> three = {{3, 1. / 3}, {4, 1. / 3}, {5, 1. / 3}};
  const auto expect = [&](std::span<const Reader> readers, double best, double rooted, double interleave) {
    EXPECT_NEAR(shared_rate(model, left, readers, shared_flow(model, left, readers)), best, 1e-6);
    EXPECT_NEAR(shared_rate(model, left, readers, proportional(tree)), rooted, 1e-6);
    EXPECT_NEAR(shared_rate(model, left, readers, Weights(4, 1)), interleave, 1e-6);
  };
  expect(three, 125, 110, 90);
  expect(all_readers(model), 120, 82.5, 120);
}

}  // namespace charm::memory_traffic::test
