// How many workers run, against a model of programs whose speed by the number of workers is known.
#include "controller/width.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <random>
#include <rapidcheck.h>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "controller/controller.hpp"
#include "controller/ledger.hpp"
#include "controller/model/width_model.hpp"
#include "controller/setup.hpp"
#include "controller/width_levels.hpp"
#include "placement/bins.hpp"
#include "placement/machines.hpp"
#include "placement/placement_policy.hpp"

namespace {

using namespace charm::controller;
using namespace charm::controller::model;

/// Of all widths that there are, in both shapes.
double best_of(const WidthSetup& setup, const WorkKind& kind) {
  double best = 0;
  for (int w = 1; w <= setup.workers; ++w) {
    for (const WidthShape shape : {WidthShape::thin, WidthShape::packed}) {
      const auto rests = resting_at(setup, {w, shape}, setup.levels.front());
      std::map<int, int> on;
      for (std::size_t i = 0; i < rests.size(); ++i) on[setup.chiplet_of.front()[i]] += rests[i] != 0 ? 0 : 1;
      const auto chiplets = std::count_if(on.begin(), on.end(), [](const auto& each) { return each.second > 0; });
      best = std::max(best, kind.speed(w, static_cast<double>(chiplets)));
    }
  }
  return best / kind.speed(setup.workers, setup.chiplets);
}

TEST(WidthLevels, LetNeverWorkerZeroRest) {
  EXPECT_TRUE(rc::check("any level", [] {
    const int workers = *rc::gen::inRange(1, 130), each = *rc::gen::inRange(1, 17);
    const WidthSetup setup = setup_of(workers, each);
    const WidthLevel level{*rc::gen::inRange(1, workers + 1), *rc::gen::element(WidthShape::thin, WidthShape::packed)};
    const auto rests = resting_at(setup, level, setup.levels.front());
    RC_ASSERT(rests.front() == 0);
    RC_ASSERT(std::count(rests.begin(), rests.end(), 0) == level.workers);
    std::map<int, int> running;
    for (std::size_t w = 0; w < rests.size(); ++w) running[static_cast<int>(w) / each] += rests[w] == 0 ? 1 : 0;
    const auto used = std::count_if(running.begin(), running.end(), [](const auto& c) { return c.second > 0; });
    RC_ASSERT(used == (level.shape == WidthShape::thin ? std::min(level.workers, setup.chiplets)
                                                       : (level.workers + each - 1) / each));
  }));
}

/// Whether second hardware threads pay is tried first, and no core has two that run while another has none.
TEST(WidthLevels, LetSecondHardwareThreadsRestFirst) {
  EXPECT_TRUE(rc::check("any machine", [] {
    const charm::Machine machine = *charm::test::any_machine();
    const int workers = charm::placement::capacity(machine, true);
    const auto placement = charm::placement::policy("local").place(machine, {.workers = workers, .smt = true});
    const WidthSetup setup = setup_for(machine, placement, traits_for(machine));
    const int cores = charm::placement::capacity(machine, false);
    const auto tried = from_full(setup);
    if (cores < workers) RC_ASSERT(tried.front() == (WidthLevel{cores, WidthShape::thin}));
    const std::size_t at = *rc::gen::inRange<std::size_t>(0, setup.levels.size());
    const auto rests = resting_at(setup, {*rc::gen::inRange(1, workers + 1), WidthShape::thin}, setup.levels[at]);
    std::map<int, int> running;
    for (std::size_t w = 0; w < rests.size(); ++w) running[placement.worker_cores[at][w].core] += rests[w] == 0 ? 1 : 0;
    const auto [least, most] = std::minmax_element(running.begin(), running.end(),
                                                   [](const auto& a, const auto& b) { return a.second < b.second; });
    RC_ASSERT(most->second - least->second <= 1);
  }));
}

TEST(WidthLevels, OfTwoCoresAreTwoAndOne) {
  const WidthSetup two = setup_of(2, 2);
  EXPECT_EQ(from_full(two), (std::vector<WidthLevel>{{1, WidthShape::thin}}));
  EXPECT_TRUE(from_full(setup_of(1, 1)).empty());
  EXPECT_LE(from_full(setup_of(128, 8)).size(), 9U);
}

TEST(Ledger, KnowsTheLastMinuteAndNoMore) {
  Ledger ledger;
  for (int second = 0; second < 200; ++second) ledger.add(second + 0.5, 0.01);
  EXPECT_NEAR(ledger.last_minute(199.9), 0.6, 1e-9);
  ledger.add(200, -0.5);
  EXPECT_NEAR(ledger.last_minute(200), 0.09, 0.011);
  ledger.forget_gains(200);
  EXPECT_NEAR(ledger.last_minute(200), 0.59, 0.011);
  EXPECT_EQ(ledger.last_minute(300), 0);
}

struct WidthCase {
  int workers, each;
};

class WidthOf : public testing::TestWithParam<WidthCase> {};

// 0.85 of the best width after its first ten seconds, and no minute below 0.97 of full width.
TEST_P(WidthOf, EachKindOfWorkIsNearlyTheBest) {
  const WidthSetup setup = setup_of(GetParam().workers, GetParam().each);
  for (const WorkKind& kind : work_kinds(setup)) {
    for (const auto& [noise, seed] :
         {std::pair{0.0, 1U}, std::pair{0.01, 2U}, std::pair{0.05, 3U}, std::pair{0.1, 4U}, std::pair{0.1, 5U}}) {
      for (const bool counters : {true, false}) {
        WidthRun run({.setup = setup, .noise = noise, .counters = counters, .seed = seed});
        const double first = run.seconds(60, kind);
        const double later = run.seconds(120, kind);
        const std::string what = kind.name + ", noise " + std::to_string(noise) + (counters ? "" : ", no counters");
        EXPECT_GE(first, 0.97) << what;
        EXPECT_GE(later, 0.97) << what;
        // Without a second signal full width is looked at again and again, for one sample or three where they scatter.
        const double least = counters ? 0.85 : noise <= 0.02 ? 0.85 : 0.8;
        EXPECT_GE(later, least * best_of(setup, kind)) << what << ": " << run.running() << " workers";
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, WidthOf,
                         testing::Values(WidthCase{2, 2}, WidthCase{8, 8}, WidthCase{64, 8}, WidthCase{128, 8},
                                         WidthCase{192, 8}, WidthCase{128, 32}),
                         [](const auto& info) {
                           return std::to_string(info.param.workers) + "WorkersBy" + std::to_string(info.param.each);
                         });

// The promise is of full width, whatever was gained in between: 3 % of any minute, where a second signal tells the
// phases apart.
TEST(Width, CostsAtMostThreePercentOfAMinuteOfPhases) {
  for (const auto& [workers, each] : {std::pair{64, 8}, std::pair{128, 32}}) {
    const WidthSetup setup = setup_of(workers, each);
    const auto all = work_kinds(setup);
    for (const auto& [one, other] : {std::pair{2, 0}, std::pair{5, 0}, std::pair{4, 6}}) {
      for (const double length : {5.0, 10.0, 20.0}) {
        for (const double noise : {0.01, 0.1}) {
          WidthRun run({.setup = setup, .noise = noise});
          for (int minute = 0; minute < 3; ++minute) {
            double strict = 0, speed = 0;
            const double start = run.time();
            for (double before = start; before < start + 60; before = run.time()) {
              const bool first = static_cast<int>((before - start) / length) % 2 == 0;
              const double now = run.tick(all[static_cast<std::size_t>(first ? one : other)]);
              strict += std::min(now, 1.0) * (run.time() - before);
              speed += now * (run.time() - before);
            }
            const double lasted = run.time() - start;
            const std::string what = all[static_cast<std::size_t>(one)].name + " and " +
                                     all[static_cast<std::size_t>(other)].name + ", " + std::to_string(length) +
                                     " s, noise " + std::to_string(noise);
            EXPECT_GE(strict / lasted, 0.97) << what;
            EXPECT_GE(speed / lasted, minute > 0 ? 0.99 : 0.97) << what;
          }
        }
      }
    }
  }
}

TEST(Width, OfAParallelProgramIsTriedRarelyAndNeverKept) {
  const WidthSetup setup = setup_of(64, 8);
  for (const double noise : {0.0, 0.05, 0.1}) {
    WidthRun run({.setup = setup, .noise = noise});
    const WorkKind parallel = work_kinds(setup).front();
    run.seconds(60, parallel);
    EXPECT_LE(run.trials(), 9) << noise;
    const int first = run.trials();
    run.seconds(120, parallel);
    EXPECT_LE(run.trials() - first, 4) << noise;
    for (const auto& decision : run.width().log().entries())
      EXPECT_EQ(decision.outcome.find("kept"), decision.outcome.find("not kept") + 4) << explain(decision);
  }
}

// Work that hardly uses the caches has some fills now and then: that is no other work.
TEST(Width, AFewFillsMoreOrLessAreTheSameWork) {
  const WidthSetup setup = setup_of(64, 8);
  WorkKind line = work_kinds(setup)[2];
  line.fills = 0.15;
  WidthRun run({.setup = setup, .noise = 0.01, .fill_noise = 0.2});
  run.seconds(20, line);
  EXPECT_EQ(run.running(), 1);
  const auto made = run.width().log().total();
  run.seconds(60, line);
  EXPECT_EQ(run.running(), 1);
  EXPECT_LE(run.width().log().total() - made, 6U);
}

// The work becomes another at any moment of a tick: back at full width within two.
TEST(Width, IsFullAgainWhenTheWorkChanges) {
  const WidthSetup setup = setup_of(64, 8);
  const auto all = work_kinds(setup);
  const WorkKind& line = all[2];
  for (const bool counters : {true, false}) {
    WidthRun run({.setup = setup, .noise = 0.01, .counters = counters});
    run.seconds(20, line);
    ASSERT_LT(run.running(), 64);
    int ticks = 0;
    for (; run.running() < 64 && ticks < 50; ++ticks) run.tick(all[0]);
    EXPECT_LE(ticks, 2) << counters;
    EXPECT_GE(run.seconds(30, all[0]), 0.97);
  }
}

// Equally fast at the narrow width, and three times as fast at full width: only a look at full width shows it.
TEST(Width, OfTwinsIsFoundByTheBeat) {
  const WidthSetup setup = setup_of(64, 8);
  const WorkKind narrow{"narrow", [](double w, double) { return w == 1 ? 4 : 1; }, 10};
  const WorkKind twin{"twin", [](double w, double) { return w == 1 ? 4 : 12; }, 10};
  WidthRun run({.setup = setup, .noise = 0.01, .counters = false});
  run.seconds(20, narrow);
  ASSERT_EQ(run.running(), 1);
  const double changed = run.time();
  while (run.running() < 64 && run.time() < changed + 5) run.tick(twin);
  const double waited = run.time() - changed;
  EXPECT_LE(waited, 1.4);
  EXPECT_GE(run.seconds(60 - waited, twin), 0.95);
}

TEST(Width, StaysFullWhereSignalsCannotBeTrusted) {
  const WidthSetup setup = setup_of(64, 8);
  const WorkKind line = work_kinds(setup)[2];
  const auto stays = [&](const WidthProgram& program) {
    WidthRun run(program);
    run.seconds(30, line);
    return run.running() == 64 && run.trials() == 0;
  };
  EXPECT_FALSE(stays({.setup = setup}));
  EXPECT_TRUE(stays({.setup = setup, .waited = 0.7})) << "threads wait for their cpus";
  EXPECT_TRUE(stays({.setup = setup, .covered = 0.5})) << "half of the work is not counted";
  EXPECT_FALSE(stays({.setup = setup, .covered = 0.5, .user_work = true})) << "but the program counts it itself";
}

TEST(Width, IsGivenUpWhereTheWorkIsBoundToWorkersThatWereToRest) {
  const WidthSetup setup = setup_of(64, 8);
  WidthRun run({.setup = setup, .bound = 0.9});
  run.seconds(30, work_kinds(setup)[2]);
  EXPECT_EQ(run.running(), 64);
  EXPECT_LE(run.trials(), 1);
}

TEST(Width, IsNeverDecidedByInstructions) {
  const WidthSetup setup = setup_of(8, 8);
  Width width(setup, make_controller("static", setup));
  Signals now;
  for (int tick = 1; tick < 1000; ++tick) {
    now.time = 0.05 * tick;
    now.elapsed = 0.05;
    now.workers = width.level().workers;
    now.busy = now.elapsed * now.workers;
    now.counters = true;
    now.instructions = 1e9 * now.workers;
    now.fills[0] = 1e6;
    width.tick(now);
    ASSERT_EQ(width.level().workers, 8);
  }
}

// The program begins to count its work itself: speeds from before mean nothing any more.
TEST(Width, IsFullAgainWhenTheUnitOfWorkChanges) {
  const WidthSetup setup = setup_of(64, 8);
  const WorkKind line = work_kinds(setup)[2];
  WidthRun run({.setup = setup});
  run.seconds(20, line);
  ASSERT_LT(run.running(), 64);
  run.count_work();
  run.tick(line);
  EXPECT_EQ(run.running(), 64);
  run.seconds(20, line);
  EXPECT_LT(run.running(), 64);
}

// Another thread that is waited for never comes: nothing is finished any more.
TEST(Width, IsFullAgainWhenNoWorkIsFinished) {
  const WidthSetup setup = setup_of(64, 8);
  WidthRun run({.setup = setup});
  run.seconds(20, work_kinds(setup)[2]);
  ASSERT_LT(run.running(), 64);
  const WorkKind stuck{"stuck", [](double w, double) { return w < 64 ? 0 : 1; }};
  const int found = run.running();
  run.tick(stuck);
  EXPECT_EQ(run.running(), found) << "a tick without an end of a task is none yet";
  run.tick(work_kinds(setup)[2]);
  run.tick(stuck);
  EXPECT_EQ(run.running(), found) << "nor is another, later";
  run.tick(stuck);
  EXPECT_EQ(run.running(), 64);
}

TEST(Width, ComesBackAtOnceInARegionThatIsKnown) {
  const WidthSetup setup = setup_of(64, 8);
  const WorkKind line = work_kinds(setup)[2];
  WidthRun run({.setup = setup});
  run.seconds(30, line);
  const int found = run.running();
  ASSERT_LT(found, 64);
  run.enter_again();
  EXPECT_EQ(run.running(), 64);
  run.seconds(0.5, line);
  EXPECT_EQ(run.running(), found);
}

}  // namespace
