#include "workloads/olap/suite.hpp"

#include <charm/error.hpp>

#include <array>

#include <fmt/format.h>

#include "workloads/olap/jcch.hpp"
#include "workloads/olap/names.hpp"

namespace charm::workloads {
namespace {

constexpr std::string_view all_tables = "SELECT string_agg(table_name, ',') FROM duckdb_tables() WHERE NOT internal";
// 1.5 million orders for each.
constexpr std::string_view scale_by_orders = "SELECT count(*) / 1.5e6 FROM orders";
// The scale factor that the generator was asked for is not in the tables of TPC-DS, whose sizes are not proportional to
// it; those of the sales nearly are.
constexpr std::string_view scale_by_sales = "SELECT round(count(*) / 2.88e6, 3) FROM store_sales";

// Of the keys by which the two large tables are divided among processes, or joined.
constexpr std::string_view hottest_key =
    "SELECT max(share) FROM (SELECT max(n) / sum(n) AS share FROM (SELECT count(*) AS n FROM lineitem GROUP BY "
    "l_orderkey) UNION ALL SELECT max(n) / sum(n) FROM (SELECT count(*) AS n FROM lineitem GROUP BY l_partkey) "
    "UNION ALL SELECT max(n) / sum(n) FROM (SELECT count(*) AS n FROM orders GROUP BY o_custkey))";

constexpr std::array suites = {
    Suite{"tpch", "TPC-H", "tpch", 22, true, all_tables, scale_by_orders, hottest_key, "dbgen",
          [](double scale) { return std::vector{fmt::format("CALL dbgen(sf = {})", scale)}; }},
    Suite{"tpcds", "TPC-DS", "tpcds", 99, false, all_tables, scale_by_sales, "", "dsdgen",
          [](double scale) { return std::vector{fmt::format("CALL dsdgen(sf = {})", scale)}; }},
    Suite{"jcch", "JCC-H", "tpch", 22, false, all_tables, scale_by_orders, hottest_key, "dbgen", jcch_statements}};

}  // namespace

const Suite& olap_suite(std::string_view name) {
  for (const Suite& suite : suites) {
    if (suite.name == name) return suite;
  }
  throw Error(Errc::bad_config, fmt::format("suite '{}' is unknown", name),
              fmt::format("choose among {}", fmt::join(olap_suites(), ", ")));
}

}  // namespace charm::workloads
