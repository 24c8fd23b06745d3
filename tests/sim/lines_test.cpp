// The line-granular back-end and the parts that it is made of.
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "sim/access.hpp"
#include "sim/backend.hpp"
#include "sim/generator.hpp"
#include "sim/policy.hpp"
#include "sim/tags.hpp"

using namespace charm::sim;

namespace {

TEST(Tags, HoldWhatFitsAndThrowOutWhatDoesNot) {
  Tags<16> tags(64);
  Random random(1);
  std::uint32_t out = 0;
  for (std::uint32_t line = 0; line < 64; ++line) {
    tags.insert(line, random, out);
    EXPECT_EQ(out, Tags<16>::none) << line;
  }
  tags.insert(64, random, out);
  ASSERT_NE(out, Tags<16>::none);
  EXPECT_LT(tags.find(out), 0);
  EXPECT_GE(tags.find(64), 0);
  tags.remove(64);
  EXPECT_LT(tags.find(64), 0);
}

TEST(Accesses, OfAWanderingSweepTouchEachLineOncePerPassAmongAllMembers) {
  Component component;
  component.bytes = 1000 * line_bytes;
  std::multiset<std::uint32_t> touched;
  std::vector<Accesses> members;
  for (std::uint32_t m = 0; m < 4; ++m) members.emplace_back(component, Accesses::Place{0, 1000, m, 4, true, m + 1});
  // A member's pass ends where its lines start again.
  for (auto& member : members) {
    std::uint32_t last = member.next().line;
    touched.insert(last);
    for (std::uint32_t line = member.next().line; line > last; line = member.next().line) touched.insert(last = line);
  }
  EXPECT_EQ(touched.size(), 1000U);
  EXPECT_EQ(std::set<std::uint32_t>(touched.begin(), touched.end()).size(), 1000U);
}

Job job_of(const Model& model, const Workload& work, const Plan& plan) {
  return {&model, plan.placement.start(), &work.phases.front(), plan.habits};
}

TEST(Lines, OfASweepBeyondTheCacheHitAsTheFormulaOfDesignSays) {
  const Model machine = model("epyc-7713");
  const Workload work = workload("sweep:mb=9,writes=0", 8);  // 72 MiB over 36 MiB of L3 and L2s
  Plan plan = plan_for("local", machine, work, 8);
  plan.habits.roam = Domain::worker;
  const auto result = line_mixes(job_of(machine, work, plan));
  double h = 0;
  for (int i = 0; i < 500; ++i) h = std::exp(-(1 - h) * 2);
  EXPECT_NEAR(1 - result.mixes[0][0].memory, h, 0.03);
}

TEST(Lines, AreTheSameForTheSameSeed) {
  const Model machine = model("epyc-7713-2s");
  const Workload work = workload("zipf", 16);
  const Plan plan = plan_for("ring", machine, work, 16);
  const auto a = line_mixes(job_of(machine, work, plan)), b = line_mixes(job_of(machine, work, plan));
  ASSERT_EQ(a.accesses, b.accesses);
  for (std::size_t w = 0; w < a.mixes.size(); ++w) EXPECT_EQ(a.mixes[w][0].memory, b.mixes[w][0].memory);
}

TEST(Lines, SharesOfAMixSumToOne) {
  const Model machine = model("epyc-7742");
  for (const char* spec : {"pairs", "all-to-all", "hash-join", "bfs"}) {
    const Workload work = workload(spec, 24);
    const Plan plan = plan_for("charm", machine, work, 24);
    const Job job = job_of(machine, work, plan);
    for (const Mixes& mixes : {line_mixes(job).mixes, analytic_mixes(job)}) {
      for (const auto& worker : mixes) {
        for (const Mix& m : worker) {
          EXPECT_NEAR(
              m.own_l2 + m.own_chiplet + m.neighbour + m.other_chiplet + m.other_node + m.other_socket + m.memory, 1,
              1e-9)
              << spec;
        }
      }
    }
  }
}

}  // namespace
