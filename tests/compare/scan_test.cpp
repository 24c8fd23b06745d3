// Parameter scans, what runs around the runs, what is left, and whether outputs agree: all of it without a program.
#include "tools/compare/scan.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tools/compare/counting_cost.hpp"
#include "tools/compare/printed_time.hpp"
#include "tools/compare/remaining.hpp"
#include "tools/compare/run.hpp"

namespace {

using namespace charm::compare;
using Values = std::vector<std::string>;

TEST(Scan, TakesListsAndRangesWithBothEnds) {
  EXPECT_EQ(parse_scan("threads=1,2,4").name, "threads");
  EXPECT_EQ(parse_scan("threads=1,2,4").values, (Values{"1", "2", "4"}));
  EXPECT_EQ(parse_scan("n=1..4").values, (Values{"1", "2", "3", "4"}));
  EXPECT_EQ(parse_scan("n=4..1").values, (Values{"4", "3", "2", "1"}));
  EXPECT_EQ(parse_scan("n=-1..1").values, (Values{"-1", "0", "1"}));
  EXPECT_EQ(parse_scan("x=0.5..2..0.5").values, (Values{"0.5", "1.0", "1.5", "2.0"}));
  EXPECT_EQ(parse_scan("x=0..0.6..0.2").values.size(), 4U) << "both ends, whatever they are in binary";
  EXPECT_EQ(parse_scan("n=0..10..4").values, (Values{"0", "4", "8"}));
  EXPECT_EQ(parse_scan("n=1,8..10,x").values, (Values{"1", "8", "9", "10", "x"}));
  EXPECT_EQ(parse_scan("file=../a,b=c").values, (Values{"../a", "b=c"})) << "a path is no range";
}

TEST(Scan, HasAtMostAThousandValuesAndNamesOfWords) {
  EXPECT_EQ(parse_scan("n=1..1000").values.size(), 1000U);
  EXPECT_THROW(parse_scan("n=1..1001"), charm::Error);
  EXPECT_EQ(parse_scan("batch_size=1").name, "batch_size");
  EXPECT_EQ(parse_scan("batch-size2=1").name, "batch-size2");
}

TEST(Scan, RefusesWhatIsNoList) {
  for (const char* text : {"", "n", "=1", "n=", "n=1,", "a b=1", "n=1..x", "n=1..9..0", "n=1..9..-1", "n=1..2..3..4",
                           "n=1..1e9", "n=1,1", "n=1..3,2", "n=1..nan"}) {
    EXPECT_THROW(parse_scan(text), charm::Error) << text;
  }
}

TEST(Scan, CombinesParametersAndPutsTheirValuesIn) {
  const auto all = combinations({parse_scan("a=1,2"), parse_scan("b=x,y")});
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[1], (Parameters{{"a", "1"}, {"b", "y"}}));
  EXPECT_EQ(substituted("{a}{b} {c} {a", all[2]), "2x {c} {a");
  EXPECT_EQ(substituted("{a}", {{"a", "{b}"}, {"b", "1"}}), "{b}") << "a value is not looked through again";
  EXPECT_EQ(combinations({}).size(), 1U);
  EXPECT_THROW(combinations({parse_scan("a=1"), parse_scan("a=2")}), charm::Error);
  EXPECT_THROW(combinations({parse_scan("a=1..100"), parse_scan("b=1..100")}), charm::Error);
}

Sample lasting(double seconds) {
  Sample run;
  run.child.wall_s = seconds;
  return run;
}

/// Two programs whose commands are told apart by their words.
Request with_commands() {
  Request request;
  request.programs = {{"A", {"a"}, {}, "prepare a", "set up a", "clean up a"}, {"B", {"b"}, {}, "", "set up b", ""}};
  request.rounds = 1;
  request.warm_ups = 1;
  return request;
}

struct Log {
  Values lines;
  std::string fails;  // the command that fails
  Callbacks callbacks() {
    return {.launch =
                [this](const Program& program, Purpose) {
                  lines.push_back("run " + program.words.front());
                  return lasting(1);
                },
            .shell =
                [this](const std::string& command) {
                  lines.push_back(command);
                  charm::os::ChildResult child;
                  child.exit_code = command == fails ? 3 : 0;
                  return child;
                }};
  }
};

