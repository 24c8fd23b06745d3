// Advice for analytical engines, on machines of the papers.
#include "deploy/advise.hpp"

#include <charm/error.hpp>
#include <charm/machine.hpp>

#include <gtest/gtest.h>

using namespace charm::deploy;

namespace {

constexpr std::uint64_t MiB = 1U << 20U;

/// Two sockets of eight chiplets with eight cores and 32 MiB each: 2 x EPYC 7713.
charm::Machine milan() { return charm::Machine::from("pack:2 [numa] l3:8(size=33554432) core:8 pu:1"); }

OlapAdvice advice(std::uint64_t bytes, double skew = 1, const charm::Machine& machine = milan()) {
  return advise_olap(machine, {{{"q", 1, bytes}}, skew});
}

TEST(AdviseOlap, AWorkerPerChipletOnItsOwnCoresWhileTheDataFit) {
  const OlapAdvice said = advice(16 * 30 * MiB);
  EXPECT_EQ(said.policy, Policy::wicp);
  EXPECT_EQ(said.workers, 16);
  EXPECT_EQ(said.shape, Shape::local);
  EXPECT_EQ(said.chiplet_l3_bytes, 32 * MiB);
  EXPECT_EQ(said.node_l3_bytes, 256 * MiB);
  EXPECT_EQ(said.queries.front().worker_bytes, 30 * MiB);
  EXPECT_EQ(said.queries.front().fits, Fits::chiplet);
}

TEST(AdviseOlap, MixedWhileTheyFitIntoTheNodesCachesAndIndifferentBeyond) {
  EXPECT_EQ(advice(16 * 40 * MiB).shape, Shape::mixed);
  EXPECT_TRUE(advice(16 * 40 * MiB).shape_matters);
  EXPECT_EQ(advice(16 * 256 * MiB).shape, Shape::mixed);
  const OlapAdvice large = advice(16 * 300 * MiB);
  EXPECT_EQ(large.queries.front().fits, Fits::memory);
  EXPECT_FALSE(large.shape_matters);
}

TEST(AdviseOlap, QueriesCountByTheirTime) {
  const OlapAdvice said = advise_olap(milan(), {{{"long", 3, 16 * 40 * MiB}, {"short", 1, MiB}, {"short", 1, MiB}}, 1});
  EXPECT_EQ(said.shape, Shape::mixed);
  EXPECT_EQ(advise_olap(milan(), {{{"long", 3, MiB}, {"short", 1, 16 * 40 * MiB}}, 1}).shape, Shape::local);
}

// 3.40 / 2.68 = 1.27: what chiplets gain over nodes. A skew of s with 16 workers is 1 + (s - 1) / 15 with two.
TEST(AdviseOlap, SkewMakesTheBusiestWorkerLargerAndInTheEndFewerWorkersBetter) {
  const OlapAdvice little = advice(16 * 30 * MiB, 1.2);
  EXPECT_EQ(little.policy, Policy::wicp);
  EXPECT_EQ(little.queries.front().fits, Fits::node) << "36 MiB of the busiest worker";
  EXPECT_EQ(little.shape, Shape::mixed);
  EXPECT_EQ(advice(MiB, 1.28).policy, Policy::wicp);  // 1.28 / 1.019 = 1.256
  const OlapAdvice much = advice(MiB, 1.32);          // 1.32 / 1.021 = 1.292
  EXPECT_EQ(much.policy, Policy::win);
  EXPECT_EQ(much.workers, 2);
  // All of the data are one key's: 16 times the mean, and twice the mean of two.
  EXPECT_EQ(advice(320 * MiB, 16).queries.front().worker_bytes, 320 * MiB);
}

TEST(AdviseOlap, ALargeChipletIsDividedAndASmallOneIsANode) {
  const OlapAdvice graviton = advice(64 * MiB, 1, charm::Machine::from("pack:1 l3:1(size=33554432) core:64 pu:1"));
  EXPECT_EQ(graviton.per_chiplet, 16);
  EXPECT_EQ(graviton.workers, 16);
  const OlapAdvice small = advice(64 * MiB, 1, charm::Machine::from("pack:1 l3:1(size=33554432) core:8 pu:1"));
  EXPECT_EQ(small.workers, 1);
  EXPECT_EQ(small.per_chiplet, 1);
  EXPECT_FALSE(small.shape_matters);
}

TEST(AdviseOlap, RefusesWhatItCannotJudge) {
  EXPECT_THROW(advise_olap(milan(), {}), charm::Error);
  EXPECT_THROW(advice(MiB, .5), charm::Error);
  EXPECT_THROW(advice(MiB, 1, charm::Machine::from("pack:1 core:8 pu:1")), charm::Error);
}

}  // namespace
