// `charm malloc` and `charm run --malloc` as a user runs them.
#include <algorithm>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "cli/tool.hpp"

namespace charm::cli::test {
namespace {

class MallocTool : public Tool {
 protected:
  MallocTool() {
    given("model.json", R"({"charm_traffic_model": 1, "name": "two sockets", "core_gb_per_s": 10,
      "domains": [{"name": "machine", "level": "machine"},
                  {"name": "s0", "level": "socket", "in": "machine", "out_gb_per_s": 30, "cpus_of_node": 0},
                  {"name": "s1", "level": "socket", "in": "machine", "out_gb_per_s": 30, "cpus_of_node": 1}],
      "memories": [{"node": 0, "in": "s0", "gb_per_s": 60, "latency_ns": 90},
                   {"node": 1, "in": "s1", "gb_per_s": 60, "latency_ns": 90}]})");
  }
  const std::string two_ = "--from 'pack:2 numa:1 l3:1 core:4 pu:1' --model model.json";
};

}  // namespace

TEST_F(MallocTool, ReplacesAPlantedLinkInsteadOfWritingThroughIt) {
  shell("echo precious >victim; ln -s victim published");
  charm("malloc weights --file published");
  EXPECT_EQ(shell("cat victim").out, "precious\n");
  EXPECT_EQ(shell("test -f published && ! test -L published").exit_code, 0);
}

TEST_F(MallocTool, WeightsFollowModelPolicyAndDemand) {
  const Said exact = charm("malloc weights " + two_);
  EXPECT_EQ(exact.exit_code, 0) << exact.err;
  EXPECT_NE(exact.out.find("66.7 %"), std::string::npos) << exact.out;
  EXPECT_NE(exact.out.find("90.0"), std::string::npos) << exact.out;
  const Said little = charm("malloc weights --demand 50 --json " + two_);
  EXPECT_NE(little.out.find("\"weight\": 1.0"), std::string::npos) << little.out;
  const Said interleaved = charm("malloc weights --policy interleave --json " + two_);
  EXPECT_NE(interleaved.out.find("\"weight\": 0.5"), std::string::npos) << interleaved.out;
  EXPECT_NE(interleaved.out.find("\"normal_node\": null"), std::string::npos) << interleaved.out;
}

TEST_F(MallocTool, WeightsOfAnotherMachineAreOnlyWrittenWhereAsked) {
  expect_refused("malloc weights --publish " + two_, {"--publish", "--file"});
  const Said said = charm("malloc weights --file weights " + two_);
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_EQ(file("weights").size(), 12848U);
}

TEST_F(MallocTool, WhatWasPublishedCanBeWithdrawn) {
  ASSERT_EQ(charm("malloc weights --file weights " + two_).exit_code, 0);
  EXPECT_TRUE(charm("malloc weights --withdraw --file weights").out.starts_with("withdrawn: "));
  EXPECT_EQ(shell("test -e weights").exit_code, 1);
  EXPECT_TRUE(charm("malloc weights --withdraw --file weights").out.starts_with("nothing is published"));
  given("mine", "precious");
  expect_refused("malloc weights --withdraw --file mine", {"mine", "no weights"});
  expect_refused("malloc weights --withdraw --publish", {"--withdraw", "--publish"});
}

TEST_F(MallocTool, SpeedMeasuresTheMallocItRunsUnder) {
  for (const char* before : {"", "MALLOC_ARENA_MAX=1"}) {
    const Said said = charm("malloc speed --mib 8 --json", before);
    ASSERT_EQ(said.exit_code, 0) << said.err;
    for (const char* key : {"\"read_gb_per_s\": ", "\"small_block_ns\": ", "\"huge_block_us\": ", "\"bytes\": 8388608"})
      EXPECT_NE(said.out.find(key), std::string::npos) << said.out;
  }
  const Said one = charm("malloc speed --only small");
  EXPECT_NE(one.out.find(" ns\n"), std::string::npos) << one.out;
  EXPECT_EQ(one.out.find("GB/s"), std::string::npos) << one.out;
  expect_refused("malloc speed --cpus 99999", {"--cpus", "99999"});
  expect_refused("malloc speed --cpus x", {"--cpus"});
  expect_refused("malloc speed --only large", {"large"});
  expect_refused("malloc speed --mib 0", {"--mib"});
  expect_refused("malloc speed --mib 16777216 --only read", {"--mib", "does not fit"});
}