TEST(Commands, RunBeforeEachRunAndAroundThemAll) {
  Log log;
  const Request request = with_commands();
  const Outcome outcome = compare_programs(request, log.callbacks());
  EXPECT_FALSE(outcome.failed);
  ASSERT_EQ(log.lines.size(), 9U);
  EXPECT_EQ(Values(log.lines.begin(), log.lines.begin() + 5),
            (Values{"set up a", "set up b", "prepare a", "run a", "run b"}));
  EXPECT_EQ(std::count(log.lines.begin(), log.lines.end(), "prepare a"), 2) << "also before runs to warm up";
  EXPECT_EQ(log.lines.back(), "clean up a");
}

TEST(Commands, ThatFailEndTheComparisonAndCleaningUpIsDoneAllTheSame) {
  for (const std::string fails : {"set up b", "prepare a", "set up a"}) {
    Log log;
    log.fails = fails;
    const Outcome outcome = compare_programs(with_commands(), log.callbacks());
    ASSERT_TRUE(outcome.failed) << fails;
    EXPECT_EQ(outcome.failed->command.back(), fails);
    EXPECT_EQ(outcome.failed->child.exit_code, 3);
    EXPECT_EQ(log.lines.back(), "clean up a") << fails;
    EXPECT_TRUE(outcome.comparisons.empty());
    EXPECT_EQ(std::count(log.lines.begin(), log.lines.end(), "run a"), 0) << fails;
  }
}

TEST(Commands, ToCleanUpThatFailAreSaidAndNotToBeWarmUps) {
  Log log;
  log.fails = "clean up a";
  const Outcome outcome = compare_programs(with_commands(), log.callbacks());
  ASSERT_TRUE(outcome.failed);
  EXPECT_EQ(outcome.failed->command.back(), "clean up a");
  EXPECT_FALSE(outcome.failed->warm_up);
}

TEST(Time, LimitsTheRoundsButNotBelowTheLeast) {
  double now = 0;
  Request request = with_commands();
  request.rounds = 1000;
  const Callbacks callbacks = {.launch =
                                   [&](const Program&, Purpose) {
                                     now += 1;
                                     return lasting(1);
                                   },
                               .now = [&] { return now; }};
  request.seconds = 39.5;
  const Outcome outcome = compare_programs(request, callbacks);
  EXPECT_EQ(outcome.rounds, 20U) << "a round takes two seconds, and the last one is finished";
  EXPECT_EQ(outcome.order.size(), 20U);
  EXPECT_EQ(outcome.series[1].runs.size(), 20U);
  EXPECT_EQ(outcome.series[outcome.order[3][1]].runs[3].started_s, 7);
  request.seconds = 40;
  EXPECT_EQ(compare_programs(request, callbacks).rounds, 20U) << "when the time is over nothing new begins";
  request.seconds = 0;
  EXPECT_EQ(compare_programs(request, callbacks).rounds, Request::least_rounds);
}

TEST(Time, ThatIsLeftIsToldFromTheSecondRoundOn) {
  double now = 1000;
  Request request = with_commands();
  request.warm_ups = 3;
  request.rounds = 10;
  std::vector<std::optional<double>> left;
  Callbacks callbacks;
  callbacks.launch = [&](const Program&, Purpose) {
    now += 1;
    return lasting(1);
  };
  callbacks.now = [&] { return now; };
  callbacks.progress = [&](std::size_t, std::size_t all, std::optional<double> seconds) {
    EXPECT_EQ(all, 26U);
    left.push_back(seconds);
  };
  compare_programs(request, callbacks);
  ASSERT_GE(left.size(), 26U);
  EXPECT_FALSE(left[1]) << "nothing is known of the second program";
  for (std::size_t done = 2; done < 26; ++done) EXPECT_EQ(left[done], 26.0 - static_cast<double>(done)) << done;
  left.clear();
  request.seconds = 12;
  compare_programs(request, callbacks);
  EXPECT_EQ(left[3], 12.0) << "no more than was asked for, which begins after warming up";
  EXPECT_EQ(left[6], 12.0);
  EXPECT_EQ(left[10], 8.0);
}

TEST(Time, ThatIsLeftIsThatOfEachProgramsRuns) {
  Remaining remaining(2, 3);
  remaining.done(0, 10);
  EXPECT_FALSE(remaining.seconds()) << "nothing is known of the second";
  remaining.done(1, 1);
  EXPECT_DOUBLE_EQ(*remaining.seconds(), 22);
  remaining.done(0, 20);
  EXPECT_DOUBLE_EQ(*remaining.seconds(), 15 + 2);
}

