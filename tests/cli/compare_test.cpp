// `charm compare` from end to end: the exit code for scripts, what goes where, and what it says of bad input.
#include <charm/error.hpp>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/tool.hpp"
#include "tools/cli/compare/command_line.hpp"
#include "tools/cli/compare/text.hpp"
#include "tools/cli/report/compare_page.hpp"
#include "tools/cli/report/dots.hpp"
#include "tools/compare/run.hpp"

namespace {

class CompareCommand : public charm::cli::test::Tool {
 protected:
  /// Of a few attempts the first that ends so, or the last: other work may hold the programs up for any time.
  [[nodiscard]] charm::cli::test::Said charm_until(int exit_code, const std::string& line) const {
    auto said = charm(line);
    for (int attempt = 1; attempt < 30 && said.exit_code != exit_code; ++attempt) said = charm(line);
    return said;
  }
};

using namespace charm;
using Words = std::vector<std::string>;

using charm::test::has;

TEST_F(CompareCommand, TellsScriptsWhichIsFasterByItsExitCode) {
  const auto slower = charm_until(1, "compare --runs 4 --warmup 0 -q -- sleep 0.01 -- sleep 0.2");
  EXPECT_EQ(slower.exit_code, 1) << slower.out << slower.err;
  EXPECT_TRUE(has(slower.out, "times as long as A")) << slower.out;
  EXPECT_EQ(slower.err, "");
  const auto faster = charm_until(3, "compare --runs 4 --warmup 0 -q -- sleep 0.2 -- sleep 0.01");
  EXPECT_EQ(faster.exit_code, 3) << faster.out;
  const auto within = charm_until(0, "compare --runs 3 --warmup 0 -q --threshold 1000 -- sleep 0.1 -- sleep 0.12");
  EXPECT_EQ(within.exit_code, 0) << within.out;
}

TEST_F(CompareCommand, GivesEveryRunAsJson) {
  const auto said = charm("compare --json --runs 4 --seed 9 --html page.html -- sh -c 'exit 0' -- sh -c 'echo [x]'");
  ASSERT_TRUE(said.exit_code == 0 || said.exit_code == 1 || said.exit_code == 3 || said.exit_code == 4) << said.err;
  const auto json = nlohmann::json::parse(said.out);
  EXPECT_EQ(json.at("seed"), 9);
  EXPECT_EQ(json.at("exit_code"), said.exit_code);
  EXPECT_EQ(json.at("order").size(), 4U);
  const auto& b = json.at("programs").at(1);
  EXPECT_EQ(b.at("command"), (Words{"sh", "-c", "echo [x]"}));
  EXPECT_EQ(b.at("wall_s").size(), 4U);
  EXPECT_GT(b.at("median_wall_s"), 0);
  EXPECT_GT(b.at("peak_rss_bytes").at(0), 0);
  const auto& comparison = json.at("comparisons").at(0);
  EXPECT_LE(comparison.at("wall").at("low95"), comparison.at("wall").at("ratio"));
  EXPECT_EQ(json.at("why_no_counters") == "", b.at("counters").contains("instructions"));
  EXPECT_TRUE(has(said.err, "run 1 of 10")) << said.err;
  EXPECT_FALSE(has(said.err, "[x]")) << "output is kept away";

  const std::string page = file("page.html");
  EXPECT_TRUE(has(page, "</html>"));
  EXPECT_TRUE(has(page, comparison.at("verdict").get<std::string>().substr(0, 10)));
  EXPECT_FALSE(has(page, "http")) << "it needs nothing but itself";
}

TEST_F(CompareCommand, RunsOneProgramUnderSeveralPolicies) {
  const auto said = charm(
      "compare --json -q --runs 3 --warmup 1 --html page.html --policies local,os,distributed -- "
      "sh -c 'echo ${OMP_PLACES:+places} >> seen; exit 0'",
      "env -u OMP_NUM_THREADS -u OMP_PLACES -u OMP_PROC_BIND CHARM_SHARE=off");
  ASSERT_TRUE(said.exit_code == 0 || said.exit_code == 1 || said.exit_code == 3 || said.exit_code == 4) << said.err;
  EXPECT_EQ(said.err, "");
  const auto json = nlohmann::json::parse(said.out);
  Words names;
  for (const auto& program : json.at("programs")) {
    names.push_back(program.at("name"));
    EXPECT_EQ(program.at("command").at(3), names.back());
    EXPECT_EQ(program.at("exit_code"), (std::vector{0, 0, 0}));
  }
  EXPECT_EQ(names, (Words{"local", "os", "distributed"}));
  ASSERT_EQ(json.at("comparisons").size(), 2U) << "each with the first";
  for (const auto& comparison : json.at("comparisons")) EXPECT_EQ(comparison.at("first"), "local");
  // Places are told under the two policies that do not move workers.
  const std::string seen = file("seen");
  EXPECT_EQ(std::count(seen.begin(), seen.end(), '\n'), 3 * 4) << seen;
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 'p'), 2 * 4) << seen;
  const std::string page = file("page.html");
  for (const auto& name : names) EXPECT_TRUE(has(page, ">" + name + "<")) << name;

  const auto failed = charm("compare -q --runs 2 --policies local,os -- sh -c 'exit 7'", "CHARM_SHARE=off");
  EXPECT_EQ(failed.exit_code, 2);
  EXPECT_TRUE(has(failed.err, "exit code 7")) << failed.err;
}

