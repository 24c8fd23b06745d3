// The search for a number of threads, on programs that are formulas.
#include "tools/width/search.hpp"

#include <cmath>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "tools/cli/width/programs.hpp"
#include "tools/cli/width/text.hpp"
#include "tools/width/scaling.hpp"

namespace {

using namespace charm;
using width::Level;

/// Seconds of a level without noise.
using Formula = std::function<double(const Level&)>;

struct Played {
  width::Advice advice;
  std::map<std::string, int> runs;  // by level
  double spent = 0;
};

Played play(const std::vector<int>& widths, const Formula& formula, double noise, std::uint64_t seed,
            const std::vector<std::string>& policies = {}, double cpus = 0) {
  Played played;
  std::map<std::string, Level> levels;
  width::Request request;
  request.widths = widths;
  request.policies = policies;
  request.seed = seed;
  request.program = [&](const Level& level) {
    const std::string name = width::name_of(level);
    levels[name] = level;
    return compare::Program{name, {"program", name}};
  };
  std::mt19937_64 random(seed);
  std::normal_distribution<double> spread(0, noise);
  compare::Callbacks callbacks;
  callbacks.launch = [&](const compare::Program& program, compare::Purpose) {
    compare::Sample sample;
    const Level& level = levels.at(program.words[1]);
    sample.child.wall_s = formula(level) * std::exp(std::fabs(spread(random)));
    sample.child.user_s = sample.child.wall_s * (cpus > 0 ? cpus : level.threads);
    ++played.runs[program.words[1]];
    played.spent += sample.child.wall_s;
    return sample;
  };
  played.advice = width::find_width(request, callbacks);
  return played;
}

const std::vector<int> widths{64, 32, 16, 8, 4, 2, 1};

Formula law(double contention, double coherence) {
  return [=](const Level& level) { return width::Law{1, contention, coherence, 0}.seconds(level.threads); };
}

int advised(const width::Advice& advice) { return advice.finalists[advice.as_fast.value_or(advice.best)].threads; }

TEST(WidthSearch, KeepsFullWidthForAParallelProgram) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const auto played = play(widths, law(0, 0), .05, seed);
    EXPECT_EQ(advised(played.advice), 64) << seed;
    EXPECT_EQ(played.advice.best, 0U);
    // Hopeless levels are not run: one thread would take as long as all else together.
    EXPECT_EQ(played.runs.count("1 thread"), 0U);
    EXPECT_GE(played.advice.left_out.size(), 3U);
    EXPECT_EQ(played.advice.left_out.back(), 1);
  }
}

TEST(WidthSearch, FindsTheBestWithinAStepAndNeverWorseThanFullWidth) {
  std::mt19937_64 random(9);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Formula formula = law(uniform(random) * .2, std::pow(10, -1 - 4 * uniform(random)));
    const auto played = play(widths, formula, .03, seed);
    double best = 1e9;
    for (const int n : widths) best = std::min(best, formula({n, ""}));
    const double found = formula({advised(played.advice), ""});
    EXPECT_LE(found, best * 1.06) << seed << ": " << advised(played.advice);
    EXPECT_LE(found, formula({64, ""}) * 1.03) << seed;
  }
}

TEST(WidthSearch, ACurveWithTwoValleysIsNoTrap) {
  // Slow with half of the threads (over the border of a socket), fast with a quarter.
  const Formula formula = [](const Level& level) {
    const std::map<int, double> seconds{{64, 1}, {32, 1.6}, {16, .5}, {8, .8}, {4, 1.5}, {2, 3}, {1, 6}};
    return seconds.at(level.threads);
  };
  for (std::uint64_t seed = 1; seed <= 20; ++seed) EXPECT_EQ(advised(play(widths, formula, .05, seed).advice), 16);
}

TEST(WidthSearch, OfEquallyFastLevelsTheFewestThreads) {
  const Formula flat = [](const Level& level) { return level.threads >= 8 ? 1.0 : 8.0 / level.threads; };
  const auto played = play(widths, flat, .01, 4);
  EXPECT_EQ(advised(played.advice), 8);
  const std::string answer = cli::width_answer(played.advice);
  EXPECT_NE(answer.find("8 threads are as fast, and leave 56 cpus to others"), std::string::npos) << answer;
}

TEST(WidthSearch, APolicyCanBeTheAnswer) {
  const Formula formula = [](const Level& level) {
    const double seconds = width::Law{1, .05, .001, 0}.seconds(level.threads);
    return level.policy == "local" ? seconds * .7 : level.policy == "distributed" ? seconds * 1.1 : seconds;
  };
  const auto played = play(widths, formula, .02, 5, {"local", "distributed"});
  EXPECT_EQ(played.advice.finalists[played.advice.best].policy, "local");
}

TEST(WidthSearch, ClaimsNothingOfEqualLevels) {
  int claims = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const auto played = play({2, 1}, [](const Level&) { return 1.0; }, .1, seed);
    claims += played.advice.best != 0;
  }
  EXPECT_LE(claims, 5);
}

