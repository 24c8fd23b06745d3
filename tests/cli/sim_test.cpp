// `charm sim` and `charm advise` from end to end: the promised JSON, the same bytes for the same seed, refusals.
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli/tool.hpp"
#include "tools/probe/profile.hpp"

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
    for (const char* source : {"own_chiplet", "other_chiplet", "remote_cache", "local_dram", "remote_dram"}) {
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

TEST_F(ToolTest, SimSaysTheSameHoweverManyRunAtATime) {
  for (const char* backend : {"analytic", "lines"}) {
    const std::string line =
        std::string("sim --machine 7713,graviton-4 --workload pairs,sweep:mb=24 --policy charm,os ") +
        "--workers 4,8 --seconds 2 --json --backend " + backend;
    EXPECT_EQ(charm(line + " --jobs 1").out, charm(line + " --jobs 5").out) << backend;
  }
}

TEST_F(ToolTest, SimTakesWhatProbeWritesForAMachine) {
  charm::probe::Profile profile;
  profile.key.name = "a guest";
  profile.date = "2026-01-01T00:00:00Z";
  for (int cpu = 0; cpu < 8; ++cpu) profile.cpus.push_back(cpu);
  profile.latency = charm::probe::LatencyMatrix(8);
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < i; ++j) profile.latency.set(i, j, i / 4 == j / 4 ? 25 : 105);
  }
  profile.seen = charm::probe::cluster(profile.latency);
  given("probe.json", charm::probe::profile_json(profile));
  const auto said = charm("sim --machine probe.json --workload sweep --workers 4 --policy all --seconds 1 --json");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  EXPECT_GT(json::parse(said.out).at("results").size(), 10U);
  given("cut.json", charm::probe::profile_json(profile).substr(0, 600));
  expect_refused("sim --machine cut.json --workload sweep", {"cut.json"});
}

TEST_F(ToolTest, SimReplaysARecordedRunOnAnyMachine) {
  for (const char* machines : {"7713", "2x7713", "graviton-3"}) {
    const auto said = charm(std::string("sim replay '") + CHARM_TEST_DATA + "/traces/bfs.json' --machine " + machines +
                            " --policy charm,ring,local,per-core --workers 1,2,8 --json");
    ASSERT_EQ(said.exit_code, 0) << said.err;
    const auto replays = json::parse(said.out).at("results");
    ASSERT_EQ(replays.size(), 12U);
    for (const auto& r : replays) {
      EXPECT_GT(r.at("tasks").get<int>(), 10);
      EXPECT_GT(r.at("makespan_ns").get<double>(), 0);
      EXPECT_LE(r.at("efficiency").get<double>(), 1 + 1e-9);
    }
  }
  given("half.json", "{\"charm\": {\"version\": 1, \"tasks\": [{\"id\": 1}]}}");
  expect_refused("sim replay half.json --machine 7713", {"half.json", "CHARM_TRACE"});
  expect_refused("sim replay missing.json --machine 7713", {"missing.json"});
}

TEST_F(ToolTest, SimTellsExperimentsPointByPointAndClaimByClaim) {
  const auto said = charm("sim reproduce charm-fig5 --json");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  const auto all = json::parse(said.out);
  const auto& points = all.at("points");
  EXPECT_GT(points.size(), 10U);
  for (const auto& p : points) {
    for (const char* field : {"experiment", "series", "x", "published", "model", "expect", "bound", "source", "basis"})
      EXPECT_TRUE(p.contains(field)) << field;
    EXPECT_NE(p.at("outcome"), "fails") << p;
    EXPECT_NE(p.at("outcome"), "not_measured") << p;
  }
  ASSERT_EQ(all.at("claims").size(), 1U);
  EXPECT_EQ(all.at("claims").at(0).at("experiment"), "charm-fig5");
  EXPECT_TRUE(charm("sim reproduce charm-fig5").out.find("of the claims: 1 claim: ") != std::string::npos);
  for (const char* both : {"charm-fig5 no-tool", "charm-fig5,no-tool"})
    EXPECT_EQ(json::parse(charm(std::string("sim reproduce --json ") + both).out).at("claims").size(), 2U) << both;
}

