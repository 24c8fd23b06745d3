// `charm probe` from end to end.
#include <fstream>
#include <sstream>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/tool.hpp"
#include "fiber/sanitizers.hpp"

using ProbeTest = charm::cli::test::Tool;

namespace {

using charm::test::has;

TEST_F(ProbeTest, ClustersALatencyMatrixIntoJson) {
  const auto said = charm("probe --cluster " CHARM_TEST_DATA "/c2c/threadripper-1950x.csv --json");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  const auto json = nlohmann::json::parse(said.out);
  EXPECT_EQ(json.at("smt").size(), 16U);
  EXPECT_EQ(json.at("chiplets").size(), 4U);
  EXPECT_EQ(json.at("chiplets").at(0), (std::vector<int>{0, 1, 2, 3, 16, 17, 18, 19}));
  EXPECT_EQ(json.at("nodes").size(), 2U);
  for (const char* level : {"smt", "chiplets", "nodes", "sockets"}) {
    const double sure = json.at("confidence").at(level);
    EXPECT_GE(sure, 0);
    EXPECT_LE(sure, 1);
  }
  EXPECT_EQ(said.err, "");
}

TEST_F(ProbeTest, DrawsAMatrixInTheTerminal) {
  const auto said = charm("probe --ascii --cluster " CHARM_TEST_DATA "/c2c/ryzen-7950x.csv");
  EXPECT_EQ(said.exit_code, 0);
  EXPECT_TRUE(has(said.out, "chiplets"));
  EXPECT_TRUE(has(said.out, "0-15"));
}

TEST_F(ProbeTest, RefusesWhatIsNoMatrixByFileAndLine) {
  given("bad.csv", ",,\n1,,\n2,oops,\n");
  expect_refused("probe --cluster bad.csv --json", {"bad.csv:3", "oops"});
  expect_refused("probe --cluster nowhere.csv", {"nowhere.csv"});
  expect_refused("probe --only everything", {"everything"});
  expect_refused("probe --show nowhere.json", {"nowhere.json"});
  expect_refused("probe --cluster bad.csv --html nowhere/p.html", {"nowhere"});
}

TEST_F(ProbeTest, AnEmptyNameIsNotThisMachine) {
  expect_refused("topo --from ''", {"--from", "name is missing"});
  expect_refused("topo --diff '' 'pu:2'", {"name is empty"});
  expect_refused("probe --cluster ''", {"--cluster", "name is missing"});
  expect_refused("probe --show ''", {"--show", "name is missing"});
  expect_refused("advise --working-set 1 --machine ''", {"--machine", "name is missing"});
  expect_refused("counters --from ''", {"--from", "name is missing"});
}

TEST_F(ProbeTest, DomainsAreChipletsByOptionAndBySetting) {
  const auto chiplets = [&](const std::string& arguments, const std::string& environment = "") {
    const auto said = charm("topo --json " + arguments, environment);
    return said.exit_code == 0 ? nlohmann::json::parse(said.out).at("chiplets").size() : 0;
  };
  const std::string tiles = "--from 'pack:2 [numa] l3:1 core:56 pu:2'";
  EXPECT_EQ(chiplets(tiles + " --domains 4"), 8U);
  EXPECT_EQ(chiplets("", "CHARM_TOPOLOGY='pack:1 l3:1 core:8' CHARM_DOMAINS='0-1;2-3'"), 3U);
  EXPECT_EQ(chiplets("--domains 2", "CHARM_TOPOLOGY='pack:1 l3:1 core:8' CHARM_DOMAINS='0-1;2-3'"), 2U);
  EXPECT_EQ(chiplets(tiles, "CHARM_DOMAINS='0-1;2-3'"), 2U);  // the setting is of another machine
  expect_refused("topo --domains 100 " + tiles, {"cannot make 100 parts", "at most 56 cores"});
  expect_refused("topo --domains ''", {"--domains"});
  expect_refused("topo --domains 2 --diff - 'pu:2'", {"--diff", "--domains"});
}

TEST_F(ProbeTest, WhatNeverEndsIsNotRead) {
  expect_refused("topo --from /dev/zero", {"/dev/zero", "is a device"});
  expect_refused("probe --cluster /dev/urandom", {"/dev/urandom", "is a device"});
  expect_refused("probe --show /dev/zero", {"/dev/zero", "is a device"});
  expect_refused("advise --working-set 1 --recording /dev/zero", {"/dev/zero", "is a device"});
  expect_refused("topo", {"/dev/zero", "is a device"}, "CHARM_TOPOLOGY=/dev/zero");
  expect_refused("topo --from 'pu:2'", {"/dev/zero", "is a device"}, "CHARM_PROFILE=/dev/zero");
}

TEST_F(ProbeTest, ADescriptionMayComeThroughAPipe) {
  const auto said = shell("'" CHARM_TOOL "' topo --json --from <(cat " CHARM_TEST_DATA
                          "/topologies/AMD-1Ah-Zen5StrixPoint-RyzenAI9HX370.xml)");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  EXPECT_EQ(nlohmann::json::parse(said.out).at("chiplets").size(), 2U);
  const auto matrix = shell("'" CHARM_TOOL "' probe --json --cluster <(cat " CHARM_TEST_DATA "/c2c/ryzen-2700x.csv)");
  ASSERT_EQ(matrix.exit_code, 0) << matrix.err;
}

TEST_F(ProbeTest, L3sAtTwoDepthsAreReadByEveryCommand) {
  const std::string two = "'l3:2 l3:2 core:2 pu:1'";
  EXPECT_EQ(nlohmann::json::parse(charm("topo --json --from " + two).out).at("chiplets").size(), 4U);
  EXPECT_EQ(charm("topo", "CHARM_TOPOLOGY=" + two).exit_code, 0);
  EXPECT_EQ(charm("topo --svg --from " + two).exit_code, 0);
  EXPECT_EQ(charm("advise --working-set 1 --machine " + two).exit_code, 0);
}

TEST_F(ProbeTest, AMachineOf65536CpusIsDrawn) {
  const auto said = charm("topo --ascii --from 'pack:8 l3:64 core:128 pu:1'");
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_TRUE(has(said.out, "65536 cpus"));
}

TEST_F(ProbeTest, AMessageThatQuotesAZeroByteIsWhole) {
  given("zero.csv", std::string("1,2\n3\0,4\n", 9));
  expect_refused("probe --cluster zero.csv", {"zero.csv:2", "is no number", "blank"});
}

TEST_F(ProbeTest, LatenciesOfNoMachineAreRefused) {
  for (const std::string cell : {"1e308", "1e39", "1e16"}) {
    given("no.csv", ",\n" + cell + ",\n");
    expect_refused("probe --cluster no.csv", {"no.csv:2", "column 1", "no machine has"});
  }
  given("most.csv", ",,\n1e15,,\n1e-300,1,\n");
  EXPECT_EQ(charm("probe --cluster most.csv").exit_code, 0);
}

TEST_F(ProbeTest, MeasuresShowsAndKeepsAProfile) {
#if defined(CHARM_TSAN)
  GTEST_SKIP() << "ThreadSanitizer makes every access a call: the probe's passes over memory take minutes";
#endif
  const auto said = charm("probe --json --quiet --budget 1 --csv m.csv", "XDG_DATA_HOME=$PWD/data");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  const auto json = nlohmann::json::parse(said.out);
  EXPECT_FALSE(json.at("partial"));
  EXPECT_EQ(json.at("latency").at("unit"), "ns");
  EXPECT_EQ(json.at("latency").at("matrix").size(), json.at("cpus").size());
  EXPECT_FALSE(json.at("curves").empty());
  for (const auto& curve : json.at("curves")) EXPECT_FALSE(curve.at("y_unit").get<std::string>().empty());
  const auto again = charm("probe --show - --json", "XDG_DATA_HOME=$PWD/data");
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(again.out, said.out);

  // The stored profile is a view of the machine, and a machine of its own.
  ASSERT_EQ(charm("probe --show - --json >p.json", "XDG_DATA_HOME=$PWD/data").exit_code, 0);
  const auto topo = nlohmann::json::parse(charm("topo --json", "XDG_DATA_HOME=$PWD/data").out);
  EXPECT_TRUE(topo.contains("measured"));
  EXPECT_EQ(topo.at("views").back().at("source"), "measured");
  const auto off = nlohmann::json::parse(charm("topo --json", "XDG_DATA_HOME=$PWD/data CHARM_PROFILE=off").out);
  EXPECT_FALSE(off.contains("measured"));
  const auto paper = nlohmann::json::parse(charm("topo --from p.json --json").out);
  EXPECT_EQ(paper.at("origin"), "profile:p.json");
  EXPECT_EQ(paper.at("cores").size(), topo.at("cores").size());
}

TEST_F(ProbeTest, ADoubtfulProfileIsShownAsOne) {
#if defined(CHARM_TSAN)
  GTEST_SKIP() << "ThreadSanitizer makes every access a call: the probe's passes over memory take minutes";
#endif
  const std::string data = "XDG_DATA_HOME=$PWD/data";
  ASSERT_EQ(charm("probe --json --quiet --budget 1 > p.json", data).exit_code, 0);
  auto profile = nlohmann::ordered_json::parse(file("p.json"));
  profile["doubts"] = {"the cpus were 67 % busy"};
  given("p.json", profile.dump());
  const auto said = charm("topo", "CHARM_PROFILE=p.json");
  EXPECT_TRUE(has(said.out, "doubtful")) << said.out;
  EXPECT_TRUE(has(said.out, "67 % busy")) << said.out;
  const auto json = nlohmann::json::parse(charm("topo --json", "CHARM_PROFILE=p.json").out);
  EXPECT_EQ(json.at("measured").at("doubts").at(0), "the cpus were 67 % busy");
  EXPECT_TRUE(has(charm("probe --show p.json").out, "doubtful: the cpus were 67 % busy"));
}

TEST_F(ProbeTest, TopoDiffAnswersLikeDiff) {
  EXPECT_EQ(charm("topo --diff 'pack:2 core:2 pu:1' 'pack:2 core:2 pu:1'").exit_code, 0);
  const auto said = charm("topo --json --diff 'pack:2 core:2 pu:1' 'pack:1 core:4 pu:1'");
  EXPECT_EQ(said.exit_code, 1);
  EXPECT_FALSE(nlohmann::json::parse(said.out).at("same"));
  expect_refused("topo --diff nowhere.xml 'pu:2'", {"nowhere.xml"});
}

TEST_F(ProbeTest, InterruptedItLeavesAPartialResultAndKeepsNothing) {
  // Its first words come when it has begun to measure.
  const auto said =
      waiting("export XDG_DATA_HOME=$PWD/data; '" CHARM_TOOL
              "' probe --json --budget 60 2>words & await test -s words; kill -INT $!; wait $!; cat words >&2");
  EXPECT_TRUE(nlohmann::json::parse(said.out).at("partial"));
  EXPECT_TRUE(has(said.err, "partial"));
  EXPECT_NE(charm("probe --show -", "XDG_DATA_HOME=$PWD/data").exit_code, 0);
}

}  // namespace
