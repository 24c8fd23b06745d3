// The default controller on work that does not change: the table of docs/design/controller.md, and the same on machines
// with unequal chiplets, several sockets and holes.
#include <gtest/gtest.h>

#include "controller/model/trial.hpp"
#include "placement/machines.hpp"
#include "thorough.hpp"

using namespace charm::controller::model;
using namespace charm::test;

namespace {

std::vector<Workload> workloads() {
  return {private_sweep(8), private_sweep(24), pairs(), all_to_all(), pairs_and_private(12), compute_bound()};
}

std::vector<std::pair<std::string, charm::Machine>> machines() {
  Shape stacked, unequal, holes;
  stacked.sockets = {{{{8, 96 << 20}, {8, 32 << 20}}}};
  unequal.sockets = {{{{6, 32 << 20}, {8, 32 << 20}, {3, 32 << 20}, {8, 96 << 20}, {8, 32 << 20}, {5, 16 << 20}}}};
  std::vector<Shape::Die> dies(8, {8, 32 << 20});
  holes.sockets = {{dies}, {dies}};
  for (int cpu = 0; cpu < 128; ++cpu) {
    if (cpu % 5 == 0 || cpu % 7 == 3) holes.forbidden.insert(cpu);
  }
  return {{"8 chiplets of 8", uniform(1, 8, 8)},       {"4 chiplets of 32", uniform(1, 4, 32)},
          {"2 sockets of 12 by 8", uniform(2, 12, 8)}, {"one stacked cache", build(stacked)},
          {"unequal chiplets", build(unequal)},        {"cpuset with holes", build(holes)}};
}

std::string log_of(const Outcome& outcome) {
  std::string text;
  for (const auto& decision : outcome.decisions) text += to_string(decision) + "\n";
  return text;
}

struct Seen {
  int runs = 0;
  double moves = 0;
};

Seen check_all(const charm::Machine& machine, const std::string& name, int workers, double noise, bool counters,
               double bar, charm::placement::SocketOrder sockets = charm::placement::SocketOrder::fill) {
  Seen seen;
  for (const Workload& workload : workloads()) {
    for (int start : {1, 99}) {
      Trial trial;
      trial.start = start;
      trial.options = {noise, counters, 1};
      trial.sockets = sockets;
      Outcome outcome = run(machine, workers, {{workload}}, trial);
      EXPECT_GE(outcome.efficiency, bar) << name << ", " << workload.name << " from " << start << "\n"
                                         << log_of(outcome);
      EXPECT_LE(outcome.moves_per_minute, 2) << name << ", " << workload.name << " from " << start << "\n"
                                             << log_of(outcome);
      ++seen.runs;
      seen.moves += outcome.moves_per_minute;
    }
  }
  return seen;
}

TEST(Steady, ReachesTheBestLevelOfEveryWorkloadAndStaysThere) {
  for (const auto& [name, machine] : machines()) check_all(machine, name, 8, 0, true, 0.95);
}

TEST(Steady, ReachesItOnThroughputAloneWithoutCounters) {
  for (const auto& [name, machine] : machines()) check_all(machine, name, 8, 0, false, 0.90);
}

TEST(Steady, ReachesItWithManyWorkers) {
  check_all(uniform(1, 8, 8), "20 workers", 20, 0, true, 0.95);
  check_all(uniform(2, 8, 8), "72 workers", 72, 0, true, 0.95);
}

/// Work that waits for memory is tried on a further socket, though its own holds all workers.
TEST(Steady, FillsOfMemoryLeadToFurtherSocketsAndSharingDoesNot) {
  Trial trial;
  trial.sockets = charm::placement::SocketOrder::widen;
  const Outcome streams = run(uniform(2, 8, 8), 64, {{private_sweep(24)}}, trial);
  ASSERT_EQ(streams.visits.size(), 2U) << "8 chiplets of one socket, or all 16";
  EXPECT_GT(streams.visits[1], 20 * streams.visits[0]) << log_of(streams);
  const Outcome shares = run(uniform(2, 8, 8), 64, {{all_to_all()}}, trial);
  for (const auto& decision : shares.decisions) EXPECT_LE(decision.to, 8) << "what is shared would be farther away";
}

TEST(Steady, ReachesItOnAllSocketsWithAndWithoutCounters) {
  for (const auto& [name, machine] : machines()) {
    for (int workers : {8, 20, 64}) {
      if (machine.cores.size() < static_cast<std::size_t>(workers)) continue;
      check_all(machine, name, workers, 0, true, 0.95, charm::placement::SocketOrder::widen);
      check_all(machine, name, workers, 0.05, false, 0.90, charm::placement::SocketOrder::widen);
    }
  }
}

TEST(Steady, ReachesItThroughScatterOfFiveTenAndTwentyPercent) {
  Seen all;
  for (const auto& [name, machine] : machines()) {
    for (double noise : {0.05, 0.10, 0.20}) {
      if (noise < 0.20 && !charm::tests::thorough()) continue;
      for (bool counters : {true, false}) {
        Seen seen = check_all(machine, name, 8, noise, counters, 0.90);
        all.runs += seen.runs;
        all.moves += seen.moves;
      }
    }
  }
  EXPECT_LE(all.moves / all.runs, 2) << "moves per minute once settled, on average";
}

TEST(Steady, LearnsWithinSecondsNotMinutes) {
  for (const Workload& workload : workloads()) {
    Trial trial;
    trial.start = 1;
    trial.warm_up_s = 10;
    trial.measured_s = 1;
    EXPECT_GE(run(uniform(1, 8, 8), 8, {{workload}}, trial).learning, 0.85) << workload.name;
  }
}

TEST(Steady, IsAFunctionOfItsSignals) {
  Trial trial;
  trial.options.noise = 0.1;
  charm::Machine machine = uniform(1, 8, 8);
  EXPECT_EQ(log_of(run(machine, 8, {{private_sweep(24)}}, trial)),
            log_of(run(machine, 8, {{private_sweep(24)}}, trial)));
}

TEST(Steady, EveryDecisionSaysWhyAndWhatCameOfIt) {
  Trial trial;
  trial.warm_up_s = 60;
  Outcome outcome = run(uniform(1, 8, 8), 8, {{private_sweep(24)}}, trial);
  ASSERT_FALSE(outcome.decisions.empty());
  const auto& first = outcome.decisions.front();
  EXPECT_EQ(first.from, 1);
  EXPECT_EQ(first.to, 4) << "the fewest chiplets that saturate the memory";
  EXPECT_GT(first.stall_dram, 0.5);
  EXPECT_NE(first.reason.find("on memory"), std::string::npos) << first.reason;
  EXPECT_NE(first.reason.find("GB/s"), std::string::npos) << first.reason;
  for (const auto& decision : outcome.decisions) {
    EXPECT_FALSE(decision.reason.empty());
    EXPECT_TRUE(!decision.outcome.empty() || &decision == &outcome.decisions.back()) << to_string(decision);
  }
}

TEST(Steady, OneLevelLeavesNothingToDecide) {
  Trial trial;
  trial.warm_up_s = 1;
  trial.measured_s = 1;
  EXPECT_TRUE(run(uniform(1, 1, 8), 8, {{private_sweep(24)}}, trial).decisions.empty());
}

}  // namespace
