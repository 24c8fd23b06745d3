// Algorithm 1 with one decision for all against the model: the rows of docs/design/controller.md where it stays stuck,
// cycles, or does well.
#include <gtest/gtest.h>

#include "controller/model/trial.hpp"
#include "placement/machines.hpp"

using namespace charm::controller::model;
using namespace charm::test;

namespace {

Outcome steer(const std::string& parameters, const Workload& workload, int start, bool counters = true) {
  Trial trial;
  trial.controller = "charm-alg1-group" + (parameters.empty() ? "" : ":" + parameters);
  trial.start = start;
  trial.warm_up_s = 20;
  trial.measured_s = 60;
  trial.options.counters = counters;
  return run(uniform(1, 8, 8), 8, {{workload}}, trial);
}

TEST(Alg1, StaysOnOneChipletWhereNothingIsSharedHoweverMuchMemoryTrafficThereIs) {
  Outcome outcome = steer("", private_sweep(24), 1);
  EXPECT_LT(outcome.efficiency, 0.3);
  EXPECT_EQ(outcome.moves_per_minute, 0);
}

TEST(Alg1, StaysSpreadWhereSpreadingItselfCausesTheFillsThatAskForIt) {
  for (const Workload& workload : {pairs(), all_to_all()}) {
    Outcome outcome = steer("", workload, 8);
    EXPECT_LT(outcome.efficiency, 0.45) << workload.name;
    EXPECT_EQ(outcome.moves_per_minute, 0) << workload.name;
  }
}

TEST(Alg1, CyclesWhereItsOwnMovesAreTheOnlyRemoteFills) {
  EXPECT_GT(steer("", private_sweep(8), 8).moves_per_minute, 30);
}

TEST(Alg1, DoesWellOnPrivateDataWhereAnyFillCounts) {
  EXPECT_GT(steer("events=any", private_sweep(24), 1).efficiency, 0.95);
}

TEST(Alg1, DecidesOncePerPeriodWhateverTheTicks) {
  EXPECT_NEAR(steer("period=2", private_sweep(8), 8).moves_per_minute, 20, 6);
}

TEST(Alg1, AThresholdPerWorkScalesWithTheWork) {
  // 160 fills per 1,000 instructions is what a sweep asks for: above it nothing is ever reached.
  EXPECT_EQ(steer("events=any,per=kiloinstruction,threshold=100", private_sweep(24), 1).moves_per_minute, 0);
  EXPECT_GT(steer("events=any,per=kiloinstruction,threshold=100", private_sweep(24), 1).efficiency, 0.95) << "spread";
  EXPECT_LT(steer("events=any,per=kiloinstruction,threshold=1000", private_sweep(24), 8).efficiency, 0.3)
      << "contracted";
}

TEST(Alg1, StandsStillWithoutCounters) { EXPECT_EQ(steer("", private_sweep(8), 8, false).moves_per_minute, 0); }

TEST(Alg1, TakesALevelAtEachPeriodHoweverFarThatIs) {
  const auto setup = charm::controller::setup_for(
      uniform(1, 8, 8), charm::controller::placement_for("charm-alg1-group", uniform(1, 8, 8), {8}), {});
  ASSERT_EQ(setup.levels, (std::vector<int>{1, 2, 4, 8}));
  const auto controller = charm::controller::make_controller("charm-alg1-group", setup);
  charm::controller::Signals signals;
  signals.elapsed = 0.5;
  signals.workers = 8;
  signals.counters = true;
  signals.fills[1] = 1e9;
  EXPECT_EQ(controller->tick(signals), 2);
  EXPECT_EQ(controller->tick(signals), 4);
  EXPECT_EQ(controller->tick(signals), 8);
  EXPECT_EQ(controller->tick(signals), 8);
  signals.fills = {};
  EXPECT_EQ(controller->tick(signals), 4);
}

TEST(Static, StandsWhereItIsTold) {
  for (const char* spec : {"static:spread=5", "static:spread=4"}) {
    Trial trial;
    trial.controller = spec;
    trial.warm_up_s = trial.measured_s = 1;
    Outcome outcome = run(uniform(1, 8, 8), 8, {{pairs()}}, trial);
    EXPECT_GT(outcome.visits[2], 0) << spec << ": level 4";
    EXPECT_EQ(outcome.visits[0] + outcome.visits[1] + outcome.visits[3], 0) << spec;
  }
}

}  // namespace
