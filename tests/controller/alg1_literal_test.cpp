// charm-alg1: Algorithms 1 and 2 line by line, each worker with its own count, and the control group between them.
#include <gtest/gtest.h>

#include "controller/control_group.hpp"
#include "controller/model/trial.hpp"
#include "placement/machines.hpp"

using namespace charm::controller;
using charm::test::uniform;

namespace {

using Spreads = std::vector<int>;

/// A controller and what its workers count in each period.
struct Printed {
  explicit Printed(int workers, const charm::Machine& machine, const std::string& spec = "charm-alg1")
      : each(static_cast<std::size_t>(workers)) {
    const auto placement = placement_for(spec, machine, {.workers = workers});
    controller = make_controller(spec, setup_for(machine, placement, {}));
    for (WorkerSignals& worker : each) worker.counters = true;
  }
  /// \returns where the workers stand after a period in which worker w has counted fills[w].
  Spreads after(const std::vector<double>& fills) {
    Signals signals;
    signals.elapsed = 0.5;
    signals.time = time += 0.5;
    signals.workers = static_cast<int>(each.size());
    signals.counters = true;
    for (std::size_t w = 0; w < each.size(); ++w) {
      each[w].fills[index_beyond_l2(FillSource::other_chiplet)] = fills[w];
      signals += each[w];
    }
    signals.each = each;
    controller->tick(signals);
    const auto now = controller->spreads();
    return {now.begin(), now.end()};
  }
  Spreads after(double fills) { return after(std::vector<double>(each.size(), fills)); }

  std::unique_ptr<Controller> controller;
  std::vector<WorkerSignals> each;
  double time = 0;
};

TEST(Alg1AsPrinted, EachWorkerComparesItsOwnCount) {
  Printed printed(4, uniform(1, 8, 8));
  EXPECT_EQ(printed.after(std::vector<double>{300, 299, 1e6, 0}), (Spreads{2, 1, 2, 1}));
  EXPECT_EQ(printed.after(std::vector<double>{300, 1e6, 0, 0}), (Spreads{3, 2, 1, 1}));
  EXPECT_EQ(printed.controller->spread(), 1) << "where most stand";
  ASSERT_EQ(printed.controller->log().total(), 2U);
  const std::string reason = printed.controller->log().entries().back().reason;
  EXPECT_NE(reason.find("2 workers raised their rate and 2 lowered it"), std::string::npos) << reason;
}

TEST(Alg1AsPrinted, ARateThatAlgorithm2RefusesLeavesTheWorkerWhereItIs) {
  Printed printed(8, uniform(1, 8, 8));  // 8 workers on one chiplet of 8: the exact fit that it refuses
  EXPECT_EQ(printed.after(0), Spreads(8, 1)) << "where they started";
  EXPECT_EQ(printed.after(1e6), Spreads(8, 2));
  EXPECT_EQ(printed.after(0), Spreads(8, 2)) << "spread_rate is 1, and the workers stay";
  EXPECT_EQ(printed.after(1e6), Spreads(8, 2));
  EXPECT_EQ(printed.after(1e6), Spreads(8, 3));
}

TEST(Alg1AsPrinted, TheRateGoesOnToAllChipletsWhereAlgorithm2DividesByZero) {
  Printed printed(4, uniform(1, 16, 8));
  for (int period = 0; period < 30; ++period) printed.after(1e6);
  EXPECT_EQ(printed.after(1e6), Spreads(4, 8)) << "8 cores of a chiplet over 9 are 0";
  for (int quiet = 0; quiet < 8; ++quiet) EXPECT_EQ(printed.after(0), Spreads(4, 8)) << "from 16 down to 8";
  EXPECT_EQ(printed.after(0), Spreads(4, 7));
}

TEST(Alg1AsPrinted, AWorkerThatCountsNothingKeepsItsRate) {
  Printed printed(2, uniform(1, 4, 8));
  printed.each[0].counters = false;
  EXPECT_EQ(printed.after(1e6), (Spreads{1, 2}));
  printed.each[0].counters = printed.each[1].hides_chiplets = true;
  EXPECT_EQ(printed.after(1e6), (Spreads{2, 2}));
}

TEST(Alg1AsPrinted, StartsWithWorkerNOnCoreNAlsoWhereThatFitsExactly) {
  const charm::Machine machine = uniform(1, 8, 8);
  for (const int workers : {4, 8, 64}) {
    const auto placement = placement_for("charm-alg1", machine, {.workers = workers});
    ASSERT_EQ(placement.levels.front(), 1);
    for (int w = 0; w < workers; ++w) EXPECT_EQ(placement.start()[static_cast<std::size_t>(w)].core, w);
  }
  EXPECT_EQ(placement_for("charm-alg1", machine, {.workers = 64}).levels, Spreads{1}) << "it refuses a full machine";
}

TEST(Alg1AsPrinted, ThroughAControlGroupEveryWorkerIsToldItsOwnSpread) {
  const charm::Machine machine = uniform(1, 8, 8);
  const auto placement = placement_for("charm-alg1", machine, {.workers = 2});
  ControlGroup group(2, make_controller("charm-alg1", setup_for(machine, placement, {})), 0);
  const long before = group.changes();
  WorkerTotals idle, busy;
  idle.counters = busy.counters = true;
  busy.fills[index_beyond_l2(FillSource::other_chiplet)] = 1e6;
  EXPECT_EQ(group.poll(1, busy, 0.1), 1);
  EXPECT_EQ(group.poll(0, idle, 0.6), 1);
  EXPECT_EQ(group.spread_of(1), 2);
  EXPECT_EQ(group.poll(1, busy, 0.7), 2);
  EXPECT_GT(group.changes(), before) << "though most stand where they stood";
  EXPECT_EQ(group.poll(1, busy, 1.3), 1) << "nothing has been added to its count since";
}

TEST(Alg1AsPrinted, DoesNotFreeItselfFromOneChipletWhereNothingIsShared) {
  using namespace charm::controller::model;
  Trial trial;
  trial.controller = "charm-alg1";
  trial.warm_up_s = 20;
  trial.measured_s = 60;
  EXPECT_LT(run(uniform(1, 8, 8), 4, {{private_sweep(24)}}, trial).efficiency, 0.5);
  trial.controller = "charm-alg1:events=any";
  EXPECT_GT(run(uniform(1, 8, 8), 4, {{private_sweep(24)}}, trial).efficiency, 0.95);
}

}  // namespace
