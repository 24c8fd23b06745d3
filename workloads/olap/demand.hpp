// What a query asks of a machine, whoever runs it: read from DuckDB's profile of it (EXPLAIN (ANALYZE, FORMAT json)).
#pragma once

#include <cstdint>
#include <string>

namespace charm::workloads {

struct OlapDemand {
  double busy_s = 0;                    ///< of all threads together, in operators
  std::uint64_t scanned_bytes = 0;      ///< rows of tables that were scanned, in the columns that the query has of them
  std::uint64_t working_set_bytes = 0;  ///< allocated: hash tables, sorted runs and the like, not the tables
  std::uint64_t moved_rows = 0;         ///< into joins, groups and sorts: what processes would exchange
  std::uint64_t moved_bytes = 0;        ///< of these rows
  int exchanges = 0;                    ///< joins, groups and sorts
};

/// All zero where the profile is not JSON; what a DuckDB does not tell is zero.
OlapDemand demand_of(const std::string& profile);

}  // namespace charm::workloads