TEST_F(CompareCommand, TakesWordsAsTheyAre) {
  given("has", "test \"$1\" = '[a,b]' && test \"$2\" = 'x y' && test -z \"$3\"\n");
  const auto said = charm("compare --runs 2 --warmup 0 -q -- sh has '[a,b]' 'x y' '' -- sh has '[a,b]' 'x y'");
  EXPECT_NE(said.exit_code, 2) << said.err;
}

TEST_F(CompareCommand, ShowsOutputOnRequestOnStderr) {
  const auto said = charm("compare --json --runs 2 --warmup 0 -q --show-output -- echo aha -- echo oho");
  EXPECT_TRUE(has(said.err, "aha\n") && has(said.err, "oho\n"));
  EXPECT_TRUE(nlohmann::json::accept(said.out));
}

TEST_F(CompareCommand, GivesTheProgramsTheirInput) {
  given("input", "7\n");
  EXPECT_NE(charm("compare -q --runs 2 --input input -- grep -q 7 -- grep 7").exit_code, 2);
  expect_refused("compare --input nowhere -- true -- true", {"--input", "nowhere"});
}

TEST_F(CompareCommand, ReportsAProgramThatFails) {
  const auto said = charm("compare -q --runs 3 -- true -- sh -c 'echo no such file >&2; exit 7'");
  EXPECT_EQ(said.exit_code, 2);
  EXPECT_EQ(said.out, "");
  EXPECT_TRUE(has(said.err, "exit code 7 in warm-up run 1 of 1")) << said.err;
  EXPECT_TRUE(has(said.err, "\n  no such file\n")) << said.err;
  EXPECT_TRUE(has(charm("compare -q -- true -- sh -c 'kill -9 $$'").err, "signal 9"));
  const auto differing = charm("compare -q --runs 2 --ignore-failure -- true -- sh -c 'sleep .1; kill -9 $$'");
  EXPECT_TRUE(has(differing.out,
                  "no verdict, because programs that fail are not compared: B: 2 of 2 runs were ended by "
                  "signal 9 (Killed)"))
      << differing.out;
  EXPECT_FALSE(has(differing.out, "as long"));
  const auto alike = charm("compare -q --runs 2 --ignore-failure -- false -- false");
  EXPECT_TRUE(has(alike.out, "A: 2 of 2 runs ended with exit code 1")) << alike.out;
  EXPECT_FALSE(has(alike.out, "no verdict")) << "both end so by their nature";
  expect_refused("compare -q -- true -- /nowhere/program", {"/nowhere/program", "cannot be started"});
}

