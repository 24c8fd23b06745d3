// TPC-DS and JCC-H on a real DuckDB: the data of JCC-H are skewed as its header says, and CHARM's workers give the
// answers of DuckDB's own threads. Left out, with the reason, where DuckDB is not installed (scripts/setup engines).
#include <charm/charm.hpp>
#include <charm/duckdb.hpp>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "base/error_code.hpp"
#include "base/folder.hpp"
#include "duckdb/statements.hpp"
#include "tools/deploy/advise.hpp"
#include "workloads/olap/engine.hpp"
#include "workloads/olap/jcch.hpp"
#include "workloads/olap/names.hpp"
#include "workloads/olap/olap.hpp"

namespace {

using namespace charm::duckdb;
using charm::Errc;
using charm::test::error_of;
using charm::workloads::Olap;

class Suites : public testing::Test {
 protected:
  void SetUp() override {
    try {
      files_ = charm::workloads::find_duckdb("");
      library_.emplace(Library::load(files_.library));
    } catch (const charm::Error& error) {
      GTEST_SKIP() << error.what();
    }
  }

  /// All queries of a suite, on two workers.
  static void run_all(const std::string& suite, double scale, const std::string& policy) {
    SCOPED_TRACE(suite + " " + policy);
    Olap olap = Olap::open({.suite = suite, .scale = scale, .workers = 2});
    charm::init({.workers = 2, .policy = policy, .share_cores = true, .stack_bytes = std::size_t{2} << 20U});
    for (const std::string& query : charm::workloads::olap_queries(suite)) {
      const auto run = olap.run(query, {.runtime = "charm", .workers = 2});
      EXPECT_TRUE(run.verified) << query << ": " << run.detail;
    }
    charm::finalize();
  }

  charm::workloads::DuckdbFiles files_;
  std::optional<Library> library_;
};

/// JCC-H's tables in memory.
class Skewed : public Suites {
 protected:
  void SetUp() override {
    Suites::SetUp();
    if (IsSkipped()) return;
    char* why = nullptr;
    ASSERT_EQ(duckdb().open_ext(nullptr, &database_, nullptr, &why), 0) << why;
    ASSERT_EQ(duckdb().connect(database_, &connection_), 0);
    ask("LOAD '" + files_.folder + "/tpch.duckdb_extension'");
    for (const std::string& statement : charm::workloads::jcch_statements(.01)) ask(statement);
  }
  void TearDown() override {
    if (connection_ != nullptr) duckdb().disconnect(&connection_);
    if (database_ != nullptr) duckdb().close(&database_);
  }
  [[nodiscard]] const Functions& duckdb() const { return library_->functions(); }
  std::string ask(const std::string& sql) { return charm::duckdb::ask(duckdb(), connection_, sql); }
  double number(const std::string& sql) { return std::stod(ask("SELECT " + sql)); }
  /// The part of a table's rows that the five most frequent values of some columns have.
  double share_of_five(const std::string& columns, const std::string& table) {
    return number("(SELECT sum(n) FROM (SELECT count(*) AS n FROM " + table + " GROUP BY " + columns +
                  " ORDER BY n DESC LIMIT 5)) / (SELECT count(*) FROM " + table + ")");
  }

