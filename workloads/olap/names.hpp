// The names of what can be run of TPC-H, without anything that runs: for a command line that offers them.
#pragma once

#include <string>
#include <vector>

namespace charm::workloads {

/// "q1" to "q22".
inline std::vector<std::string> tpch_queries() {
  std::vector<std::string> names;
  for (int i = 1; i <= 22; ++i) names.push_back("q" + std::to_string(i));
  return names;
}

/// Who runs them: CHARM's workers, and DuckDB's own threads without and with its setting pin_threads.
inline std::vector<std::string> tpch_runtimes() { return {"charm", "duckdb", "duckdb-pinned"}; }

}  // namespace charm::workloads
