// What `charm compare` leaves in files and tells while it measures, and the commands around the runs, from end to end.
#include <algorithm>
#include <string>

#include "base/text.hpp"
#include "cli/tool.hpp"

namespace {

using charm::test::has;

class CompareFiles : public charm::cli::test::Tool {
 protected:
  /// Of a comparison that was made, whatever it found.
  static bool measured(int exit_code) { return exit_code == 0 || exit_code == 1 || exit_code == 3 || exit_code == 4; }
  static long lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }
};

TEST_F(CompareFiles, HaveARowForEachProgramAndOneForEachRun) {
  const auto said = charm(
      "compare -q --runs 3 --name 'a,b' --name 'c\"d' --csv table.csv --runs-csv runs.csv --markdown table.md "
      "-- true x -- sh -c 'exit 0'");
  ASSERT_TRUE(measured(said.exit_code)) << said.err;
  const std::string table = file("table.csv");
  EXPECT_TRUE(table.starts_with("command,mean,stddev,median,user,system,min,max,")) << "as hyperfine's\n" << table;
  EXPECT_EQ(lines(table), 3) << table;
  EXPECT_TRUE(has(table, "\ntrue x,") && has(table, "\nsh -c 'exit 0',")) << table;
  EXPECT_TRUE(has(table, ",\"a,b\",3,") && has(table, ",\"c\"\"d\",3,")) << table;
  const std::string runs = file("runs.csv");
  EXPECT_TRUE(runs.starts_with("run,round,place,name,started_s,wall_s,")) << runs;
  EXPECT_EQ(lines(runs), 1 + 2 * 3) << runs;
  for (const char* begin : {"\n1,1,1,", "\n2,1,2,", "\n3,2,1,", "\n6,3,2,"}) EXPECT_TRUE(has(runs, begin)) << runs;
  const std::string markdown = file("table.md");
  EXPECT_TRUE(has(markdown, "| command |") && has(markdown, "| :-- |") && has(markdown, "| `true x` |")) << markdown;
}

TEST_F(CompareFiles, HaveTheValuesOfAScan) {
  const auto said = charm("compare -q --runs 2 --scan n=1..3 --csv table.csv -- sh -c 'echo {n} >> seen'");
  ASSERT_TRUE(measured(said.exit_code)) << said.err;
  const std::string seen = file("seen");
  for (const char n : {'1', '2', '3'}) EXPECT_EQ(std::count(seen.begin(), seen.end(), n), 3) << "and once to warm up";
  EXPECT_TRUE(has(file("table.csv"), ",parameter_n,")) << file("table.csv");
  EXPECT_TRUE(has(said.out, "n=3")) << said.out;
}

TEST_F(CompareFiles, AreOfRunsBetweenTheCommandsAroundThem) {
  const auto said = charm(
      "compare -q --runs 2 --warmup 0 --setup 'echo setup >> log' --prepare 'echo prepare >> log' "
      "--cleanup 'echo cleanup >> log' -- sh -c 'echo A >> log' -- sh -c 'echo B >> log'");
  ASSERT_TRUE(measured(said.exit_code)) << said.err;
  std::string log = file("log");
  EXPECT_TRUE(log.starts_with("setup\nsetup\nprepare\n") && log.ends_with("cleanup\ncleanup\n")) << log;
  for (const char* run : {"prepare\nA\n", "prepare\nB\n"}) {
    std::size_t times = 0;
    for (std::size_t at = log.find(run); at != std::string::npos; at = log.find(run, at + 1)) ++times;
    EXPECT_EQ(times, 2U) << log;
  }
}

TEST_F(CompareFiles, SayWhetherOutputsAgree) {
  const std::string compare = "compare -q --runs 2 --check-output --csv table.csv ";
  EXPECT_TRUE(measured(charm(compare + "-- echo 1 -- sh -c 'echo 1'").exit_code));
  EXPECT_TRUE(has(file("table.csv"), ",same\n")) << file("table.csv");
  EXPECT_EQ(charm(compare + "-- echo 1 -- echo 2").exit_code, 2);
}

TEST_F(CompareFiles, TimeThatIsLeftIsToldOnATerminalAndNowhereElse) {
  const std::string compare = "compare --runs 4 -- sleep 0.02 -- sleep 0.03";
  const auto piped = charm(compare);
  EXPECT_TRUE(has(piped.err, "run 1 of 10")) << piped.err;
  EXPECT_FALSE(has(piped.err, " left")) << piped.err;
  if (shell("command -v script").exit_code != 0) GTEST_SKIP() << "no script(1) here";
  const auto shown = shell("TERM=xterm script -qec \"'" CHARM_TOOL "' " + compare + "\" /dev/null </dev/null");
  EXPECT_TRUE(has(shown.out, "run 5 of 10, about ") && has(shown.out, " left")) << shown.out;
}

}  // namespace
