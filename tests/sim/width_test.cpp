// How many workers are best in the model, and what the runtime's controller finds there.
#include "tools/sim/width.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "thorough.hpp"
#include "tools/sim/generator.hpp"
#include "tools/sim/turns.hpp"

using namespace charm::sim;

namespace {

std::string name_of(const WidthResult& one) {
  return one.workload + " on " + one.machine + ": best " + std::to_string(one.best.level.workers) + ", found " +
         std::to_string(one.running);
}

TEST(Turns, OfOneWorkerAreNotWaitedFor) { EXPECT_DOUBLE_EQ(turn_response_ns(1, 500, 80, 1), 80); }

/// A line that is always held serves a turn after the other, however many wait.
TEST(Turns, OfManyWorkersComeOneAfterTheOther) {
  for (const int workers : {8, 64, 192}) {
    const double response = turn_response_ns(workers, 100, 80, 1);
    EXPECT_NEAR(workers / (100 + response), 1.0 / 80, 1e-3 / 80) << workers;
  }
}

TEST(Turns, AtManyLinesHardlyMeet) {
  EXPECT_NEAR(turn_response_ns(64, 100, 80, 1e6), 80, 0.1);
  EXPECT_GT(turn_response_ns(64, 100, 80, 4), 4 * 80);
}

double rate(const char* spec, int workers) { return run(model("epyc-7713-2s"), spec, "local", workers).throughput; }

/// One counter is fastest with one worker, and slower on another chiplet or socket. With work beside it more pay, up to
/// a number.
TEST(Turns, LimitTheNumberOfWorkersThatPay) {
  EXPECT_GT(rate("contended", 1), 2 * rate("contended", 2));
  EXPECT_GT(rate("contended", 8), 1.2 * rate("contended", 64));
  EXPECT_GT(rate("contended", 64), 1.2 * rate("contended", 128));
  const char* lock = "contended:moved=3,hold_ns=100,compute_ns=500";
  EXPECT_GT(rate(lock, 4), 3 * rate(lock, 1));
  EXPECT_GT(rate(lock, 8), 1.5 * rate(lock, 64));
}

/// Where each line is fetched from follows from who held it before.
TEST(Turns, FetchLinesFromWhereTheOthersAre) {
  const RunResult one = run(model("epyc-7713-2s"), "contended", "local", 8);
  EXPECT_NEAR(one.fills[1] / one.fills[0], 7, 1e-6);
  EXPECT_EQ(one.fills[2] + one.fills[3], 0);
  const RunResult all = run(model("epyc-7713-2s"), "contended", "local", 128);
  EXPECT_NEAR(all.fills[3] / all.fills[0], 64, 1e-6);
}

/// The bars: .97 of the best number, shape and level on average, .90 at worst, and no minute below .97 of what the same
/// controller does with all workers, the minutes of learning included.
TEST(Widths, AreNearlyTheBestOfAll) {
  const std::vector<std::string> machines =
      charm::tests::thorough()
          ? std::vector<std::string>{"epyc-7713-2s", "epyc-9654", "kunpeng-920-128", "graviton-4", "xeon-8488c"}
          : std::vector<std::string>{"epyc-7713-2s"};
  for (const double noise : {0.0, 0.05}) {
    RunOptions options;
    options.noise = noise;
    double sum = 0;
    const auto all = widths(machines, width_workloads(), options);
    for (const WidthResult& one : all) {
      const double found = one.learned / one.best.rate;
      sum += found;
      EXPECT_GE(found, 0.90) << name_of(one);
      EXPECT_GE(one.worst_minute, 0.97) << name_of(one);
    }
    EXPECT_GE(sum / static_cast<double>(all.size()), noise > 0 ? 0.96 : 0.97);
  }
}

/// A line that one worker alone updates stays in its cache: that the fills differ there is no other work.
TEST(Widths, AreKeptWhereTheFillsDependOnThem) {
  RunOptions options;
  options.width = true;
  options.seconds = 60;
  const RunResult one = run(model("epyc-7713-2s"), "contended", "adaptive", 128, options);
  EXPECT_EQ(one.running, 1);
  EXPECT_LT(one.moves.size(), 20U);
}

/// Two programs in turn: each has its width again when it comes back.
TEST(Widths, FollowTheWork) {
  RunOptions options;
  options.width = true;
  options.warm_up = 120;
  options.seconds = 120;
  const Model machine = model("epyc-7713");
  const double chosen = run(machine, "contended@10+compute@10", "adaptive", 64, options).throughput;
  const double best =
      (run(machine, "contended", "local", 1).throughput + run(machine, "compute", "local", 64).throughput) / 2;
  EXPECT_GT(chosen, 0.95 * best);
}

TEST(Widths, AreOfOneWorkloadAtATime) {
  EXPECT_THROW(widths({"epyc-7713"}, {"contended@10+compute@10"}, {}), charm::Error);
}

}  // namespace
