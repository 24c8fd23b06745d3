// CHARM's rows against a peer's, query by query and in all; and what the command says where there is no DuckDB.
#include "tools/cli/bench/versus.hpp"

#include <charm/error.hpp>

#include <cstdlib>

#include <gtest/gtest.h>

#include "tools/cli/bench/json.hpp"
#include "tools/cli/bench/workloads/olap_options.hpp"
#include "tools/cli/report/speedups.hpp"
#include "workloads/olap/engine.hpp"

using namespace charm::cli;

namespace {

Result row(const std::string& kernel, const std::string& runtime, std::vector<double> seconds, bool verified = true) {
  Result r;
  r.kernel = kernel;
  r.runtime = runtime;
  r.policy = runtime == "charm" ? "local" : "none";
  r.unit = "queries/s";
  r.work.assign(seconds.size(), 1);
  r.seconds = std::move(seconds);
  r.verified = verified;
  return r;
}

BenchResult two_queries(bool verified = true) {
  BenchResult outcome;
  outcome.results = {row("q1", "charm", {1, 2, 4}), row("q1", "duckdb", {2, 4, 8}),
                     row("q2", "charm", {20, 20, 20}, verified), row("q2", "duckdb", {10, 10, 10})};
  outcome.profiles = {{.query = "q1", .working_set_bytes = 1000, .imbalance = 1.5},
                      {.query = "q2", .working_set_bytes = 2000}};
  return outcome;
}

TEST(VersusPeers, ComparesTrialsOfTheSameTurn) {
  const auto all = versus(two_queries().results);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].policy, "local");
  EXPECT_EQ(all[0].peer, "duckdb");
  ASSERT_EQ(all[0].kernels.size(), 2U);
  EXPECT_DOUBLE_EQ(all[0].kernels[0].ratio->value, .5);  // whatever the turns' own times
  EXPECT_DOUBLE_EQ(all[0].kernels[1].ratio->value, 2);
  EXPECT_DOUBLE_EQ(all[0].geometric_mean, 1);
  EXPECT_GT(all[0].in_all->value, 1.3) << "the long query counts more: 21 of 12, 22 of 14, 24 of 18";
  EXPECT_LT(all[0].in_all->value, 1.75);
}

TEST(VersusPeers, DoesNotCompareWrongAnswersOrASingleTrial) {
  const auto wrong = versus(two_queries(false).results);
  EXPECT_FALSE(wrong[0].kernels[1].ratio);
  EXPECT_DOUBLE_EQ(wrong[0].in_all->value, .5);
  EXPECT_NE(versus_table(two_queries(false), false).find("WRONG"), std::string::npos);
  const auto single = versus({row("q1", "charm", {1}), row("q1", "duckdb", {1})});
  EXPECT_FALSE(single[0].in_all);
  EXPECT_EQ(speedup_bars(single[0]), "");
  EXPECT_TRUE(versus({row("q1", "charm", {1, 1})}).empty());
}

TEST(VersusPeers, ShowsTheRatiosInTableJsonAndPicture) {
  const BenchResult outcome = two_queries();
  const std::string table = versus_table(outcome, false);
  EXPECT_NE(table.find("ratio to duckdb"), std::string::npos) << table;
  EXPECT_NE(table.find("2.000"), std::string::npos) << table;
  EXPECT_NE(table.find("charm local takes"), std::string::npos) << table;
  const std::string json = results_json({}, outcome);
  EXPECT_NE(json.find("\"working_set_bytes\": 2000"), std::string::npos);
  EXPECT_NE(json.find("\"time_ratios\""), std::string::npos);
  const std::string picture = speedup_bars(versus(outcome.results)[0]);
  EXPECT_NE(picture.find("q2"), std::string::npos);
  EXPECT_EQ(picture.find("nan"), std::string::npos);
}

TEST(OlapPlan, TakesItsOwnOptionsAndRefusesEmptyPaths) {
  Facts facts;
  facts.kernels = {"q1", "q2"};
  facts.runtimes = {"charm", "duckdb"};
  facts.policies = {"local"};
  facts.policy = "local";
  BenchRequest request;
  OlapWorkload olap;
  EXPECT_EQ(make_plan(olap, request, facts).measurements.size(), 4U);
  olap.database = "";
  EXPECT_THROW(make_plan(olap, request, facts), charm::Error);
  olap.database.reset();
  olap.engine = "";
  EXPECT_THROW(make_plan(olap, request, facts), charm::Error);
}

TEST(Engine, SaysWhatToInstallWhereThereIsNoDuckdb) {
  try {
    charm::workloads::find_duckdb("/nowhere");
    ADD_FAILURE();
  } catch (const charm::Error& error) {
    EXPECT_NE(std::string(error.what()).find("/nowhere/libduckdb.so"), std::string::npos) << error.what();
  }
  setenv("CHARM_ENGINES", "/nowhere", 1);
  try {
    EXPECT_EQ(charm::workloads::find_duckdb("").library, "libduckdb.so") << "the system has one";
  } catch (const charm::Error& error) {
    EXPECT_NE(std::string(error.what()).find("scripts/setup engines"), std::string::npos) << error.what();
  }
  unsetenv("CHARM_ENGINES");
}

}  // namespace
