// The program of an instance of DuckDB, duckdb_instance.py, as text.
#pragma once

#include <string_view>

namespace charm::deploy {

extern const std::string_view duckdb_instance;

}  // namespace charm::deploy
