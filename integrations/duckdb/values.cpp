#include "duckdb/values.hpp"

#include <charm/duckdb.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "duckdb/statements.hpp"

namespace charm::duckdb {
namespace {

// duckdb_type, by its numbers in duckdb.h.
enum Type : std::uint32_t {
  boolean = 1,
  tinyint = 2,
  smallint = 3,
  integer = 4,
  bigint = 5,
  utinyint = 6,
  usmallint = 7,
  uinteger = 8,
  ubigint = 9,
  real = 10,
  double_ = 11,
  date = 13,
  hugeint = 16,
  varchar = 17,
  decimal = 19,
  sql_null = 36
};

struct Column {
  std::uint32_t type = 0;
  int scale = 0;  ///< digits behind the point of a decimal
  const char* data = nullptr;
  const std::uint64_t* valid = nullptr;  ///< a bit for each row; null: none is NULL
};

template <class T>
T at(const Column& column, std::uint64_t row) {
  T value{};
  std::memcpy(&value, column.data + row * sizeof(T), sizeof(T));
  return value;
}

std::string digits(unsigned __int128 value) {
  std::string text;
  do {
    text += static_cast<char>('0' + static_cast<int>(value % 10));
    value /= 10;
  } while (value != 0);
  std::reverse(text.begin(), text.end());
  return text;
}

/// \param scale how many of the digits are behind the point.
std::string whole(__int128 value, int scale = 0) {
  const bool negative = value < 0;
  const auto size = static_cast<unsigned __int128>(value);
  std::string text = digits(negative ? -size : size);
  if (scale > 0) {
    const auto behind = static_cast<std::size_t>(scale);
    if (text.size() <= behind) text.insert(0, behind + 1 - text.size(), '0');
    text.insert(text.size() - behind, 1, '.');
  }
  return negative ? "-" + text : text;
}

template <class T>
std::string floating(T value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::array<char, 64> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  std::string all(text.data(), end);
  return all.find_first_of(".e") == std::string::npos ? all + ".0" : all;
}

/// \param days since 1970-01-01. Howard Hinnant's civil_from_days.
std::string date_text(std::int32_t days) {
  constexpr std::int32_t infinity = 2147483647;
  if (days == infinity) return "infinity";
  if (days == -infinity) return "-infinity";
  const std::int64_t shifted = std::int64_t{days} + 719468;
  const std::int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
  const std::int64_t of_era = shifted - era * 146097;
  const std::int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  const std::int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
  const std::int64_t month = (5 * of_year + 2) / 153;
  const std::int64_t day = of_year - (153 * month + 2) / 5 + 1;
  const std::int64_t number = month < 10 ? month + 3 : month - 9;
  const std::int64_t civil = year + era * 400 + (number <= 2 ? 1 : 0);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04lld-%02lld-%02lld%s",
                static_cast<long long>(civil > 0 ? civil : 1 - civil), static_cast<long long>(number),
                static_cast<long long>(day), civil > 0 ? "" : " (BC)");
  return text.data();
}

/// duckdb_string_t: up to 12 bytes are in it, longer text is elsewhere.
std::string string_text(const Column& column, std::uint64_t row) {
  constexpr std::size_t size = 16, inlined = 12;
  const char* value = column.data + row * size;
  std::uint32_t length = 0;
  std::memcpy(&length, value, sizeof length);
  if (length <= inlined) return {value + sizeof length, length};
  const char* elsewhere = nullptr;
  std::memcpy(static_cast<void*>(&elsewhere), value + 8, sizeof elsewhere);
  return {elsewhere, length};
}

std::string text_of(const Column& column, std::uint64_t row) {
  switch (column.type) {
    case boolean:
      return at<std::uint8_t>(column, row) != 0 ? "true" : "false";
    case tinyint:
      return whole(at<std::int8_t>(column, row), column.scale);
    case smallint:
      return whole(at<std::int16_t>(column, row), column.scale);
    case integer:
      return whole(at<std::int32_t>(column, row), column.scale);
    case bigint:
      return whole(at<std::int64_t>(column, row), column.scale);
    case hugeint:
      return whole(at<__int128>(column, row), column.scale);
    case utinyint:
      return whole(at<std::uint8_t>(column, row));
    case usmallint:
      return whole(at<std::uint16_t>(column, row));
    case uinteger:
      return whole(at<std::uint32_t>(column, row));
    case ubigint:
      return whole(at<std::uint64_t>(column, row));
    case real:
      return floating(at<float>(column, row));
    case double_:
      return floating(at<double>(column, row));
    case date:
      return date_text(at<std::int32_t>(column, row));
    case varchar:
      return string_text(column, row);
    default:
      throw QueryError(
          Errc::bad_input, Failure::unsupported,
          "values of DuckDB's type " + std::to_string(column.type) + " are not read here; cast the column to VARCHAR");
  }
}

Column column_of(const Functions& functions, Vector vector) {
  Column column;
  LogicalType type = functions.vector_get_column_type(vector);
  column.type = functions.get_type_id(type);
  if (column.type == decimal) {
    column.scale = functions.decimal_scale(type);
    column.type = functions.decimal_internal_type(type);
  }
  functions.destroy_logical_type(&type);
  column.data = static_cast<const char*>(functions.vector_get_data(vector));
  column.valid = functions.vector_get_validity(vector);
  return column;
}

bool is_null(const Column& column, std::uint64_t row) {
  return column.type == sql_null ||
         (column.valid != nullptr && (column.valid[row / 64] >> (row % 64) & std::uint64_t{1}) == 0);
}

}  // namespace

std::vector<Row> rows_of(const Functions& functions, Result& result) {
  std::vector<Row> rows;
  for (;;) {
    OwnedChunk chunk(functions);
    *chunk.out() = functions.fetch_chunk(result);
    if (chunk.get() == nullptr) return rows;
    const std::uint64_t count = functions.data_chunk_get_size(chunk.get());
    const std::size_t before = rows.size();
    rows.resize(before + count);
    const std::uint64_t columns = functions.data_chunk_get_column_count(chunk.get());
    for (std::uint64_t c = 0; c < columns; ++c) {
      const Column column = column_of(functions, functions.data_chunk_get_vector(chunk.get(), c));
      for (std::uint64_t row = 0; row < count; ++row) {
        Row& values = rows[before + row];
        if (is_null(column, row)) {
          values.emplace_back();
        } else {
          values.emplace_back(text_of(column, row));
        }
      }
    }
  }
}

std::string first_value(const Functions& functions, Result& result) {
  const std::vector<Row> rows = rows_of(functions, result);
  return rows.empty() || rows.front().empty() ? "" : rows.front().front().value_or("");
}

}  // namespace charm::duckdb