/// The programs' own figures decide, however long they take.
TEST_F(CompareCommand, ComparesTheTimesThatProgramsPrint) {
  const auto seconds = charm(
      "compare --runs 4 --warmup 0 -q --json --metric 'took *([0-9.,]+)' -- sh -c 'echo took 9 >&2; echo took 2.5' -- "
      "sh "
      "-c 'sleep .02; echo took 1,000.5'");
  EXPECT_EQ(seconds.exit_code, 1) << seconds.out << seconds.err;
  const auto json = nlohmann::json::parse(seconds.out);
  EXPECT_EQ(json.at("metric"), "took *([0-9.,]+)");
  EXPECT_EQ(json.at("programs").at(1).at("median_wall_s"), 1000.5);
  const auto rates = charm(
      "compare --runs 4 --warmup 0 -q --json --rate --metric 'Lookups/s: *([0-9,]+)' -- sh -c 'echo Lookups/s: 2,000' "
      "-- "
      "sh -c 'echo Lookups/s: 4,000'");
  EXPECT_EQ(rates.exit_code, 3) << "twice the rate is the faster one";
  EXPECT_EQ(nlohmann::json::parse(rates.out).at("programs").at(0).at("median_wall_s"), 0.0005);
  const auto told = charm("compare --runs 4 --warmup 0 -q --metric '(2)' -- echo 2 -- echo 2");
  EXPECT_EQ(told.exit_code, 0) << told.out;
  EXPECT_TRUE(has(told.out, "times are those that the programs print: '(2)'")) << told.out;
  expect_refused("compare -q --runs 2 --metric 'x=([0-9]+)' -- echo x=3 -- echo y=3", {"'B' printed nothing", "x=("});
  expect_refused("compare -q --runs 2 --metric 'x=(.*)' -- echo x=3s -- echo x=3", {"'3s'", "no number above 0"});
  expect_refused("compare -q --runs 2 --metric 'x=[0-9]+' -- echo x=3 -- echo x=3", {"no group"});
  expect_refused("compare -q --runs 2 --metric 'x=([' -- true -- true", {"no regular expression"});
  expect_refused("compare --rate -- true -- true", {"--metric"});
  EXPECT_TRUE(has(charm("compare -q --runs 2 --metric '(x)' -- false -- echo x").err, "exit code 1"));
}

TEST_F(CompareCommand, IsStoppedWithItsProgram) {
  const auto said = shell("'" CHARM_TOOL "' compare -q -- sh -c 'kill -TERM $PPID; exec sleep 30' -- true; echo $?");
  EXPECT_EQ(said.out, "143\n");
}

TEST_F(CompareCommand, RefusesWhatItCannotCompare) {
  expect_refused("compare", {"no programs", "charm compare --"});
  expect_refused("compare -- true", {"one program", "--policies"});
  expect_refused("compare -- true --", {"B is empty"});
  expect_refused("compare -- true -- -- true", {"B is empty"});
  expect_refused("compare --name old -- a -- b", {"1 name for 2 programs"});
  expect_refused("compare --name x --name x -- a -- b", {"two programs", "'x'"});
  expect_refused("compare --prepare a --prepare b -- a -- b -- c", {"2 commands for 3 programs"});
  expect_refused("compare --scan n=1,2 -- a -- b", {"{n}"});
  expect_refused("compare --scan n -- a", {"--scan", "threads=1,2,4"});
  expect_refused("compare --csv /nowhere/runs.csv -- true -- true", {"/nowhere/runs.csv"});
  expect_refused("compare --time x -- a -- b", {"--time"});
  expect_refused("compare --runs 1 -- a -- b", {"--runs", "from 2"});
  for (const char* threshold : {"x", "nan", "-1"})
    expect_refused(std::string("compare --threshold ") + threshold + " -- a -- b", {"--threshold", threshold});
  EXPECT_EQ(shell("mkfifo pipe").exit_code, 0);
  expect_refused("compare --input pipe -- cat -- cat", {"--input", "pipe", "beginning"});
  expect_refused("compare --policies local -- a", {"--policies", "two"});
  expect_refused("compare --policies local,distributed", {"no program"});
  expect_refused("compare --policies local,frobnicate -- a", {"frobnicate", "distributed"});
  expect_refused("compare --html /nowhere/page.html -- true -- true", {"/nowhere/page.html"});
  EXPECT_EQ(charm("compare -q --runs 2 -- true -- true > /dev/full").exit_code, 2) << "1 would be an answer";
}