TEST(WidthSearch, SaysIfTheProgramDoesNotListen) {
  const auto deaf = play(widths, [](const Level&) { return 1.0; }, .01, 6, {}, 64);
  EXPECT_TRUE(width::ignores_width(deaf.advice));
  EXPECT_NE(cli::width_text(deaf.advice, false).find("does not take its number of threads"), std::string::npos);
  const auto listens = play(widths, law(.1, .001), .01, 6);
  EXPECT_FALSE(width::ignores_width(listens.advice));
}

TEST(WidthSearch, EndsWithTheRunThatFails) {
  width::Request request;
  request.widths = {4, 2, 1};
  request.program = [](const Level& level) { return compare::Program{width::name_of(level), {width::name_of(level)}}; };
  compare::Callbacks callbacks;
  int runs = 0;
  callbacks.launch = [&](const compare::Program& program, compare::Purpose) {
    ++runs;
    compare::Sample sample;
    sample.child.wall_s = 1;
    if (program.words[0] == "2 threads") sample.child.exit_code = 3;
    return sample;
  };
  const auto advice = width::find_width(request, callbacks);
  ASSERT_TRUE(advice.failed);
  EXPECT_EQ(advice.failed->child.exit_code, 3);
  EXPECT_EQ(advice.failed_program.name, "2 threads");
  EXPECT_EQ(runs, 3);
}

TEST(WidthSearch, CountsRunsAndCpuTimeAndStopsWhereTheUserDoes) {
  width::Request request;
  request.widths = {4, 2, 1};
  request.program = [](const Level& level) { return compare::Program{width::name_of(level), {width::name_of(level)}}; };
  compare::Callbacks callbacks;
  std::size_t runs = 0;
  std::size_t last = 0;
  bool in_order = true;
  callbacks.progress = [&](std::size_t done, std::size_t, std::optional<double>) {
    in_order = in_order && done == last++;
  };
  callbacks.launch = [&](const compare::Program&, compare::Purpose) {
    compare::Sample sample;
    sample.child.wall_s = 2;
    sample.child.user_s = 3;
    sample.child.system_s = 1;
    sample.child.interrupted = ++runs == 9 ? 2 : 0;
    return sample;
  };
  const auto advice = width::find_width(request, callbacks);
  EXPECT_EQ(advice.interrupted, 2);
  EXPECT_EQ(runs, 9U);
  EXPECT_TRUE(in_order);
  EXPECT_EQ(last, 9U);
  EXPECT_NEAR(advice.tried.front().cpus_used(), 2, 1e-9);
}

TEST(WidthSearch, OneWidthIsNoQuestion) {
  const auto played = play({1}, [](const Level&) { return 1.0; }, 0, 1);
  EXPECT_TRUE(played.advice.finalists.empty());
  EXPECT_FALSE(cli::width_text(played.advice, false).empty());
}

TEST(Widths, AreThoseOfTheMachine) {
  EXPECT_EQ(width::widths_of(Machine::from("pack:2 l3:4 core:6 pu:2")),
            (std::vector<int>{96, 64, 48, 32, 24, 16, 8, 6, 4, 2, 1}));
  EXPECT_EQ(width::widths_of(Machine::from("pack:1 l3:1 core:2 pu:1")), (std::vector<int>{2, 1}));
  EXPECT_EQ(width::widths_of(Machine::from("pack:1 l3:1 core:1 pu:1")), (std::vector<int>{1}));
  EXPECT_EQ(width::widths_of(Machine::from("pack:2 l3:4 core:6 pu:2"), 20), (std::vector<int>{20, 16, 8, 6, 4, 2, 1}));
}

TEST(WidthPrograms, TellTheNumberAsAsked) {
  const Machine machine = Machine::from("pack:1 l3:2 core:2 pu:2");
  cli::ProgramAsked asked{{"./p", "-t{threads}", "{}", "x"}, cli::TellBy::arguments, {}, "/bin/charm"};
  EXPECT_EQ(cli::program_at(asked, machine, {4, ""}).words, (std::vector<std::string>{"./p", "-t4", "4", "x"}));
  asked = {{"./p"}, cli::TellBy::variables, {"A", "B"}, "/bin/charm"};
  EXPECT_EQ(cli::program_at(asked, machine, {2, "local"}).words,
            (std::vector<std::string>{"env", "A=2", "B=2", "/bin/charm", "run", "--policy", "local", "--workers", "2",
                                      "--", "./p"}));
  asked.by = cli::TellBy::mask;
  // The machine's cpus are 0, 1 of core 0, 2, 3 of core 1, ...: cores first, chiplet by chiplet.
  EXPECT_EQ(cli::program_at(asked, machine, {2, ""}).words,
            (std::vector<std::string>{"taskset", "--cpu-list", "0,2", "./p"}));
  EXPECT_EQ(cli::program_at(asked, machine, {5, ""}).words[2], "0-2,4,6");
  EXPECT_TRUE(cli::has_place_for_threads({"a", "b={}"}));
  EXPECT_FALSE(cli::has_place_for_threads({"a", "{thread}"}));
}

}  // namespace
