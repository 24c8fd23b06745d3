// The default controller on programs that alternate between two kinds of work: followed where phases are long enough,
// averaged where they are not.
#include <gtest/gtest.h>

#include "controller/model/trial.hpp"
#include "placement/machines.hpp"

using namespace charm::controller::model;
using namespace charm::test;

namespace {

struct Kind {
  Workload a, b;
};

std::vector<Kind> kinds() {
  return {{private_sweep(24), all_to_all()},
          {private_sweep(8), all_to_all()},
          {private_sweep(24), pairs()},
          {pairs_and_private(12), all_to_all()}};
}

Outcome alternate(const Kind& kind, double seconds, int start, bool counters = true, double noise = 0) {
  Trial trial;
  trial.start = start;
  trial.options = {noise, counters, 1};
  return run(uniform(1, 8, 8), 8, {{kind.a, seconds}, {kind.b, seconds}}, trial);
}

TEST(Phases, FromOneSecondUpAreFollowed) {
  for (const Kind& kind : kinds()) {
    for (double seconds : {1.0, 1.37, 2.0, 5.0, 10.0}) {
      for (int start : {1, 8}) {
        EXPECT_GE(alternate(kind, seconds, start).efficiency, 0.90)
            << kind.a.name << " / " << kind.b.name << ", " << seconds << " s";
      }
    }
  }
}

TEST(Phases, ShorterOnesAreNeverMuchWorseThanTheBestSingleLevel) {
  for (const Kind& kind : kinds()) {
    for (double seconds : {0.8, 0.6, 0.5, 0.33, 0.2, 0.1, 0.05, 0.02}) {
      for (int start : {1, 8}) {
        Outcome outcome = alternate(kind, seconds, start);
        EXPECT_GE(outcome.efficiency, 0.95 * outcome.best_static)
            << kind.a.name << " / " << kind.b.name << ", " << seconds << " s from " << start;
      }
    }
  }
}

TEST(Phases, AreFollowedThroughScatter) {
  for (double seconds : {1.0, 2.0, 10.0}) {
    EXPECT_GE(alternate(kinds()[0], seconds, 1, true, 0.05).efficiency, 0.90) << seconds;
  }
}

TEST(Phases, OfTenSecondsAreFollowedWithoutCounters) {
  for (const Kind& kind : kinds()) EXPECT_GE(alternate(kind, 10, 1, false).efficiency, 0.90) << kind.a.name;
}

TEST(Phases, AFewShortInterludesDoNotPullTheWorkersAway) {
  Trial trial;
  trial.start = 8;
  Outcome outcome = run(uniform(1, 8, 8), 8, {{pairs_and_private(12), 2}, {all_to_all(), 0.15}}, trial);
  EXPECT_GE(outcome.efficiency, 0.95 * outcome.best_static);
  EXPECT_LE(outcome.moves_per_minute, 4);
}

TEST(Phases, InterludesThatTakeALargeShareOfTheTimeAreNotLeftOut) {
  for (const auto& [interlude, seconds] : {std::pair{private_sweep(24), 0.2}, std::pair{pairs_and_private(12), 0.3}}) {
    for (const int start : {1, 8}) {
      Trial trial;
      trial.start = start;
      const auto outcome = run(uniform(1, 8, 8), 8, {{compute_bound(), 0.9}, {interlude, seconds}}, trial);
      EXPECT_GE(outcome.efficiency, 0.95 * outcome.best_static) << interlude.name << " from " << start;
    }
  }
}

TEST(Phases, OfOneKindOfWorkOnLittleAndMuchDataDoNotSendTheWorkersToAndFro) {
  // A sample on the border of the two is remembered as a phase of its own, which looks like the larger one by its
  // intensity and has another home.
  const auto machine = charm::Machine::from("pack:1 l3:4(size=67108864) core:32 pu:1");
  for (const unsigned seed : {1U, 3U, 6U}) {
    for (const int start : {1, 99}) {
      for (const double seconds : {2.93, 6.3}) {
        Trial trial;
        trial.start = start;
        trial.options.seed = seed;
        const auto outcome = run(machine, 8, {{private_sweep(1), seconds}, {private_sweep(24), seconds}}, trial);
        EXPECT_GE(outcome.efficiency, 0.90) << "seed " << seed << ", " << seconds << " s from " << start;
      }
    }
  }
}

TEST(Phases, ThreeKindsInTurnAreFollowed) {
  Trial trial;
  Outcome outcome =
      run(uniform(1, 8, 8), 8, {{private_sweep(24), 3}, {all_to_all(), 3}, {pairs_and_private(12), 3}}, trial);
  EXPECT_GE(outcome.efficiency, 0.90);
}

}  // namespace