TEST_F(MallocTool, BadInputIsRefused) {
  expect_refused("malloc weights --policy fastest", {"--policy", "exact"});
  expect_refused("malloc weights --model none.json", {"none.json"});
  given("bad.json", "{\"charm_traffic_model\": 1, \"domain\": []}");
  expect_refused("malloc weights --model bad.json", {"bad.json", "'domain' is no key"});
  expect_refused("malloc explain 1073741823", {"there is no process 1073741823"});
  expect_refused("malloc explain", {"pid"});
  expect_refused("malloc explain 12x", {"'12x'"});
  expect_refused("malloc profile --file nowhere/model.json", {"nowhere/model.json"});
  expect_refused("malloc profile --file m.json --error 0", {"--error"});
  expect_refused("malloc profile --file m.json --source fastest", {"fastest", "amd, intel, hisilicon"});
  expect_refused("malloc profile --file m.json --source replay", {"replay"});
  expect_refused("malloc weights --file nowhere/weights " + two_, {"nowhere/weights"});
  expect_refused("run --malloc-policy exact -- true", {"--malloc"});
}

TEST_F(MallocTool, DamagedModelsAreOneLineAndRefused) {
  given("empty.json", "");
  given("cut.json", "{\"charm_traffic_model\": 1, \"domains\": [{");
  given("noise.json", std::string("\x1b[31m\0\xff\n{", 9));
  given("other.json", "{\"charm_traffic_model\": 2}");
  given("deep.json", std::string(200000, '[') + std::string(200000, ']'));
  for (const std::string name : {"empty", "cut", "noise", "other", "deep", "missing"}) {
    const Said said = charm("malloc weights --model " + name + ".json");
    EXPECT_EQ(said.exit_code, 2) << name;
    EXPECT_NE(said.err.find(name + ".json"), std::string::npos) << said.err;
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
    EXPECT_TRUE(std::all_of(said.err.begin(), said.err.end(), [](char c) {
      return c == '\n' || (c >= ' ' && c <= '~');
    })) << name;
    EXPECT_EQ(said.out, "") << name;
  }
}

TEST_F(MallocTool, AForeignProcessIsNamedWithItsOwner) {
  const Said said = shell("setpriv --reuid 65534 --clear-groups '" CHARM_TOOL "' malloc explain 1");
  if (said.err.find("setpriv") != std::string::npos) GTEST_SKIP() << said.err;  // not root
  if (said.exit_code == 126 || said.exit_code == 127) GTEST_SKIP() << "the command cannot be read by others";
  EXPECT_EQ(said.exit_code, 2);
  EXPECT_NE(said.err.find("process 1 belongs to the user "), std::string::npos) << said.err;
}

TEST_F(MallocTool, ProfileWritesAModelThatWeightsRead) {
  const Said said = charm("malloc profile --quiet --seconds 1 --file measured.json");
  if (said.exit_code != 0) GTEST_SKIP() << said.err;  // where mbind is forbidden
  const Said weights = charm("malloc weights --json --model measured.json");
  EXPECT_EQ(weights.exit_code, 0) << weights.err;
  EXPECT_NE(weights.out.find("measured.json"), std::string::npos) << weights.out;
}

TEST_F(MallocTool, ExplainListsTheBlocksOfAProcess) {
  const Said said = shell("'" CHARM_TOOL "' malloc explain --json --least 0 $$");
  if (said.err.find("cannot be read") != std::string::npos) GTEST_SKIP() << "a kernel without NUMA";
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_NE(said.out.find("\"where it was touched first\""), std::string::npos) << said.out;
}

TEST_F(MallocTool, SampleFollowsARecordingAndLeavesTheIdleWeights) {
  given("busy.csv", "# charm traffic 1\nseconds,memory:0\n10,40\n");
  const Said said = charm("malloc sample " + two_ +
                          " --source replay:busy.csv --seconds 1 --interval 0.02 --file live --record seen.csv --json");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  // 20 of 60 GB/s are left of node 0's memory, and 30 of the other's behind the bus: 400 to 600 of 1000.
  EXPECT_NE(said.out.find("\"weights\":[[667,1000],"), std::string::npos) << said.out;
  EXPECT_NE(file("seen.csv").find("memory:1"), std::string::npos);
  EXPECT_EQ(charm("malloc weights --file idle " + two_).exit_code, 0);
  const auto generation = [&](const std::string& name) { return file(name).substr(24, 8); };
  EXPECT_EQ(generation("live"), generation("idle"));
}

