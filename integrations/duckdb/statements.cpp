#include "duckdb/statements.hpp"

#include <string_view>

namespace charm::duckdb {

std::string one_line(const char* message) {
  std::string_view text = message == nullptr ? "DuckDB gives no reason" : message;
  // The second paragraph of a parser's message shows the query with a pointer below it.
  const std::size_t paragraph = text.find("\n\n");
  if (paragraph != std::string_view::npos) text = text.substr(0, paragraph);
  std::string line(text);
  for (char& c : line) c = c == '\n' ? ' ' : c;
  return line;
}

Error failure(const char* message) {
  const std::string text = one_line(message);
  if (text.starts_with("INTERRUPT")) return {Errc::cancelled, "the query was interrupted", ""};
  return {Errc::bad_input, "DuckDB: " + text, ""};
}

std::string ask(const Functions& functions, Connection connection, const std::string& sql) {
  OwnedResult result(functions);
  if (functions.query(connection, sql.c_str(), result.out()) != 0) throw failure(functions.result_error(result.get()));
  if (functions.row_count(result.get()) == 0 || functions.column_count(result.get()) == 0) return "";
  char* value = functions.value_varchar(result.get(), 0, 0);
  if (value == nullptr) return "";
  std::string text = value;
  functions.free(value);
  return text;
}

}  // namespace charm::duckdb
