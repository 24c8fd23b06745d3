// `charm top` from end to end: what scripts see, and a real terminal (script(1)) that is left as it was.
#include <future>
#include <sstream>
#include <thread>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/tool.hpp"
#include "os/threads/affinity.hpp"

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

TEST_F(TopCommand, ShowsProcessesWithTheirUserAndCommandLine) {
  const auto said = waiting(
      "bash -c 'sleep 1000 & wait' some-argument & parent=$!; await pgrep -P $parent sleep >/dev/null\n"
      "COLUMNS=200 '" CHARM_TOOL
      "' top $parent --tree --full --once --interval 0.1; code=$?\n"
      "pkill -P $parent; exit $code");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  EXPECT_TRUE(has(said.out, " user ")) << said.out;
  EXPECT_TRUE(has(said.out, "bash -c sleep 1000 & wait some-argument\n")) << said.out;
  EXPECT_TRUE(has(said.out, "` sleep 1000\n") || has(said.out, "└ sleep 1000\n")) << said.out;
  const auto json = charm("top --once --json --interval 0.1 --filter nothing");
  const auto all = nlohmann::json::parse(json.out);
  EXPECT_GT(all.at("process_rows").size(), 0U);
  EXPECT_FALSE(all.at("process_rows").at(0).at("user").get<std::string>().empty());
}

TEST_F(TopCommand, ServesMetricsUntilItIsStopped) {
  // bash's own sockets: a scrape without another program.
  const std::string scrape =
      "scrape() { exec 3<>/dev/tcp/$1/$2; printf 'GET /metrics HTTP/1.1\\r\\nHost: localhost\\r\\nAccept: %s\\r\\n"
      "Connection: close\\r\\n\\r\\n' \"$3\" >&3; sed '1,/^\\r$/d' <&3; exec 3>&-; }\n";
  const auto said = waiting(scrape + "'" CHARM_TOOL
                                     "' top --metrics 127.0.0.1:0 --interval 0.1 >shown 2>where & top=$!\n"
                                     "await grep -q http:// where; port=$(sed 's|.*:\\([0-9]*\\)/metrics|\\1|' where)\n"
                                     "measured() { scrape 127.0.0.1 $port application/openmetrics-text >open; "
                                     "grep -Eq 'charm_intervals_total ([2-9]|[1-9][0-9])' open; }\n"
                                     "await measured; scrape 127.0.0.1 $port text/plain >older\n"
                                     "kill -TERM $top; wait $top; echo code $?");
  EXPECT_TRUE(has(said.out, "code 143")) << said.out << said.err;
  EXPECT_EQ(file("shown"), "") << "without a terminal it is a service";
  EXPECT_TRUE(has(file("open"), "\n# EOF\n")) << file("open");
  EXPECT_TRUE(has(file("older"), "# TYPE charm_watched_cpu_seconds_total counter\n")) << file("older");
  // What others make of it.
  if (shell("/usr/bin/python3 -c 'import prometheus_client.openmetrics.parser'").exit_code == 0) {
    const auto parsed = shell(
        "/usr/bin/python3 -c 'from prometheus_client.openmetrics.parser import text_string_to_metric_families as "
        "parse; "
        "print(len(list(parse(open(\"open\").read()))))'");
    EXPECT_EQ(parsed.exit_code, 0) << parsed.err;
  }
  if (shell("command -v promtool").exit_code != 0) GTEST_SKIP() << "no promtool here (Debian's package prometheus)";
  const auto checked = shell("promtool check metrics <older");
  EXPECT_EQ(checked.exit_code, 0) << checked.out << checked.err;
}

TEST_F(TopCommand, TellsWhyItDoesNotCount) {
  EXPECT_TRUE(has(charm("top --once --interval 0.1 --events none").out, "--events is none"));
  expect_refused("top --events local_drum", {"local_drum", "local_dram"});
  expect_refused("top --sort colour", {"--sort", "busy"});
}

TEST_F(TopCommand, ServesMetricsOnThisMachineOnlyUnlessToldOtherwise) {
  expect_refused("top --metrics 0.0.0.0:9400", {"0.0.0.0:9400", "--metrics-anywhere"});
  expect_refused("top --metrics 9400", {"9400", "127.0.0.1:9400"});
  expect_refused("top --metrics-anywhere", {"--metrics-anywhere"});
}

TEST_F(TopCommand, RefusesAThreadAndNamesItsProcess) {
  std::promise<int> number;
  std::promise<void> done;
  std::thread other([&, wait = done.get_future()]() mutable {
    number.set_value(static_cast<int>(gettid()));
    wait.get();
  });
  const std::string process = std::to_string(getpid());
  expect_refused("top " + std::to_string(number.get_future().get()),
                 {("is a thread of process " + process).c_str(), ("charm top " + process).c_str()});
  done.set_value();
  other.join();
}

TEST_F(TopCommand, ShowsTheMaskOfAThreadThatTheProgramChose) {
  const int cpu = charm::os::allowed_cpus().front();
  const auto said = waiting("taskset -c " + std::to_string(cpu) +
                            " sleep 60 & await grep -qx sleep /proc/$!/comm; '" CHARM_TOOL
                            "' top $! --json --once --interval 0.1; kill $!");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  const auto json = nlohmann::json::parse(said.out);
  ASSERT_EQ(json["rows"].size(), 1U);
  EXPECT_EQ(json["rows"][0]["mask"], nlohmann::json{cpu});
  if (charm::os::allowed_cpus().size() > 1) {
    EXPECT_EQ(json["rows"][0]["mask_from"], "program");
  }
}

TEST_F(TopCommand, RefusesWhatItCannotWatch) {
  expect_refused("top 999999999", {"no process 999999999", "ps -e"});
  expect_refused("top 0", {"pid", "from 1"});
  expect_refused("top postgres", {"postgres"});
  expect_refused("top --record seen.csv", {"--record", "PID"});
  for (const char* interval : {"0", "nan", "inf", "1x"})
    expect_refused(std::string("top --interval ") + interval, {"--interval", interval});
  expect_refused("top 1 --record /nowhere/seen.csv", {"/nowhere/seen.csv"});
}

}  // namespace