TEST(CompareCommandLine, RunsOneProgramUnderEachPolicy) {
  const auto programs = cli::under_policies("/usr/bin/charm", {"local", "distributed"}, {"prog", "--", "x"});
  ASSERT_EQ(programs.size(), 2U);
  EXPECT_EQ(programs[0].name, "local");
  EXPECT_EQ(programs[1].words, (Words{"/usr/bin/charm", "run", "--policy", "distributed", "--", "prog", "--", "x"}));
}

TEST(CompareCommandLine, ShowsWordsAsAShellTakesThem) {
  EXPECT_EQ(cli::as_shell_words({"a b", "it's", "", "-x"}), "'a b' 'it'\\''s' '' -x");
  EXPECT_EQ(cli::shown_command({"A", {"ünïcödé"}}, 3), "ünï…");
  EXPECT_EQ(cli::shown_command({"A", {"\x1b[31m"}}, 30), "' [31m'");
}

compare::Outcome outcome_of(double ratio) {
  compare::Request request;
  request.programs = {{"A", {"old", "<x>"}}, {"B", {"new"}}};
  request.rounds = 9;
  double noise = 1;
  const auto launch = [&](const compare::Program& program, compare::Purpose) {
    noise += 0.0003;
    compare::Sample run;
    run.child.wall_s = (program.name == "A" ? 1.0 : ratio) * noise;
    run.child.user_s = run.child.wall_s;
    run.child.peak_bytes = 3U << 20U;
    run.child.floor_bytes = 5U << 20U;
    run.counts = {run.child.wall_s * 1e9};
    return run;
  };
  auto outcome = compare::compare_programs(request, {.launch = launch});
  outcome.counters = {"instructions"};
  outcome.disturbances = {"other programs used 1.5 of 2 cpus"};
  return outcome;
}

TEST(CompareText, HasTheFiguresTheVerdictAndTheNoise) {
  const std::string text = cli::comparison_text(outcome_of(1.1), false);
  EXPECT_TRUE(has(text, "A  old '<x>'\n")) << text;
  EXPECT_TRUE(has(text, "B is 10.")) << text;
  EXPECT_TRUE(has(text, "% slower (95 %: ")) << text;
  EXPECT_TRUE(has(text, "≤ 3 MiB")) << text;
  EXPECT_TRUE(has(text, "instructions")) << text;
  EXPECT_TRUE(has(text, "\nnoise: other programs used 1.5 of 2 cpus\n")) << text;
  EXPECT_TRUE(has(text, "9 runs of each in random order, after 1 to warm up; --seed 1\n")) << text;
  EXPECT_FALSE(has(text, "\x1b"));
  EXPECT_TRUE(has(cli::comparison_text(outcome_of(1.1), true), "\x1b[1;31mB is 10."));
}

TEST(ComparePage, ShowsAllOfItAndEscapesWhatComesFromOutside) {
  const std::string page = cli::comparison_page({}, outcome_of(1.1), "charm compare -- old '<x>' -- new");
  EXPECT_TRUE(has(page, "&lt;x&gt;"));
  EXPECT_FALSE(has(page, "<x>"));
  EXPECT_TRUE(has(page, "% slower (95 %: "));
  EXPECT_TRUE(has(page, "other programs used 1.5 of 2 cpus"));
  EXPECT_EQ(page.find("nan"), std::string::npos);
  EXPECT_EQ(page.find("inf"), std::string::npos);
}

TEST(Dots, DrawNothingOfNothing) {
  EXPECT_TRUE(has(cli::dots("empty", {{"A", {}}}, {{}}, 1.0), "</svg>"));
  const std::string one = cli::dots("one", {{"A", {{1, 5}}}}, {{5, 5, 5}});
  EXPECT_FALSE(has(one, "nan")) << one;
}

}  // namespace
