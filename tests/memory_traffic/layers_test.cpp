#include "memory/layers.hpp"

#include <charm/error.hpp>

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "memory_traffic/machines.hpp"
#include "tools/memory_traffic/fit.hpp"
#include "tools/memory_traffic/smoothing.hpp"

namespace charm::memory_traffic::test {
namespace {

constexpr std::size_t small = 4096;
constexpr std::size_t mib = std::size_t{1} << 20U;

struct Spread {
  std::vector<std::size_t> pages;  // by memory
  std::size_t runs = 0;
};

/// What the kernel would do: the members of a run in turns, by the number of the page.
/// \param first number of the block's first page.
Spread spread(const std::vector<std::uint16_t>& weights, std::size_t bytes, std::size_t page = small,
              std::size_t first = 0) {
  Spread result;
  result.pages.assign(weights.size(), 0);
  std::size_t next = 0;
  memory::for_each_run(memory::layers_of(weights), bytes, page,
                       [&](std::size_t offset, std::size_t length, std::uint64_t members) {
                         EXPECT_EQ(offset, next);
                         next = offset + length;
                         ++result.runs;
                         std::vector<std::size_t> nodes;
                         for (std::size_t i = 0; i < weights.size(); ++i) {
                           if ((members >> i & 1U) != 0) nodes.push_back(i);
                         }
                         for (std::size_t p = offset / page; p * page < offset + length; ++p)
                           ++result.pages[nodes[(first + p) % nodes.size()]];
                       });
  EXPECT_EQ(next, bytes);
  return result;
}

}  // namespace

TEST(Layers, FourWeightsOfTwoSizesAreTwoLayers) {
  const std::vector<std::uint16_t> weights = {40, 40, 15, 15};
  const memory::Layers layers = memory::layers_of(weights);
  ASSERT_EQ(layers.count, 2U);
  EXPECT_EQ(layers.layers[0].members, 0b1111U);
  EXPECT_EQ(layers.layers[0].parts, 60U);
  EXPECT_EQ(layers.layers[1].members, 0b0011U);
  EXPECT_EQ(layers.layers[1].parts, 50U);
  EXPECT_EQ(spread(weights, 8 * mib).runs, 2U);
}

TEST(Layers, EqualWeightsAreOneRunAndNoneIsNoRun) {
  EXPECT_EQ(spread({7, 7, 7}, 1024 * mib).runs, 1U);
  EXPECT_EQ(spread({0, 9, 0}, 64 * mib).pages, (std::vector<std::size_t>{0, 16384, 0}));
  EXPECT_EQ(memory::layers_of(std::vector<std::uint16_t>{0, 0}).count, 0U);
}

TEST(Layers, PagesFollowTheWeightsWithinOnePercentInFewRuns) {
  base::Random random(7);
  for (int i = 0; i < 100; ++i) {
    std::vector<std::uint16_t> weights;
    const std::size_t memories = 1 + random.index(8);
    double sum = 0;
    for (std::size_t m = 0; m < memories; ++m) {
      weights.push_back(static_cast<std::uint16_t>(random.below(1001)));
      sum += weights.back();
    }
    if (sum == 0) continue;
    const std::size_t bytes = (5 + random.index(300)) * mib + random.index(2) * 1000;
    const Spread got = spread(weights, bytes);
    const double pages = std::ceil(static_cast<double>(bytes) / small);
    for (std::size_t m = 0; m < memories; ++m)
      EXPECT_NEAR(static_cast<double>(got.pages[m]) / pages, weights[m] / sum, 0.01);
    EXPECT_LE(got.runs, memories * (1 + bytes / memory::repeat_bytes(bytes) + 1));
  }
}

TEST(Layers, HugePagesFollowTheWeightsAsNearlyAsTheirSizeAllows) {
  base::Random random(11);
  for (int i = 0; i < 300; ++i) {
    std::vector<std::uint16_t> weights;
    const std::size_t memories = 2 + random.index(3);
    double sum = 0;
    for (std::size_t m = 0; m < memories; ++m) {
      weights.push_back(static_cast<std::uint16_t>(1 + random.below(1000)));
      sum += weights.back();
    }
    const std::size_t bytes = (32 + random.index(300)) * mib + random.index(2) * 1000;
    const Spread got = spread(weights, bytes, 2 * mib, random.index(8));
    const double pages = std::ceil(static_cast<double>(bytes) / static_cast<double>(2 * mib));
    // In one run of 8 MiB the kernel would give one member of three or five pages the odd one, and so in each.
    for (std::size_t m = 0; m < memories; ++m)
      EXPECT_NEAR(static_cast<double>(got.pages[m]), weights[m] / sum * pages, 0.5 * static_cast<double>(memories) + 1)
          << bytes / mib << " MiB";
  }
}

TEST(Layers, AHugeBlockStaysBelowTheLimitOfMappings) {
  std::size_t runs = 0;
  memory::for_each_run(memory::layers_of(std::vector<std::uint16_t>{900, 700, 500, 300}), std::size_t{4} << 40U, small,
                       [&](std::size_t, std::size_t, std::uint64_t) { ++runs; });
  EXPECT_LE(runs, 4 * 513U);
}

TEST(Fit, TakesTheFirstDegreeThatIsExactEnough) {
  std::vector<LoadPoint> line;
  std::vector<LoadPoint> curve;
  for (int i = 0; i <= 20; ++i) {
    const double traffic = 1e9 * i;
    line.push_back({traffic, 40 - 1.5 * i});
    curve.push_back({traffic, 40 - 0.08 * i * i});
  }
  EXPECT_EQ(fit(line).coefficients.size(), 2U);
  EXPECT_NEAR(fit(line)(4e9), 34, 1e-6);
  EXPECT_EQ(fit(curve, 0.01).coefficients.size(), 3U);
  EXPECT_NEAR(fit(curve, 0.01)(10e9), 32, 1e-6);
  EXPECT_EQ(fit(curve, 10).coefficients.size(), 1U);  // any error will do
}

TEST(Fit, HoldsTheNearestMeasuredValueOutsideAndIsNeverNegative) {
  const std::vector<LoadPoint> points = {{10, 30}, {20, 10}, {30, -10}};
  const Fit line = fit(points, 1e-9);
  EXPECT_NEAR(line(0), 30, 1e-9);
  EXPECT_EQ(line(1000), 0);
  EXPECT_NEAR(fit(std::vector<LoadPoint>{{5, 12}, {5, 14}})(7), 13, 1e-9);  // one load only: its mean
  EXPECT_THROW(fit({}), Error);
}

TEST(TrafficView, TheOwnFlowIsNotSomebodyElses) {
  const Model model = kunpeng(30);
  const Bandwidths own = flow_on_buses(model, sccl0, {40, 20, 10, 0});
  TrafficView view(model);
  view.add(own, own);
  EXPECT_EQ(view.changes(), 0);
  EXPECT_EQ(view.others().memory[0], 0);
  TrafficView naive(model, {.subtract_own = false});
  naive.add(own, own);
  EXPECT_EQ(naive.others().memory[0], 40);
}

TEST(TrafficView, OnlyLargeAndLastingChangesAreSeen) {
  const Model model = kunpeng(30);
  const Bandwidths none = flow_on_buses(model, sccl0, {0, 0, 0, 0});
  TrafficView view(model);
  view.add(none, none);
  view.add(flow_on_buses(model, sccl0, {15, 0, 0, 0}), none);  // one reading: 3 of 40 GB/s in the average
  EXPECT_EQ(view.changes(), 0);
  for (int i = 0; i < 20; ++i) view.add(flow_on_buses(model, sccl0, {15, 0, 0, 0}), none);
  EXPECT_GT(view.changes(), 0);
  EXPECT_NEAR(view.others().memory[0], 15, 4);
}

/// Two programs on the dies of one socket allocate, one after the other, in rounds; the weights of both follow the
/// traffic of the round before. Herding shows as shares that go up and down.
double largest_swing(Smoothing smoothing) {
  const Model model = kunpeng(30);
  TrafficView views[2] = {TrafficView(model, smoothing), TrafficView(model, smoothing)};
  const int program_root[2] = {3, 4};
  Weights flow[2] = {{0, 0, 0, 0}, {0, 0, 0, 0}};
  double swing = 0;
  double before = 0;
  for (int round = 0; round < 100; ++round) {
    Bandwidths all = flow_on_buses(model, program_root[0], flow[0]);
    const Bandwidths other = flow_on_buses(model, program_root[1], flow[1]);
    for (std::size_t m = 0; m < 4; ++m) all.memory[m] += other.memory[m];
    for (std::size_t d = 0; d < model.domains.size(); ++d) all.out[d] += other.out[d];
    Weights next[2];
    for (const int p : {0, 1}) {
      views[p].add(all, flow_on_buses(model, program_root[p], flow[p]));
      next[p] = normalised(nearest_first(access_tree(model, program_root[p], remaining(model, views[p].others())), 30));
      for (double& part : next[p]) part *= 30;
    }
    flow[0] = next[0];
    flow[1] = next[1];
    if (round >= 80) swing = std::max(swing, std::abs(flow[0][0] - before));
    before = flow[0][0];
  }
  return swing;
}

TEST(TrafficView, TwoProgramsSettleInsteadOfHerding) {
  EXPECT_GT(largest_swing({.part = 1, .hysteresis = 0, .subtract_own = false}), 5);
  EXPECT_LT(largest_swing({}), 1);
}

}  // namespace charm::memory_traffic::test