TEST(Outputs, AgreeDifferOrVary) {
  Outcome outcome;
  const auto add = [&](std::vector<Output> outputs) { outcome.series.push_back({{}, {}, std::move(outputs)}); };
  add({{1, 5}, {1, 5}});
  add({{1, 5}});
  add({{2, 5}, {2, 5}});
  add({{1, 5}, {3, 5}});
  add({});
  EXPECT_EQ(agreement(outcome, 0), Agreement::same);
  EXPECT_EQ(agreement(outcome, 1), Agreement::same);
  EXPECT_EQ(agreement(outcome, 2), Agreement::differs);
  EXPECT_EQ(agreement(outcome, 3), Agreement::varies);
  EXPECT_EQ(agreement(outcome, 4), Agreement::unknown);
}

TEST(Outputs, AreLookedAtWhileProgramsWarmUp) {
  Request request = with_commands();
  const Outcome outcome = compare_programs(request, {.launch = [](const Program& program, Purpose purpose) {
                                             Sample run = lasting(1);
                                             if (purpose == Purpose::warm_up)
                                               run.child.output = {program.name == "A" ? 1U : 2U, 3U};
                                             return run;
                                           }});
  EXPECT_EQ(agreement(outcome, 1), Agreement::differs);
}

TEST(CountingCost, IsWhatTheLeastDisturbedRunsDifferBy) {
  const auto runs = [](std::initializer_list<double> seconds) {
    std::vector<charm::os::ChildResult> all;
    for (const double one : seconds) all.push_back(lasting(one).child);
    return all;
  };
  EXPECT_NEAR(counting_cost(runs({0.00047, 0.009}), runs({0.004, 0.0002})), 0.00027, 1e-9);
  EXPECT_EQ(counting_cost(runs({0.1}), runs({0.2})), 0) << "noise";
  EXPECT_EQ(counting_cost({}, {}), 0);
  EXPECT_EQ(counting_cost(runs({0.1}), {}), 0) << "nothing is known without both";
  EXPECT_EQ(counting_cost({}, runs({0.1})), 0);
}

TEST(CountingCost, EndsTheCountingWhereItIsMoreThanAPercent) {
  EXPECT_EQ(too_dear(0.00027, 1), "");
  EXPECT_EQ(too_dear(0.00027, 0), "") << "it is not known how long the programs take";
  const std::string why = too_dear(0.00027, 0.00047);
  EXPECT_NE(why.find("270 µs"), std::string::npos) << why;
  EXPECT_NE(why.find("57"), std::string::npos) << why;
}

TEST(PrintedTime, IsTheLastThatMatches) {
  const PrintedTime time("Time: *([0-9.,e+-]+)", false), rate("rate ([^ ]+)", true);
  EXPECT_EQ(time.seconds_in("Time: 3\nTime: 2.5\n", "a"), 2.5);
  EXPECT_EQ(time.seconds_in("Time: 1,645,897.5 s", "a"), 1645897.5);
  EXPECT_EQ(rate.seconds_in("rate 4 and more", "a"), 0.25);
  const auto refused = [](const PrintedTime& printed, const std::string& text) {
    try {
      (void)printed.seconds_in(text, "the program");
    } catch (const charm::Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(refused(time, "nothing").find("'the program' printed nothing that matches 'Time: *([0-9.,e+-]+)'"),
            std::string::npos);
  for (const char* text : {"rate 0", "rate -1", "rate x", "rate 1x", "rate inf", "rate nan", "rate ,"})
    EXPECT_NE(refused(rate, text).find("is no number above 0"), std::string::npos) << text;
  EXPECT_THROW(PrintedTime("(", false), charm::Error);
  EXPECT_THROW(PrintedTime("no group", false), charm::Error);
}

TEST(Spread, IsMeanDeviationAndEnds) {
  const auto spread = spread_of({2, 4, 4, 6});
  EXPECT_DOUBLE_EQ(spread.mean, 4);
  EXPECT_NEAR(spread.sigma, 1.632993, 1e-6) << "of the sample";
  EXPECT_DOUBLE_EQ(spread.least, 2);
  EXPECT_DOUBLE_EQ(spread.most, 6);
  EXPECT_EQ(spread_of({5}).sigma, 0);
}

}  // namespace
