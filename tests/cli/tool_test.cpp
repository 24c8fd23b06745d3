// The tool from end to end: commands, exit codes, what goes where.
#include "cli/tool.hpp"

#include <cstdlib>
#include <set>
#include <string>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"

using ToolTest = charm::cli::test::Tool;

namespace {

using charm::test::has;

TEST_F(ToolTest, HelpHasAnExampleForEveryCommand) {
  for (const char* command : {"", "topo", "run", "attach", "bench", "bench factor", "bench graph", "bench gups",
                              "bench sgd", "compare", "counters", "deploy", "settings", "completion", "top"}) {
    const auto said = charm(std::string(command) + " --help");
    EXPECT_EQ(said.exit_code, 0) << command;
    EXPECT_TRUE(has(said.out, "Example:\n  ")) << command << ": " << said.out;
    EXPECT_EQ(said.err, "") << command;
  }
}

TEST_F(ToolTest, TellsItsVersion) {
  const auto said = charm("--version");
  EXPECT_EQ(said.exit_code, 0);
  EXPECT_EQ(said.out, "charm " CHARM_VERSION "\n");
}

TEST_F(ToolTest, RefusesACommandLineThatItDoesNotUnderstand) {
  expect_refused("", {"no command", "charm --help"});
  expect_refused("frobnicate", {"frobnicate", "charm --help"});
  expect_refused("bench", {"charm bench --help"});
  expect_refused("topo --frobnicate", {"--frobnicate", "charm topo --help"});
  expect_refused("bench graph --scale", {"--scale", "charm bench graph --help"});
  expect_refused("settings --color=purple", {"--color", "purple", "always"});
  expect_refused("completion tcsh", {"tcsh", "bash"});
}

TEST_F(ToolTest, ABenchmarkOfDeployedEnginesSaysWhatToInstall) {
  if (std::system("python3 --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "the command needs python3";
  const auto said = charm("deploy bench --engine trino", "CHARM_ENGINES=/nowhere");
  EXPECT_EQ(said.exit_code, 2);
  EXPECT_TRUE(has(said.err, "scripts/engines")) << said.err;
}

TEST_F(ToolTest, EveryCommandSaysThatAVariableIsMistyped) {
  for (const char* command : {"topo --from 'core:2 pu:1'", "advise --machine 'core:2 pu:1'", "settings"}) {
    const auto said = charm(command, "CHARM_TOPOLGY='pack:2 core:2 pu:1'");
    EXPECT_NE(said.err.find("is CHARM_TOPOLOGY meant?"), std::string::npos) << command << ": " << said.err;
  }
  EXPECT_EQ(charm("topo --from 'core:2 pu:1'", "CHARM_TOPOLGY=x CHARM_QUIET=1").err, "");
}

TEST_F(ToolTest, SettingsSayWhereTheyComeFrom) {
  given("charm.conf", "spread = 2\n");
  const auto said = charm("settings --json", "CHARM_WORKERS=1 CHARM_CONFIG=charm.conf");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  std::set<std::string> seen;
  const auto json = nlohmann::json::parse(said.out);
  for (const auto& setting : json.at("settings")) {
    seen.insert(setting.at("name").get<std::string>() + "=" + setting.at("value").get<std::string>() + " from " +
                setting.at("from").get<std::string>());
  }
  EXPECT_TRUE(seen.contains("workers=1 from CHARM_WORKERS"));
  EXPECT_TRUE(seen.contains("spread=2 from charm.conf:1"));
  EXPECT_TRUE(seen.contains("policy=adaptive from default"));
}

TEST_F(ToolTest, OfMoreRightsThanItsCallerObeysNoVariables) {
  given("tree.xml", "none");
  const auto made = shell(
      "p=$PWD; while [ $p != / ]; do chmod a+x $p; p=$(dirname $p); done\n"
      "cp '" CHARM_TOOL "' privileged && cp \"$(dirname '" CHARM_TOOL
      "')/charm-bench\" . && install -d -o nobody open && chown nobody privileged && chmod 4755 privileged "
      "&& ./privileged --version");
  if (made.exit_code != 0) GTEST_SKIP() << "needs root, a user nobody and a folder for set-user-ID programs";
  const std::string variables =
      "CHARM_TRACE=$PWD/open/trace CHARM_SHARE=$PWD/open/share CHARM_CONFIG=$PWD/tree.xml CHARM_TOPOLOGY=$PWD/tree.xml "
      "HWLOC_XMLFILE=$PWD/tree.xml ";
  const std::string work = " bench gups --scale 10 --trials 1 --workers 1 ";
  const auto as_other = shell(variables + "./privileged" + work);
  EXPECT_EQ(as_other.exit_code, 0) << as_other.err;
  EXPECT_EQ(shell("ls open").out, "");
  EXPECT_NE(shell(variables + "'" CHARM_TOOL "'" + work).exit_code, 0) << "the variables mean nothing here anyway";
}

TEST_F(ToolTest, ColoursOnlyWhereItIsAsked) {
  EXPECT_FALSE(has(charm("settings").out, "\x1b")) << "stdout is a file";
  EXPECT_TRUE(has(charm("settings --color always").out, "\x1b"));
  EXPECT_FALSE(has(charm("settings --color never").out, "\x1b"));
}

TEST_F(ToolTest, FailsWhereItsOutputCannotBeWritten) {
  const auto said = charm("settings > /dev/full");
  EXPECT_EQ(said.exit_code, 1);
  EXPECT_TRUE(has(said.err, "standard output")) << said.err;
}

TEST_F(ToolTest, AValueOfManyThousandCharactersIsQuotedInPart) {
  const std::string value(70000, 'x');
  for (const std::string& line : {"topo --from " + value, value, "topo --color " + value}) {
    const auto said = charm(line);
    EXPECT_EQ(said.exit_code, 2);
    EXPECT_LT(said.err.size(), 500U);
    EXPECT_NE(said.err.find("characters)"), std::string::npos) << said.err.substr(0, 500);
  }
}

TEST_F(ToolTest, TopoDrawsAnotherMachine) {
  const auto said = charm("topo --from 'pack:2 l3:2 core:4 pu:1' --json");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  EXPECT_EQ(nlohmann::json::parse(said.out).at("chiplets").size(), 4U);
  expect_refused("topo --from /nowhere/machine.xml", {"/nowhere/machine.xml"});
  expect_refused("topo --json --svg", {"svg"});
}

/// What the list names is what every command takes.
TEST_F(ToolTest, ProductsAreListedAndStandForMachines) {
  const auto listed = charm("topo --products --json");
  ASSERT_EQ(listed.exit_code, 0) << listed.err;
  const auto products = nlohmann::json::parse(listed.out);
  EXPECT_GT(products.size(), 30U);
  const std::string name = products.back().at("name");
  const auto shown = charm("topo --json --from " + name);
  ASSERT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_EQ(nlohmann::json::parse(shown.out).at("cores").size(), products.back().at("cores").get<std::size_t>());
  EXPECT_TRUE(has(charm("topo --products").out, name));
  EXPECT_EQ(charm("deploy plan --from node7=2xgrace --policy win").exit_code, 0);
  EXPECT_EQ(charm("advise --machine 4xmi300a --working-set 64").exit_code, 0);
  EXPECT_TRUE(has(shell("CHARM_TOPOLOGY=gb10 '" CHARM_TOOL "' run --dry-run -- true").out, "20 cores"));
  expect_refused("topo --products --from grace", {"--products", "--from"});
  expect_refused("topo --from 0xgrace", {"0xgrace", "--products"});
}

TEST_F(ToolTest, CompletionScriptsAreGoodShell) {
  const auto said = shell("'" CHARM_TOOL "' completion bash > c.bash && bash -n c.bash");
  EXPECT_EQ(said.exit_code, 0) << said.err;
  for (const char* shell_name : {"zsh", "fish"}) {
    const std::string name = shell_name;
    const auto other = shell("command -v " + name + " >/dev/null || exit 0; '" CHARM_TOOL "' completion " + name +
                             " > c && " + name + " -n c");
    EXPECT_EQ(other.exit_code, 0) << name << ": " << other.err;
  }
}

TEST_F(ToolTest, BashCompletesCommandsOptionsAndValues) {
  const auto complete = [&](const std::string& words) {
    return shell("source <('" CHARM_TOOL "' completion bash); COMP_WORDS=(" + words +
                 "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _charm; echo \"${COMPREPLY[@]}\"")
        .out;
  };
  EXPECT_EQ(complete("charm be"), "bench\n");
  EXPECT_EQ(complete("charm bench g"), "graph gups\n");
  EXPECT_EQ(complete("charm bench graph --ker"), "--kernel\n");
  EXPECT_EQ(complete("charm bench graph --kernel bf"), "bfs\n");
  EXPECT_EQ(complete("charm bench graph --kernel bfs,p"), "bfs,pr\n");
  EXPECT_EQ(complete("charm bench gups --policy dist"), "distributed\n");
  EXPECT_EQ(complete("charm completion z"), "zsh\n");
  const std::string self = std::to_string(getpid());
  EXPECT_NE((" " + complete("charm attach " + self)).find(" " + self), std::string::npos) << "processes";
  EXPECT_NE((" " + complete("charm top " + self)).find(" " + self), std::string::npos);
  EXPECT_EQ(complete("charm run -- ls /proc/self/stat /proc/self/timersl"), "/proc/self/timerslack_ns\n");
  EXPECT_EQ(complete("charm run -- topo /proc/self/timersl"), "/proc/self/timerslack_ns\n") << "no command of charm's";
  EXPECT_EQ(complete("charm run --policy local -- /bin/fals"), "/bin/false\n");
  EXPECT_EQ(complete("charm compare -- /bin/true -- /bin/fals"), "/bin/false\n");
}

}  // namespace