TEST_F(MallocTool, SampleSaysWhatItCannotDo) {
  expect_refused("malloc sample --source fastest", {"fastest", "amd, intel, hisilicon"});
  expect_refused("malloc sample --source replay", {"replay:FILE"});
  expect_refused("malloc sample --source replay:none.csv", {"none.csv", "--record"});
  expect_refused("malloc sample --source auto --file w " + two_, {"--from", "replay"});
  expect_refused("malloc sample --all-users --file w --source replay:none.csv", {"--all-users", "--file"});
  expect_refused("malloc weights --live " + two_, {"--live", "--from"});
  expect_refused("run --malloc-live auto -- true", {"--malloc"});
}

TEST_F(MallocTool, RunPreloadsTheLibraryAndEndsAsTheProgram) {
  const Said said =
      charm("run --malloc --share off -- sh -c 'echo $LD_PRELOAD; test -s $CHARM_MALLOC_WEIGHTS && exit 7'");
  if (said.err.find("is neither in") != std::string::npos) GTEST_SKIP() << "the library was not built";
  EXPECT_EQ(said.exit_code, 7) << said.err;
  EXPECT_NE(said.out.find("libcharm_malloc.so"), std::string::npos) << said.out;
}

TEST_F(MallocTool, RunRefusesAProgramThatCannotLoadTheLibrary) {
  std::ifstream file("/bin/true", std::ios::binary);
  std::string program{std::istreambuf_iterator<char>(file), {}};
  const std::size_t linker = program.find("ld-linux-");
  ASSERT_NE(linker, std::string::npos);
  program.replace(linker, 9, "ld-musl-x");
  given("musl", program);
  const Said said = shell("chmod +x musl; '" CHARM_TOOL "' run --malloc --share off -- ./musl");
  if (said.err.find("is neither in") != std::string::npos) GTEST_SKIP() << "the library was not built";
  EXPECT_EQ(said.exit_code, 2);
  EXPECT_NE(said.err.find("is linked with musl"), std::string::npos) << said.err;
}

/// ld.so would take the parts of such a path for several libraries, one of them in the working directory.
TEST_F(MallocTool, RunRefusesALibraryWhosePathLdSoWouldDivide) {
  for (const char* folder : {"a b", "a:b"}) {
    const std::string quoted = "'" + std::string(folder) + "'";
    const Said said =
        shell("mkdir " + quoted + "; cp '" CHARM_TOOL "' \"$(dirname '" CHARM_TOOL "')\"/libcharm_malloc.so " + quoted +
              "; exec " + quoted + "/charm run --malloc --share off -- true");
    if (said.err.find("is neither in") != std::string::npos) GTEST_SKIP() << "the library was not built";
    EXPECT_EQ(said.exit_code, 2) << said.err;
    EXPECT_NE(said.err.find("a blank or a colon"), std::string::npos) << said.err;
  }
}

TEST_F(MallocTool, RunTellsWhatWasPlaced) {
  expect_refused("run --malloc-stats stderr -- true", {"--malloc"});
  expect_refused("run --malloc --malloc-stats nowhere/told -- true", {"nowhere/told"});
  const Said said = charm("run -q --malloc --malloc-stats stderr --share off -- true");
  if (said.err.find("is neither in") != std::string::npos) GTEST_SKIP() << "the library was not built";
  EXPECT_NE(said.err.find("charm malloc: process "), std::string::npos) << said.err;
  // The file's name counts from here, wherever the program goes.
  const Said elsewhere =
      shell("'" CHARM_TOOL "' run -q --malloc --malloc-stats told --share off -- sh -c 'cd /; exec true'; cat told");
  EXPECT_EQ(elsewhere.err, "");
  EXPECT_NE(elsewhere.out.find("charm malloc: process "), std::string::npos) << elsewhere.out;
}

}  // namespace charm::cli::test
