// The order of the runs, and what a session does when all goes well, when a program fails, and when it is stopped.
#include "tools/compare/run.hpp"

#include <algorithm>
#include <csignal>
#include <map>
#include <rapidcheck.h>

#include <gtest/gtest.h>

#include "tools/compare/disturbance.hpp"
#include "tools/compare/order.hpp"

namespace {

using namespace charm::compare;

TEST(Order, EveryRoundHasEveryProgramAndEveryPlaceIsSharedOut) {
  EXPECT_TRUE(rc::check([] {
    const auto programs = *rc::gen::inRange<std::size_t>(2, 6);
    const auto rounds = *rc::gen::inRange<std::size_t>(1, 40);
    const auto order = make_order(programs, rounds, *rc::gen::arbitrary<std::uint64_t>());
    RC_ASSERT(order.size() == rounds);
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> times;
    for (auto round : order) {
      for (std::size_t place = 0; place < programs; ++place) ++times[{round.at(place), place}];
      std::sort(round.begin(), round.end());
      for (std::size_t i = 0; i < programs; ++i) RC_ASSERT(round[i] == i);
    }
    for (std::size_t program = 0; program < programs; ++program) {
      for (std::size_t place = 0; place < programs; ++place) {
        const std::size_t count = times[{program, place}];
        RC_ASSERT(count >= rounds / programs && count <= rounds / programs + 1);
      }
    }
  }));
}

TEST(Order, IsTheSeedsAndNotTheSameForAll) {
  EXPECT_EQ(make_order(2, 15, 4), make_order(2, 15, 4));
  EXPECT_NE(make_order(2, 15, 4), make_order(2, 15, 5));
  EXPECT_NE(make_order(2, 15, 4), make_order(2, 15, 6));
}

Request two_programs() {
  Request request;
  request.programs = {{"A", {"a"}}, {"B", {"b"}}};
  return request;
}

Sample taking(double seconds) {
  Sample run;
  run.child.wall_s = seconds;
  run.child.user_s = seconds;
  run.child.peak_bytes = 1U << 20U;
  return run;
}

TEST(Session, RunsWarmUpsFirstAndThenInTheOrderOfTheSeed) {
  Request request = two_programs();
  request.rounds = 4;
  request.warm_ups = 2;
  std::string seen;
  const auto launch = [&](const Program& program, Purpose) {
    seen += program.name;
    return taking(1);
  };
  const Outcome outcome = compare_programs(request, {.launch = launch});
  std::string expected = "ABAB";
  for (const auto& round : make_order(2, 4, request.seed)) {
    for (const std::size_t program : round) expected += program == 0 ? 'A' : 'B';
  }
  EXPECT_EQ(seen, expected);
  EXPECT_EQ(outcome.series[0].runs.size(), 4U);
  ASSERT_EQ(outcome.comparisons.size(), 1U);
  EXPECT_EQ(outcome.comparisons[0].verdict.finding, Finding::same);
  EXPECT_EQ(overall(outcome), Finding::same);
}

TEST(Session, FindsWhoNeedsLess) {
  const auto launch = [](const Program& program, Purpose) { return taking(program.name == "A" ? 1.0 : 0.8); };
  const Outcome outcome = compare_programs(two_programs(), {.launch = launch});
  EXPECT_EQ(overall(outcome), Finding::second_wins);
  EXPECT_NEAR(outcome.comparisons[0].cpu->value, 0.8, 1e-9);
  EXPECT_NEAR(outcome.comparisons[0].peak->value, 1, 1e-9);
  EXPECT_TRUE(outcome.comparisons[0].counts.empty()) << "nothing was counted";
}

TEST(Session, ComparesCountsAndKeepsWhatItWasAskedFor) {
  Request request = two_programs();
  request.seed = 77;
  request.warm_ups = 3;
  request.rounds = 6;
  const auto launch = [](const Program& program, Purpose) {
    Sample run = taking(1);
    run.counts = {program.name == "A" ? 100.0 : 300.0, std::nullopt};
    return run;
  };
  const Outcome outcome = compare_programs(request, {.launch = launch});
  EXPECT_EQ(outcome.seed, 77U);
  EXPECT_EQ(outcome.warm_ups, 3U);
  EXPECT_EQ(outcome.rounds, 6U);
  ASSERT_EQ(outcome.comparisons.at(0).counts.size(), 2U);
  ASSERT_TRUE(outcome.comparisons[0].counts[0]);
  EXPECT_NEAR(outcome.comparisons[0].counts[0]->value, 3, 1e-9) << "the second over the first";
  EXPECT_FALSE(outcome.comparisons[0].counts[1]);
  EXPECT_EQ(outcome.failed_runs, 0U);
}

TEST(Session, StopsInACommandWhenAskedTo) {
  Request request = two_programs();
  request.programs[1].prepare = "prepare b";
  int runs = 0;
  const Outcome outcome = compare_programs(request, {.launch =
                                                         [&](const Program&, Purpose) {
                                                           ++runs;
                                                           return taking(1);
                                                         },
                                                     .shell =
                                                         [](const std::string&) {
                                                           charm::os::ChildResult child;
                                                           child.interrupted = SIGTERM;
                                                           return child;
                                                         }});
  EXPECT_EQ(outcome.interrupted, SIGTERM);
  EXPECT_FALSE(outcome.failed) << "who was asked to stop has not failed";
  EXPECT_LE(runs, 1);
}

TEST(Session, OfSeveralComparesEachWithTheFirst) {
  Request request = two_programs();
  request.programs.push_back({"C", {"c"}});
  const auto launch = [](const Program& program, Purpose) { return taking(program.name == "C" ? 1.3 : 1.0); };
  const Outcome outcome = compare_programs(request, {.launch = launch});
  ASSERT_EQ(outcome.comparisons.size(), 2U);
  EXPECT_EQ(outcome.comparisons[0].verdict.finding, Finding::same);
  EXPECT_EQ(outcome.comparisons[1].verdict.finding, Finding::first_wins);
  EXPECT_EQ(overall(outcome), Finding::first_wins);
}

TEST(Session, EndsAtTheFirstFailureUnlessToldToGoOn) {
  int runs = 0;
  const auto launch = [&](const Program& program, Purpose) {
    Sample run = taking(1);
    run.child.exit_code = program.name == "B" && ++runs == 3 ? 7 : 0;
    return run;
  };
  Request request = two_programs();
  const Outcome stopped = compare_programs(request, {.launch = launch});
  ASSERT_TRUE(stopped.failed);
  EXPECT_EQ(stopped.failed->program, 1U);
  EXPECT_EQ(stopped.failed->child.exit_code, 7);
  EXPECT_FALSE(stopped.failed->warm_up);
  EXPECT_EQ(stopped.failed->round, 1U);
  EXPECT_TRUE(stopped.comparisons.empty());

  runs = 0;
  request.ignore_failure = true;
  const Outcome through = compare_programs(request, {.launch = launch});
  EXPECT_FALSE(through.failed);
  EXPECT_EQ(through.failed_runs, 1U);
  EXPECT_EQ(through.comparisons.size(), 1U);
}

TEST(Session, AProgramThatCannotBeStartedAlwaysEndsIt) {
  Request request = two_programs();
  request.ignore_failure = true;
  const auto launch = [](const Program&, Purpose) {
    Sample run;
    run.child.start_error = 2;
    return run;
  };
  EXPECT_TRUE(compare_programs(request, {.launch = launch}).failed);
}

TEST(Session, StopsWhenAskedTo) {
  int runs = 0;
  const auto launch = [&](const Program&, Purpose) {
    Sample run = taking(1);
    if (++runs == 5) run.child.interrupted = SIGINT;
    return run;
  };
  const Outcome outcome = compare_programs(two_programs(), {.launch = launch});
  EXPECT_EQ(outcome.interrupted, SIGINT);
  EXPECT_EQ(runs, 5);
  EXPECT_TRUE(outcome.comparisons.empty());
}

Outcome with_times(const std::vector<double>& times) {
  Outcome outcome;
  outcome.series.push_back({{"A", {"a"}}, {}});
  for (const double time : times) outcome.series.back().runs.push_back(taking(time));
  return outcome;
}

charm::os::MachineActivity quiet() {
  charm::os::MachineActivity around;
  around.before.at_s = 100;
  around.after.at_s = 110;
  around.before.cpus = around.after.cpus = 4;
  around.before.busy_s = 50;
  around.after.busy_s = 60;
  around.own_cpu_s = 10;
  around.before.load_average = 0.2;
  around.before.waiting_s = around.after.waiting_s = 3;
  return around;
}

bool tells(const charm::os::MachineActivity& around, const Outcome& outcome, const std::string& part) {
  for (const auto& line : disturbances(around, outcome)) {
    if (line.find(part) != std::string::npos) return true;
  }
  return false;
}

TEST(Disturbances, OfAQuietMachineAreNone) {
  EXPECT_TRUE(disturbances(quiet(), with_times({1, 1.01, 0.99, 1, 1.01, 0.99})).empty());
}

TEST(Disturbances, AreSaidToBeTheProgramsOwnWhereNothingElseWasSeen) {
  Outcome outcome = with_times({1, 1.4, 0.9, 1.5, 1.1, 0.8});
  outcome.comparisons.emplace_back();
  EXPECT_EQ(overall(outcome), Finding::unknown);
  EXPECT_TRUE(tells(quiet(), outcome, "the programs' own times vary, their quartiles lie up to"));
}

TEST(Disturbances, NameWhoUsedTheCpus) {
  charm::os::MachineActivity around = quiet();
  around.own_process = 7;
  around.after.busy_s = 75;
  around.before.processes = {{7, {7, "charm", 1, 1, 50}},
                             {41, {41, "old", 1, 900, 51}},
                             {42, {42, "before its exec", 1, 3, 52}},
                             {43, {43, "gone", 1, 800, 53}}};
  around.after.processes = {{7, {7, "charm", 1, 11, 50}},
                            {41, {41, "old", 1, 900, 51}},
                            {42, {42, "cc1plus", 1, 15, 52}},
                            {43, {43, "new", 1, 3, 99}}};
  EXPECT_TRUE(tells(around, with_times({}),
                    "other programs used 1.5 of 4 cpus: cc1plus (process 42) 1.2, new (process 43) 0.3"));
  EXPECT_FALSE(tells(around, with_times({}), "old"));
}

// In a run of 50 ms each of four cpus has five ticks; one more or less is no other program.
TEST(Disturbances, AreNotReadFromAFewTicks) {
  charm::os::MachineActivity around = quiet();
  around.after.at_s = around.before.at_s + 0.05;
  around.own_cpu_s = 0.15;
  around.after.busy_s = around.before.busy_s + 0.2;
  around.after.stolen_s = 0.01;
  EXPECT_TRUE(disturbances(around, with_times({})).empty());
  around.after.at_s = around.before.at_s + 5;
  around.own_cpu_s = 15;
  around.after.busy_s = around.before.busy_s + 20;
  EXPECT_TRUE(tells(around, with_times({}), "other programs used 1 of 4 cpus"));
}

TEST(Disturbances, TellStealPressureLoadAndGovernors) {
  charm::os::MachineActivity around = quiet();
  around.after.stolen_s = 2;
  around.after.waiting_s = 5;
  around.before.load_average = 3.5;
  around.governors = {{"performance", {0, 1}}, {"powersave", {2, 3}}};
  EXPECT_TRUE(tells(around, with_times({}), "hypervisor kept the cpus for 5.0 %"));
  EXPECT_TRUE(tells(around, with_times({}), "in 20.0 % of the time some thread waited"));
  EXPECT_TRUE(tells(around, with_times({}), "load average was 3.5 on 4 cpus"));
  EXPECT_TRUE(tells(around, with_times({}), "governor of cpus 2-3 is powersave"));
  EXPECT_FALSE(tells(around, with_times({}), "performance"));
}

TEST(Disturbances, TellDriftButNotSpread) {
  EXPECT_TRUE(tells(quiet(), with_times({1, 1.001, 1, 1.002, 1, 1.1, 1.101, 1.1, 1.1, 1.102}), "took 10.0 % longer"));
  EXPECT_EQ(drift(with_times({1, 1.1, 1, 1.1, 1.05, 1.1, 1, 1.1, 1, 1.05})), 0);
  EXPECT_EQ(drift(with_times({1, 2})), 0) << "two runs have no halves";
  EXPECT_NEAR(drift(with_times({1, 1.001, 1, 1.1, 1.101, 1.1})), 0.1, 0.002);
  EXPECT_NEAR(drift(with_times({1, 1, 1.1, 1.1})), 0.1, 0.002) << "four runs have";
  EXPECT_EQ(drift(with_times({1, 1, 1.1})), 0);
  EXPECT_NEAR(drift(with_times({1, 1.001, 1, 1.1, 1.1, 1.101, 1.1})), 0.1, 0.002) << "the middle one is in no half";
  EXPECT_NEAR(drift(with_times({1, 1.001, 1, 7, 1.1, 1.101, 1.1})), 0.1, 0.002) << "whatever it took";
  EXPECT_NEAR(drift(with_times({1.1, 1.101, 1.1, 1, 1.001, 1})), -0.09, 0.002);
  EXPECT_EQ(drift(with_times({1, 1, 1, 1.005, 1.005, 1.005})), 0) << "half a percent is none";
}

}  // namespace
