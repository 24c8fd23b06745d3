// The names of what can be run of the analytical suites, without anything that runs: for a command line that offers
// them.
#pragma once

#include <string>
#include <vector>

namespace charm::workloads {

/// TPC-H, TPC-DS, and TPC-H with skew as in JCC-H.
inline std::vector<std::string> olap_suites() { return {"tpch", "tpcds", "jcch"}; }

/// "q1" to "q22", to "q99" for TPC-DS.
inline std::vector<std::string> olap_queries(const std::string& suite) {
  std::vector<std::string> names;
  const int count = suite == "tpcds" ? 99 : 22;
  for (int i = 1; i <= count; ++i) names.push_back("q" + std::to_string(i));
  return names;
}

/// Who runs them: CHARM's workers, and DuckDB's own threads without and with its setting pin_threads.
inline std::vector<std::string> olap_runtimes() { return {"charm", "duckdb", "duckdb-pinned"}; }

}  // namespace charm::workloads
