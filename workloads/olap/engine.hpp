// Where DuckDB's library and its extensions are.
#pragma once

#include <string>

namespace charm::workloads {

struct DuckdbFiles {
  std::string library;  ///< path of libduckdb.so, or its name where the system has it
  std::string folder;   ///< of tpch.duckdb_extension and tpcds.duckdb_extension; empty: DuckDB finds them itself
};

/// \param folder that has both files; empty: what scripts/setup engines has installed ($CHARM_ENGINES/duckdb, or
/// charm/engines/duckdb in the folder for data of the user), else the system's library. \throws Error (bad_input) where
/// `folder` lacks one of them; where there is nothing, it says what to install.
DuckdbFiles find_duckdb(const std::string& folder);

/// Where generated databases are kept: charm in the user's cache folder. \throws Error (bad_config) without one.
std::string olap_cache();

}  // namespace charm::workloads
