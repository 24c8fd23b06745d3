// The line-granular back-end and the parts that it is made of.
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "thorough.hpp"
#include "tools/sim/access.hpp"
#include "tools/sim/backend.hpp"
#include "tools/sim/generator.hpp"
#include "tools/sim/simulated_policy.hpp"
#include "tools/sim/tags.hpp"

using namespace charm::sim;

namespace {

TEST(Tags, HoldWhatFitsAndThrowOutWhatDoesNot) {
  Tags<16> tags(64);
  charm::base::Random random(1);
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

TEST(Tags, FindEachLineInItsSetForAnyNumberOfSets) {
  for (const int sets : {1, 3, 7, 1000, 4097, 99991}) {
    Tags<16> tags(sets * 16.0);
    charm::base::Random random(1);
    std::uint32_t out = 0;
    // Lines of one set: the seventeenth has to throw one of the sixteen out, and nothing else is touched.
    const std::uint32_t last = std::min<std::uint32_t>(17, Tags<16>::most_lines / static_cast<std::uint32_t>(sets));
    for (std::uint32_t i = 0; i < std::min<std::uint32_t>(16, last); ++i) {
      tags.insert(i * static_cast<std::uint32_t>(sets), random, out);
      EXPECT_EQ(out, Tags<16>::none) << sets;
    }
    if (last < 17) continue;
    tags.insert(16 * static_cast<std::uint32_t>(sets), random, out);
    EXPECT_EQ(out % static_cast<std::uint32_t>(sets), 0U) << sets;
    EXPECT_LT(out, 16 * static_cast<std::uint32_t>(sets)) << sets;
  }
}

TEST(Tags, KeepTheMarkBesideTheLine) {
  Tags<8> tags(8);
  charm::base::Random random(1);
  std::uint32_t out = 0;
  const auto slot = tags.insert(5, random, out);
  tags.set_mark(slot, 1023);
  EXPECT_EQ(tags.mark(slot), 1023U);
  EXPECT_EQ(tags.find(5), static_cast<std::int64_t>(slot));
  tags.set_mark(slot, 0);
  EXPECT_EQ(tags.find(5), static_cast<std::int64_t>(slot));
}

TEST(LineDraw, DrawsEachClassAsOftenAsItIsPopular) {
  constexpr std::uint32_t lines = 1 << 16;
  const Popularity popularity = zipf_popularity(0.99, lines);
  const LineDraw draw(popularity, lines);
  charm::base::Random random(7);
  std::vector<double> drawn(lines, 0);
  constexpr int draws = 2000000;
  for (int i = 0; i < draws; ++i) ++drawn[draw(random)];
  double first = 0;
  for (const auto& c : popularity.classes) {
    const double count = c.lines * lines;
    double seen = 0;
    for (double line = first; line < first + count; ++line) seen += drawn[static_cast<std::size_t>(line)];
    EXPECT_NEAR(seen / draws, c.accesses, 5 * std::sqrt(c.accesses / draws)) << "from line " << first;
    first += count;
  }
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

Job job_of(const Model& model, const Workload& work, const SimulationPlan& plan) {
  return {&model, plan.placement.start(), &work.phases.front(), plan.habits};
}

TEST(Lines, OfASweepBeyondTheCacheHitAsTheFormulaOfDesignSays) {
  const Model machine = model("epyc-7713");
  const Workload work = workload("sweep:mb=9,writes=0", 8);  // 72 MiB over 36 MiB of L3 and L2s
  SimulationPlan plan = plan_for("local", machine, work, 8);
  plan.habits.roam = Domain::worker;
  const auto result = line_mixes(job_of(machine, work, plan));
  double h = 0;
  for (int i = 0; i < 500; ++i) h = std::exp(-(1 - h) * 2);
  EXPECT_NEAR(1 - result.mixes[0][0].memory, h, 0.03);
}

TEST(Lines, AreTheSameForTheSameSeed) {
  const Model machine = model("epyc-7713-2s");
  const Workload work = workload("zipf", 16);
  const SimulationPlan plan = plan_for("ring", machine, work, 16);
  const auto a = line_mixes(job_of(machine, work, plan)), b = line_mixes(job_of(machine, work, plan));
  ASSERT_EQ(a.accesses, b.accesses);
  for (std::size_t w = 0; w < a.mixes.size(); ++w) EXPECT_EQ(a.mixes[w][0].memory, b.mixes[w][0].memory);
}

TEST(Lines, OfASampleAreThoseOfAllLines) {
  const Model machine = model("epyc-7713");
  for (const char* spec : {"sweep:mb=12", "uniform:total_mb=96", "zipf:total_mb=256"}) {
    if (spec[0] != 'u' && !charm::tests::thorough()) continue;
    const Workload work = workload(spec, 16);
    const SimulationPlan plan = plan_for("distributed", machine, work, 16);
    const Job job = job_of(machine, work, plan);
    LinesOptions fine;
    fine.most_lines = 1 << 20;
    fine.most_accesses = 12000000;
    const auto sampled = line_mixes(job), finer = line_mixes(job, fine);
    ASSERT_GT(sampled.sampling, 4 * finer.sampling) << spec;
    EXPECT_LT(sampled.error, 0.02) << spec;
    for (std::size_t w = 0; w < 16; w += 5) {
      const Mix &a = sampled.mixes[w][0], &b = finer.mixes[w][0];
      EXPECT_NEAR(a.memory, b.memory, 0.03) << spec;
      EXPECT_NEAR(a.own_chiplet, b.own_chiplet, 0.03) << spec;
      EXPECT_NEAR(a.other_chiplet, b.other_chiplet, 0.03) << spec;
    }
  }
}

TEST(Lines, OfJobsFarBeyondAnyCacheFitThisMachine) {
  const Model machine = model("epyc-7713");
  for (const char* spec : {"sweep:mb=1e9", "uniform:total_mb=1e9", "zipf:total_mb=1e9", "pairs:kb=1e9"}) {
    const Workload work = workload(spec, 64);
    const SimulationPlan plan = plan_for("local", machine, work, 64);
    const auto result = line_mixes(job_of(machine, work, plan));
    double memory = 0;
    for (const auto& worker : result.mixes) memory += worker[0].memory / 64;
    EXPECT_GT(memory, spec[0] == 'z' ? 0.02 : 0.3) << spec;
    EXPECT_LE(memory, 1) << spec;
  }
}

TEST(Lines, SharesOfAMixSumToOne) {
  const Model machine = model("epyc-7742");
  for (const char* spec : {"pairs", "all-to-all", "hash-join", "bfs"}) {
    const Workload work = workload(spec, 24);
    const SimulationPlan plan = plan_for("charm", machine, work, 24);
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