TEST_F(ToolTest, SimShowsModelsThatItReads) {
  EXPECT_EQ(charm("sim model 2xgb10").exit_code, 0);
  expect_refused("sim model", {"a machine or a profile"});
  expect_refused("sim model 7713 --from-profile probe.json", {"only one of them"});
  expect_refused("sim model 2xnosuch", {"2xnosuch", "--products"});
  const auto shown = charm("sim model epyc-9654");
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

TEST_F(ToolTest, SimTellsHowManyMachinesScale) {
  const auto said = charm(
      "sim scale-out --network infiniband-hdr,ethernet-10 --workload bfs --scale 22 --machines 64,128,256 --json");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  const auto curves = json::parse(said.out).at("curves");
  ASSERT_EQ(curves.size(), 2U);
  for (const auto& curve : curves) {
    ASSERT_EQ(curve.at("points").size(), 3U);
    for (const auto& point : curve.at("points")) EXPECT_LT(point.at("buffers_filled").get<double>(), .2);
  }
  EXPECT_GT(curves[0].at("points")[2].at("throughput"), curves[1].at("points")[2].at("throughput"));
  const std::string text = charm("sim scale-out --network infiniband-hdr --workload bfs --scale 22").out;
  EXPECT_NE(text.find("Stops scaling at 16 machines: 32 do 142 % of that. Most of their time is for: own work."),
            std::string::npos)
      << text;
  // Twice the machines do more at the end, and less than the 64 that came before.
  EXPECT_NE(charm("sim scale-out --network ethernet-10 --workload bfs").out.find("Stops scaling at 64 machines"),
            std::string::npos);
  expect_refused("sim scale-out --network token-ring", {"token-ring", "ethernet-10"});
  expect_refused("sim scale-out --network infiniband-hdr --workload sgd", {"sgd", "gups or bfs"});
  expect_refused("sim scale-out --network infiniband-hdr --scale 12 --workload gups", {"--scale 12", "--machines"});
  expect_refused("sim scale-out --network infiniband-hdr --machines 4..1", {"--machines '4..1'", "goes down"});
  expect_refused("sim --workload bfs --machines 4", {"--machines"});
  expect_refused("sim --machine 7713 scale-out", {"--machine", "in front of 'scale-out'", "charm help sim scale-out"});
  expect_refused("sim --scale-out", {"did you mean scale-out?"});
  expect_refused("sim widths --policy local", {"--policy"});
  expect_refused("sim widths --seconds 5", {"--seconds"});
  expect_refused("sim worst --warm-up 5", {"--warm-up"});
  expect_refused("sim worst --policy charm,local", {"one policy", "charm,local"});
  expect_refused("sim widths --workers 8,16", {"--workers", "8,16"});
}

TEST_F(ToolTest, SimRefusesWhatItDoesNotKnow) {
  expect_refused("sim", {"--workload"});
  expect_refused("sim --workload knitting", {"knitting", "bfs"});
  expect_refused("sim --workload bfs --policy best", {"best", "charm"});
  expect_refused("sim --workload bfs --machine epyc-0815", {"epyc-0815", "--products"});
  expect_refused("sim --workload bfs --workers 8..x", {"--workers"});
  expect_refused("sim --workload bfs --machine 7713 --workers 65", {"65", "64"});
  expect_refused("sim --workload bfs --workers 128..8", {"128..8"});
  expect_refused("sim --workload bfs --seconds nan", {"--seconds", "nan"});
  expect_refused("sim --workload bfs@1+", {"plus"});
  expect_refused("sim --workload bfs:scale=99", {"scale", "40"});
  expect_refused("sim --workload bfs --policy static:spread=1e12", {"spread"});
  expect_refused("sim --workload bfs, --policy charm", {"''"});
  expect_refused("sim reproduce charm-fig99", {"charm-fig5"});
}

TEST_F(ToolTest, SimRecordsTheGraphThatIsBuiltIn) {
  std::ifstream in(CHARM_GRAPH_RECORD, std::ios::binary);
  const std::string built_in{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(charm("sim record-graph 16").out, built_in);
}

TEST_F(ToolTest, SimRecordsTheTasksOfFactorisations) {
  const auto said = charm("sim record-factor 216");
  if (said.exit_code == 2 && said.err.find("has no factorisations") != std::string::npos) GTEST_SKIP() << said.err;
  ASSERT_EQ(said.exit_code, 0) << said.err;
  std::vector<std::string> names;
  const json recorded = json::parse(said.out);
  for (const auto& graph : recorded.at("graphs")) {
    names.push_back(graph.at("name"));
    EXPECT_GT(graph.at("gflop"), 0);
    EXPECT_FALSE(graph.at("tasks").empty());
  }
  EXPECT_EQ(names, (std::vector<std::string>{"qr", "lu", "cholesky"}));
}

TEST_F(ToolTest, AdviseSaysWhereAndWhy) {
  const auto said = charm("advise --machine 7713 --workers 8 --working-set 192 --json");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  const auto advice = json::parse(said.out);
  EXPECT_EQ(advice.at("placement"), "mixed");
  EXPECT_EQ(advice.at("chiplets"), 8);
  EXPECT_FALSE(advice.at("reasons").empty());
  EXPECT_EQ(charm("advise --working-set 16 --workers 1").exit_code, 0) << "of this machine";
  const std::string at_7713 = "advise --machine 7713 --workers 8 --working-set ";
  const std::string megabytes = charm(at_7713 + "1536").out;
  for (const char* size : {"1536M", "1.5G", "1.5GiB", "1572864K", "1536MB"})
    EXPECT_EQ(charm(at_7713 + size).out, megabytes);
  for (const char* size : {"8Q", "8MiBs", "M", "-1M", "0M", "1e9T"}) expect_refused(at_7713 + size, {"--working-set"});
  expect_refused("advise --machine 7713", {"--working-set", "--pid"});
  expect_refused("advise --machine 7713 --pid 2147483647", {"--pid"});
}

TEST_F(ToolTest, AdviseMeasuresWhatARunningProgramTouches) {
  const auto said = shell(std::string("sh -c 'while :; do :; done' & pid=$!\n'") + CHARM_TOOL +
                          "' advise --machine 7713 --pid $pid --seconds 0.2 --json\ncode=$?\nkill $pid\nexit $code");
  if (said.exit_code != 0) GTEST_SKIP() << said.err;  // some sandboxes do not let a process be looked at
  const auto advice = json::parse(said.out);
  EXPECT_GT(advice.at("working_set_mb").get<double>(), 0);
  EXPECT_LT(advice.at("working_set_mb").get<double>(), 64);
  EXPECT_EQ(advice.at("measured").size(), 1U);
}

TEST_F(ToolTest, AdviseTakesSharingAndBandwidthFromARecording) {
  given("run.csv",
        "# charm counters 1\n"
        "time_ns,worker,instructions,cycles,own_l2,own_chiplet,other_chiplet,remote_cache,local_dram,remote_dram,other,"
        "page_faults,migrations,waiting_ns,counted_share\n"
        "0,0,0,,,0,0,0,0,0,,0,0,0,1\n"
        "0,1,0,,,0,0,0,0,0,,0,0,0,1\n"
        "1000000000,0,250000,,,1200,1000000,0,3000000,0,,0,0,0,1\n"
        "1000000000,1,250000,,,1200,1000000,0,3000000,0,,0,0,0,1\n");
  const auto said = charm("advise --machine 7713 --working-set 64 --recording run.csv --json");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  const auto advice = json::parse(said.out);
  EXPECT_NEAR(advice.at("sharing").get<double>(), 0.25, 1e-9);
  EXPECT_NEAR(advice.at("bandwidth_gb_per_s").get<double>(), 6e6 * 64 / 1e9, 1e-9);
  EXPECT_EQ(advice.at("workers"), 2);
  EXPECT_EQ(json::parse(charm("advise --machine 7713 --working-set 64 --recording run.csv --sharing 0 --json").out)
                .at("sharing"),
            0);
  given("empty.csv", "# charm counters 1\n");
  expect_refused("advise --machine 7713 --working-set 64 --recording empty.csv", {"empty.csv"});
}

}  // namespace
