// `charm sim` and `charm advise` from end to end: the promised JSON, the same bytes for the same seed, refusals.
#include <fstream>
#include <iterator>

#include <nlohmann/json.hpp>

#include "cli/tool.hpp"

using ToolTest = charm::cli::test::Tool;
using nlohmann::json;

namespace {

TEST_F(ToolTest, SimTellsResultsAsJson) {
  const auto said =
      charm("sim --machine 7713 --workload sweep:mb=24 --policy charm,local --workers 8 --seconds 5 --json");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  const auto results = json::parse(said.out).at("results");
  ASSERT_EQ(results.size(), 2U);
  for (const auto& r : results) {
    EXPECT_EQ(r.at("machine"), "epyc-7713");
    EXPECT_EQ(r.at("workload"), "sweep:mb=24");
    EXPECT_EQ(r.at("workers"), 8);
    EXPECT_GT(r.at("throughput").get<double>(), 0);
    for (const char* source : {"same_chiplet", "other_chiplet", "remote_cache", "local_dram", "remote_dram"}) {
      EXPECT_GE(r.at("fills").at(source).get<double>(), 0);
    }
  }
  EXPECT_FALSE(results[0].at("moves").empty());
  EXPECT_TRUE(results[1].at("moves").empty());
}

TEST_F(ToolTest, SimSaysTheSameForTheSameSeed) {
  const std::string line =
      "sim --machine 2x7713 --workload bfs@2+pairs@2 --policy charm,ring --workers 16 --noise 0.1 --seconds 10 --json";
  EXPECT_EQ(charm(line).out, charm(line).out);
  EXPECT_EQ(charm("sim --workload zipf --workers 8 --backend lines --json").out,
            charm("sim --workload zipf --workers 8 --backend lines --json").out);
}

TEST_F(ToolTest, SimTellsFiguresPointByPoint) {
  const auto said = charm("sim --reproduce charm:fig5 --json");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  const auto points = json::parse(said.out).at("points");
  EXPECT_GT(points.size(), 10U);
  for (const auto& p : points) {
    for (const char* field : {"figure", "series", "x", "paper", "model", "hard", "holds"})
      EXPECT_TRUE(p.contains(field)) << field;
    EXPECT_TRUE(!p.at("hard").get<bool>() || p.at("holds").get<bool>()) << p;
  }
}

TEST_F(ToolTest, SimShowsModelsThatItReads) {
  const auto shown = charm("sim --show-machine epyc-9654");
  ASSERT_EQ(shown.exit_code, 0);
  given("mine.json", shown.out);
  EXPECT_EQ(charm("sim --machine mine.json --workload copy --workers 8 --seconds 1").exit_code, 0);
}

TEST_F(ToolTest, SimWritesAReport) {
  const auto said =
      charm("sim --workload sweep:mb=24 --policy charm,local --workers 4,8 --seconds 5 --report out.html");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  EXPECT_EQ(files(), std::vector<std::string>{"out.html"});
}

TEST_F(ToolTest, SimRefusesWhatItDoesNotKnow) {
  expect_refused("sim", {"--workload"});
  expect_refused("sim --workload knitting", {"knitting", "bfs"});
  expect_refused("sim --workload bfs --policy best", {"best", "charm"});
  expect_refused("sim --workload bfs --machine epyc-0815", {"epyc-0815", "epyc-7713"});
  expect_refused("sim --workload bfs --workers 8..x", {"--workers"});
  expect_refused("sim --workload bfs --machine 7713 --workers 65", {"65", "64"});
  expect_refused("sim --reproduce charm:fig99", {"charm:fig5"});
}

TEST_F(ToolTest, SimRecordsTheGraphThatIsBuiltIn) {
  std::ifstream in(CHARM_GRAPH_RECORD, std::ios::binary);
  const std::string built_in{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(charm("sim --record-graph 16").out, built_in);
}

TEST_F(ToolTest, AdviseSaysWhereAndWhy) {
  const auto said = charm("advise --machine 7713 --workers 8 --working-set 192 --json");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  const auto advice = json::parse(said.out);
  EXPECT_EQ(advice.at("placement"), "mixed");
  EXPECT_EQ(advice.at("chiplets"), 8);
  EXPECT_FALSE(advice.at("reasons").empty());
  EXPECT_EQ(charm("advise --working-set 16 --workers 1").exit_code, 0) << "of this machine";
  expect_refused("advise --machine 7713", {"--working-set"});
}

}  // namespace