  Database database_ = nullptr;
  Connection connection_ = nullptr;
};

TEST_F(Skewed, HasAQuarterOfAllForeignKeysInFiveRowsAndHalfOfTheOrdersOnBlackFridays) {
  EXPECT_NEAR(share_of_five("l_orderkey", "lineitem"), .25, .02);
  EXPECT_NEAR(share_of_five("l_partkey, l_suppkey", "lineitem"), .25, .02);
  EXPECT_NEAR(share_of_five("o_custkey", "orders"), .25, .02);
  EXPECT_EQ(
      number("count(DISTINCT n_regionkey) FROM (SELECT o_custkey FROM orders GROUP BY o_custkey ORDER BY count(*) "
             "DESC LIMIT 5) JOIN customer ON c_custkey = o_custkey JOIN nation ON n_nationkey = c_nationkey"),
      5);
  EXPECT_NEAR(number("avg((o_orderdate IN ('1992-11-27', '1993-11-26', '1994-11-25', '1995-11-24', '1996-11-29', "
                     "'1997-11-28'))::INTEGER) FROM orders WHERE o_orderdate < '1998-01-01'"),
              .5, .02);
}

TEST_F(Skewed, KeepsKeysDatesAndTotalsAsTpchHasThem) {
  EXPECT_EQ(number("count(*) FROM lineitem"), 60175) << "as many as TPC-H";
  EXPECT_EQ(number("count(*) - count(DISTINCT (l_orderkey, l_linenumber)) FROM lineitem"), 0);
  EXPECT_EQ(number("count(*) FROM lineitem ANTI JOIN orders ON o_orderkey = l_orderkey"), 0);
  EXPECT_EQ(number("count(*) FROM lineitem ANTI JOIN partsupp ON ps_partkey = l_partkey AND ps_suppkey = l_suppkey"),
            0);
  EXPECT_EQ(number("count(*) FROM orders ANTI JOIN customer ON c_custkey = o_custkey"), 0);
  EXPECT_EQ(number("count(*) FROM lineitem JOIN orders ON o_orderkey = l_orderkey WHERE "
                   "l_shipdate - o_orderdate NOT BETWEEN 1 AND 121 OR l_receiptdate - l_shipdate NOT BETWEEN 1 AND 30"),
            0);
  EXPECT_EQ(number("count(*) FROM lineitem JOIN part ON p_partkey = l_partkey "
                   "WHERE abs(l_extendedprice - l_quantity * p_retailprice) > 0.01"),
            0);
  EXPECT_EQ(
      number("count(*) FROM orders JOIN (SELECT l_orderkey, sum(l_extendedprice * (1 + l_tax) * (1 - l_discount)) "
             "AS total FROM lineitem GROUP BY l_orderkey) ON l_orderkey = o_orderkey "
             "WHERE abs(o_totalprice - total) > 0.01"),
      0);
}

// Hours after which a disk was full, and advice to remove a file that is not there.
TEST_F(Suites, ThatFitOnNoDiskOrIntoNoFolderAreRefusedAtOnce) {
  constexpr double largest = 10000;
  const std::string here = testing::TempDir() + "nowhere/tpch.duckdb";
  if (std::filesystem::space(testing::TempDir()).available < largest * 265e6) {
    const auto refused = error_of([&] { Olap::open({.scale = largest, .database = here}); });
    EXPECT_NE(std::string(refused.what()).find("takes 2650 GB or more"), std::string::npos) << refused.what();
    EXPECT_NE(refused.remedy().find("--scale"), std::string::npos) << refused.remedy();
  }
  const auto refused = error_of([] { Olap::open({.scale = 0.01, .database = "/proc/no/tpch.duckdb"}); });
  EXPECT_NE(std::string(refused.what()).find("cannot make the folder '/proc/no'"), std::string::npos) << refused.what();
}

// 2 x EPYC 7713, and a query whose data just fit into the chiplets while they are even.
TEST_F(Suites, SkewedDataHaveAHottestKeyAndChangeTheAdvice) {
  const auto advice = [](const std::string& suite) {
    Olap olap = Olap::open({.suite = suite, .scale = .01, .workers = 2});
    charm::deploy::OlapQuestion question{{{"q", 1, std::uint64_t{16 * 30} << 20U}}};
    question.hottest_key = olap.hottest_key();
    EXPECT_EQ(olap.hottest_key(), question.hottest_key);
    return charm::deploy::advise_olap(charm::Machine::from("pack:2 [numa] l3:8(size=33554432) core:8 pu:1"), question);
  };
  const auto even = advice("tpch"), skewed = advice("jcch");
  EXPECT_NEAR(even.skew, 1, .05);
  EXPECT_EQ(even.shape, charm::deploy::Shape::local);
  EXPECT_NEAR(skewed.skew, 1.75, .08);
  EXPECT_EQ(skewed.shape, charm::deploy::Shape::mixed);
  EXPECT_EQ(skewed.policy, charm::deploy::Policy::wicp);
  EXPECT_GT(skewed.reasons.size(), even.reasons.size());
  EXPECT_EQ(Olap::open({.suite = "tpcds", .scale = .01}).hottest_key(), 0);
}

TEST_F(Suites, AllAnswersToJcchAreThoseOfDuckdbsThreads) {
  for (const char* policy : {"local", "distributed"}) run_all("jcch", .1, policy);
}

TEST_F(Suites, AllAnswersToTpcdsAreThoseOfDuckdbsThreads) {
  for (const char* policy : {"local", "distributed"}) run_all("tpcds", .01, policy);
}

/// The tables as dbgen writes them, one in two parts, and statements of one's own: the same rows and answers.
TEST_F(Skewed, TablesAndQueriesMayBeTheUsersOwn) {
  const charm::test::Folder tables, queries;
  for (const char* table : {"customer", "nation", "orders", "part", "partsupp", "region", "supplier"})
    ask("COPY " + std::string(table) + " TO '" + tables.path(std::string(table) + ".tbl") +
        "' (DELIMITER '|', HEADER false, QUOTE '')");
  for (const std::string part : {"1", "2"})
    ask("COPY (SELECT * FROM lineitem WHERE l_orderkey % 2 = " + part + " - 1) TO '" +
        tables.path("lineitem.tbl." + part) + "' (DELIMITER '|', HEADER false, QUOTE '')");
  std::ofstream(queries.path("lines.sql")) << "SELECT count(*), sum(l_quantity) FROM lineitem;\n";
  std::ofstream(queries.path("two.sql")) << "SELECT 1; SELECT 2";
  std::ofstream(queries.path("none.sql")) << "SELECT 1 FROM nowhere";
  const charm::workloads::OlapOptions options{.suite = "jcch",
                                              .database = tables.path("made.duckdb"),
                                              .tables = tables.path(),
                                              .queries = queries.path(),
                                              .workers = 2};
  Olap olap = Olap::open(options);
  EXPECT_NE(olap.describe().find(ask("SELECT (SELECT count(*) FROM lineitem) + (SELECT count(*) FROM orders) + "
                                     "(SELECT count(*) FROM customer) + (SELECT count(*) FROM part) + (SELECT count(*) "
                                     "FROM partsupp) + (SELECT count(*) FROM supplier) + 30")),
            std::string::npos)
      << olap.describe();
  EXPECT_NEAR(olap.hottest_key(), .05, .01) << "the skew of these tables";
  charm::init({.workers = 2, .share_cores = true, .stack_bytes = std::size_t{2} << 20U});
  const auto run = olap.run("lines", {.runtime = "charm", .workers = 2});
  EXPECT_TRUE(run.verified) << run.detail;
  const auto refusal = [&](const std::string& query) {
    return std::string(error_of([&] { olap.run(query, {.runtime = "duckdb", .workers = 2}); }).what());
  };
  EXPECT_NE(refusal("two").find("'two': the file has 2 statements"), std::string::npos);
  EXPECT_NE(refusal("none").find("'none'"), std::string::npos);
  charm::finalize();
  EXPECT_NE(std::string(error_of([&] { Olap::open(options); }).what()).find("exists"), std::string::npos);
}

TEST_F(Suites, ADatabaseOfAnotherSuiteIsRefused) {
  const std::string path = charm::workloads::olap_cache() + "/jcch-0.01-" + library_->version() + ".duckdb";
  Olap::open({.suite = "jcch", .scale = .01});
  const auto error = error_of([&] { Olap::open({.suite = "tpcds", .database = path}); });
  EXPECT_EQ(error.code(), Errc::bad_input) << error.what();
  EXPECT_NE(std::string(error.what()).find("has no tables of TPC-DS"), std::string::npos) << error.what();
  EXPECT_EQ(error_of([] { Olap::open({.suite = "tpcc"}); }).code(), Errc::bad_config);
}

}  // namespace
