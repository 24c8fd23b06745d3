// Queries on deployments, modelled: what a division into processes changes, and what it does not.
#include "tools/sim/deployments.hpp"

#include <charm/error.hpp>

#include <string>

#include <gtest/gtest.h>

#include "base/error_code.hpp"

namespace charm::sim {
namespace {

using charm::test::error_of;

/// A scan that leaves nothing behind, and one that fills hash tables of 100 MB, at scale factor 1.
RecordedQuery scan() { return {"q6", 1, .05, 200e6, 0, 0, 0, 0}; }
RecordedQuery joins() { return {"q9", 1, .5, 300e6, 100e6, 3e6, 90e6, 6}; }

TEST(Deployments, ACoreAloneTakesAsLongAsRecorded) {
  const Model model = sim::model("2x7713");
  for (const RecordedQuery& query : {scan(), joins()}) {
    const double seconds = modelled_seconds(model, query, {CoreSet{0}}, 1);
    EXPECT_NEAR(seconds, query.busy_s, .01 * query.busy_s) << query.name;
  }
}

// Its hash tables are larger than a chiplet's cache, and a chiplet's part of them is smaller.
TEST(Deployments, AProcessForEachChipletIsAheadWhereItsPartOfHashTablesFitsItsCache) {
  const RecordedQuery groups{"q18", 1, 2, 100e6, 300e6, 50e6, 1e6, 1};
  for (const char* machine : {"2x7763", "2x9654"}) {
    const Model model = deployed_machine(machine);
    const auto seconds = [&](int processes) {
      return modelled_seconds(model, groups, evenly(model.machine, processes), 1);
    };
    const double chiplets = seconds(static_cast<int>(model.machine.chiplets.size()));
    EXPECT_LT(chiplets, seconds(2)) << machine;
    EXPECT_LT(seconds(2), seconds(1)) << machine;
  }
}

TEST(Deployments, TooManyProcessesPayForTheirExchange) {
  const Model model = deployed_machine("2x7763");
  RecordedQuery query = joins();
  const auto seconds = [&](int processes) {
    return modelled_seconds(model, query, evenly(model.machine, processes), 1);
  };
  EXPECT_GT(seconds(128), seconds(16));
  DeploymentCosts slow;
  slow.network_ns = 50;
  EXPECT_GT(modelled_seconds(model, query, evenly(model.machine, 16), 1, slow), seconds(16));
}

TEST(Deployments, TimesGrowWithTheData) {
  const Model model = sim::model("kunpeng");
  const Processes processes = evenly(model.machine, 4);
  EXPECT_NEAR(modelled_seconds(model, scan(), processes, 20) / modelled_seconds(model, scan(), processes, 10), 2, .05);
}

TEST(Deployments, CoresAreDividedEvenlyAndInOrder) {
  const Machine machine = sim::model("2x7713").machine;
  const Processes three = evenly(machine, 3);
  ASSERT_EQ(three.size(), 3U);
  std::size_t cores = 0;
  for (const CoreSet& each : three) cores += each.size();
  EXPECT_EQ(cores, 128U);
  EXPECT_EQ(three[0].back() + 1, three[1].front());
  EXPECT_EQ(evenly(machine, 1000).size(), 128U);
}

TEST(Deployments, PairsOfSocketsHaveTheirTitles) {
  EXPECT_EQ(deployed_machine("2x9654").machine.cores.size(), 192U);
  EXPECT_EQ(deployed_machine("2x7763").machine.chiplets.size(), 16U);
  EXPECT_NE(deployed_machine("2x7763").title.find("costs of the 7713"), std::string::npos);
  EXPECT_EQ(deployed_machine("kunpeng").machine.nodes.size(), 4U);
}

TEST(Deployments, TheRecordingHasAllQueriesOfTpch) {
  const auto& all = recorded_tpch();
  ASSERT_EQ(all.size(), 22U);
  for (const auto& query : all) {
    EXPECT_GT(query.scanned_bytes, 0) << query.name;
    EXPECT_GT(query.busy_s, 0) << query.name;
  }
}

TEST(Deployments, WhatIsNoRecordingIsRefused) {
  for (const char* text :
       {"", "{}", "{\"profiles\": []}", "{\"profiles\": [{\"query\": \"q1\"}]}",
        "{\"profiles\": [{\"query\": \"q1\", \"scale\": 1, \"busy_seconds\": 0, \"scanned_bytes\": 1, "
        "\"working_set_bytes\": 1, \"moved_rows\": 1, \"moved_bytes\": 1, \"exchanges\": 1}]}"}) {
    const auto error = error_of([&] { recorded_queries(text, "f.json"); });
    EXPECT_EQ(error.code(), Errc::bad_input) << text;
    EXPECT_NE(std::string(error.what()).find("f.json"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace charm::sim
