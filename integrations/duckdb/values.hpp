// The values of a result as text, read by their types from its chunks: DuckDB's older functions that convert values
// (duckdb_value_varchar) are deprecated, give null for half of the types, and end text at a zero byte.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "duckdb/functions.hpp"

namespace charm::duckdb {

using Row = std::vector<std::optional<std::string>>;  ///< nothing: NULL

/// All rows that have not been read yet; numbers as DuckDB prints them, dates as 2024-02-29.
/// \throws QueryError (unsupported) for types other than booleans, numbers, text and dates: CAST(... AS VARCHAR) gives
/// their text.
std::vector<Row> rows_of(const Functions& functions, Result& result);

/// The value in the first row and column; empty if there is none or it is NULL.
std::string first_value(const Functions& functions, Result& result);

}  // namespace charm::duckdb
