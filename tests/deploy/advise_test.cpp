// Advice for analytical engines, on machines of the papers.
#include "tools/deploy/advise.hpp"

#include <charm/error.hpp>
#include <charm/machine.hpp>

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

using namespace charm::deploy;

namespace {

constexpr std::uint64_t MiB = 1U << 20U;

/// Two sockets of eight chiplets with eight cores and 32 MiB each: 2 x EPYC 7713.
charm::Machine milan() { return charm::Machine::from("pack:2 [numa] l3:8(size=33554432) core:8 pu:1"); }

OlapAdvice advice(std::uint64_t bytes, double skew = 1, const charm::Machine& machine = milan()) {
  return advise_olap(machine, {{{"q", 1, bytes}}, skew});
}

bool gives(const OlapAdvice& said, const std::string& part) {
  return std::any_of(said.reasons.begin(), said.reasons.end(),
                     [&](const std::string& reason) { return reason.find(part) != std::string::npos; });
}

// Two Xeon 8480+, whose L3 caches span four dies each: a worker for each die, as the paper found best.
TEST(AdviseOlap, AWorkerForEachKnownDie) {
  charm::Machine machine = charm::Machine::from("pack:2 [numa] l3:1(size=110100480) core:56 pu:2");
  EXPECT_EQ(advice(100 * MiB, 1, machine).workers, 28) << "a large chiplet of which nothing is known";
  machine.name = "Intel(R) Xeon(R) Platinum 8480+";
  const OlapAdvice said = advice(100 * MiB, 1, machine);
  EXPECT_EQ(said.policy, Policy::wicp);
  EXPECT_EQ(said.workers, 8);
  EXPECT_EQ(said.per_chiplet, 4);
  EXPECT_TRUE(gives(said, "8 workers: behind each L3 cache are 4 dies"));
}

/// No plan gives low-power cores a worker, so that it does not matter that nothing tells of their cache.
TEST(AdviseOlap, LeavesLowPowerCoresOut) {
  const OlapAdvice said = advice(100 * MiB, 1, charm::Machine::from("core-ultra-155h"));
  EXPECT_EQ(said.chiplet_l3_bytes, 24 * MiB);
  EXPECT_EQ(said.workers, 1);
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
  EXPECT_TRUE(gives(little, "1.27 times in the paper, which is more"));  // 1.2 / 1.013 = 1.18
  EXPECT_TRUE(gives(advice(MiB, 1.32), "with the skew of JCC-H a worker per chiplet was still the best, 2.31 times"));
  const OlapAdvice much = advice(MiB, 2.5);  // a tenth of the data are one key's
  EXPECT_EQ(much.policy, Policy::win);
  EXPECT_EQ(much.workers, 2);
  EXPECT_TRUE(gives(much, "one key has 10.0 % of the data"));
  EXPECT_TRUE(gives(much, "by CHARM's estimate"));
  // All of the data are one key's: 16 times the mean, and twice the mean of two.
  EXPECT_EQ(advice(320 * MiB, 16).queries.front().worker_bytes, 320 * MiB);
}

TEST(AdviseOlap, TheHottestKeyOfMeasuredDataIsTheirSkewUnlessItIsGiven) {
  OlapQuestion question{{{"q", 1, 16 * 30 * MiB}}};
  const OlapAdvice even = advise_olap(milan(), question);
  EXPECT_EQ(even.shape, Shape::local);
  EXPECT_EQ(even.busiest, 1);
  EXPECT_FALSE(gives(even, "Skew"));
  question.hottest_key = .05;  // JCC-H
  const OlapAdvice skewed = advise_olap(milan(), question);
  EXPECT_DOUBLE_EQ(skewed.skew, 1.75);
  EXPECT_EQ(skewed.policy, Policy::wicp) << "as in the paper, Fig. 14";
  EXPECT_EQ(skewed.shape, Shape::mixed) << "52.5 MiB of the busiest worker";
  EXPECT_TRUE(gives(skewed, "The busiest worker has 1.75 times the mean, and 1.05 times with a worker per node"));
  EXPECT_TRUE(gives(skewed, "JCC-H"));
  question.hottest_key = .2;
  EXPECT_EQ(advise_olap(milan(), question).policy, Policy::win);
  question.skew = 1;
  EXPECT_EQ(advise_olap(milan(), question).policy, Policy::wicp);
}

TEST(AdviseOlap, SkewCountsForThePartsOfALargeChiplet) {
  OlapQuestion question{{{"q", 1, 64 * MiB}}};
  question.hottest_key = .05;
  const OlapAdvice graviton = advise_olap(charm::Machine::from("pack:1 l3:1(size=33554432) core:64 pu:1"), question);
  EXPECT_DOUBLE_EQ(graviton.busiest, 1.75);
  EXPECT_EQ(graviton.queries.front().worker_bytes, 7 * MiB);
  EXPECT_TRUE(gives(graviton, "the busiest worker has 1.75 times the mean"));
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
  EXPECT_THROW(advise_olap(milan(), {{{"q", 1, MiB}}, {}, 1.5}), charm::Error);
  EXPECT_THROW(advice(MiB, 1, charm::Machine::from("pack:1 core:8 pu:1")), charm::Error);
}

}  // namespace
