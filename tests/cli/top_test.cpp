// `charm top` from end to end: what scripts see, and a real terminal (script(1)) that is left as it was.
#include <sstream>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/tool.hpp"

using TopCommand = charm::cli::test::Tool;

namespace {

using charm::test::has;

TEST_F(TopCommand, ShowsThisMachineOnce) {
  const auto said = charm("top --once --interval 0.1");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  EXPECT_TRUE(has(said.out, "charm top  ")) << said.out;
  EXPECT_TRUE(has(said.out, "chiplet  busy")) << said.out;
  EXPECT_TRUE(has(said.out, "fills/s ")) << said.out;
  EXPECT_FALSE(has(said.out, "\x1b")) << "stdout is a file";
  EXPECT_EQ(said.err, "");
}

TEST_F(TopCommand, ShowsAProcessAsLinesOfJsonUntilItEnds) {
  // The process ends when it has been looked at three times.
  const auto said = waiting(
      "export -f await; seen() { [ \"$(cat seen.json 2>/dev/null | wc -l)\" -ge 3 ]; }; export -f seen\n"
      "bash -c 'await seen' & await grep -qx bash /proc/$!/comm; '" CHARM_TOOL
      "' top $! --json --interval 0.1 --record seen.csv >seen.json");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  std::istringstream lines(file("seen.json"));
  nlohmann::json last;
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    last = nlohmann::json::parse(line);
    EXPECT_EQ(last.at("program"), "bash");
    EXPECT_GT(last.at("interval_s"), 0);
  }
  EXPECT_GE(count, 3);
  EXPECT_TRUE(last.at("ended"));
  EXPECT_TRUE(last.at("controller").is_null());
  EXPECT_TRUE(file("seen.csv").starts_with("# charm counters 1\n"));
  EXPECT_EQ(charm("counters", "CHARM_COUNTERS=replay:seen.csv").exit_code, 0);
}

TEST_F(TopCommand, LeavesTheTerminalAsItWas) {
  if (shell("command -v script").exit_code != 0) GTEST_SKIP() << "no script(1) here";
  // The tool in a terminal of its own, of 60 by 20, in which q is pressed, or a signal comes.
  const std::string in_terminal = "script -qefc \"stty rows 20 cols 60; '" CHARM_TOOL
                                  "' top --interval 0.1; echo code $?; "
                                  "stty -a | grep -o ' icanon'\"";
  const auto quit = waiting("export TERM=xterm; (await grep -q 'q quits' first; printf q) | " + in_terminal + " first");
  EXPECT_TRUE(has(quit.out, "\x1b[?1049h")) << quit.out;
  EXPECT_TRUE(has(quit.out, "q quits")) << quit.out;
  EXPECT_TRUE(has(quit.out, "\x1b[?25h\x1b[?1049l")) << quit.out;
  EXPECT_TRUE(has(quit.out, "code 0")) << quit.out;
  EXPECT_TRUE(has(quit.out, " icanon")) << quit.out;
  const auto killed =
      shell("export TERM=xterm; script -qefc \"'" CHARM_TOOL
            "' top --interval 0.1 & for i in \\$(seq 1800); do grep -q 'q quits' second && break; sleep 0.05; done; "
            "kill -TERM \\$!; wait \\$!; echo code \\$?\" second </dev/null");
  EXPECT_TRUE(has(killed.out, "\x1b[?25h\x1b[?1049l")) << killed.out;
  EXPECT_TRUE(has(killed.out, "code 143")) << killed.out;
  const auto dumb =
      shell("export TERM=dumb; script -qec \"'" CHARM_TOOL "' top --once --interval 0.1\" /dev/null </dev/null");
  EXPECT_FALSE(has(dumb.out, "\x1b")) << dumb.out;
}

TEST_F(TopCommand, RefusesWhatItCannotWatch) {
  expect_refused("top 999999999", {"no process 999999999", "ps -e"});
  expect_refused("top 0", {"pid", "from 1"});
  expect_refused("top postgres", {"postgres"});
  expect_refused("top --record seen.csv", {"--record", "PID"});
  expect_refused("top --interval 0", {"--interval"});
  expect_refused("top 1 --record /nowhere/seen.csv", {"/nowhere/seen.csv"});
}

}  // namespace
