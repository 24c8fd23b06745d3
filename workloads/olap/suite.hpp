// The suites of charm bench olap: TPC-H, TPC-DS, and TPC-H with skew as in JCC-H. A suite is a value: where its data,
// queries and right answers come from. Pure text for DuckDB.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace charm::workloads {

struct Suite {
  std::string_view name;       ///< "tpch", one of olap_suites()
  std::string_view title;      ///< "TPC-H"
  std::string_view extension;  ///< DuckDB's, which generates the data and has the queries: "tpch"
  int queries = 0;             ///< "q1" and so on
  bool published = false;      ///< whether the extension has the answers for such data
  std::string_view tables;     ///< SQL: the names of the tables, for the count of rows
  std::string_view scale;      ///< SQL: the scale factor of a database
  std::string_view hottest;    ///< SQL: the largest share of a table's rows that one key has; empty: not known
  std::string_view generator;  ///< the extension's function that fills the tables: "dbgen"
  /// SQL statements that generate the data.
  std::vector<std::string> (*generate)(double scale) = nullptr;
};

/// \throws Error (bad_config) that lists the suites.
const Suite& olap_suite(std::string_view name);

}  // namespace charm::workloads
