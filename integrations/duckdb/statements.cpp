#include "duckdb/statements.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "duckdb/values.hpp"

namespace charm::duckdb {
namespace {

struct Prefix {
  std::string_view text;
  Failure kind;
};

/// DuckDB's names of its types of exceptions; those that are missing are `other`.
constexpr std::array prefixes = {
    Prefix{"Parser Error", Failure::syntax},
    Prefix{"Syntax Error", Failure::syntax},
    Prefix{"Catalog Error", Failure::name},
    Prefix{"Binder Error", Failure::name},
    Prefix{"Dependency Error", Failure::name},
    Prefix{"Conversion Error", Failure::value},
    Prefix{"Out of Range Error", Failure::value},
    Prefix{"Mismatch Type Error", Failure::value},
    Prefix{"Divide by Zero Error", Failure::value},
    Prefix{"Invalid type Error", Failure::value},
    Prefix{"Invalid Input Error", Failure::value},
    Prefix{"Constraint Error", Failure::constraint},
    Prefix{"Out of Memory Error", Failure::memory},
    Prefix{"Object Size Error", Failure::memory},
    Prefix{"IO Error", Failure::input_output},
    Prefix{"HTTP Error", Failure::input_output},
    Prefix{"Network Error", Failure::input_output},
    Prefix{"Permission Error", Failure::permission},
    Prefix{"Not implemented Error", Failure::unsupported},
    Prefix{"Missing Extension Error", Failure::unsupported},
    Prefix{"Extension Autoloading Error", Failure::unsupported},
    Prefix{"INTERRUPT", Failure::interrupted},
    Prefix{"INTERNAL Error", Failure::internal},
    Prefix{"FATAL Error", Failure::internal},
};

/// Errors of transactions have one type and differ in their texts.
Failure kind_of(std::string_view text) {
  if (text.starts_with("TransactionContext Error")) {
    const auto says = [&](std::string_view part) { return text.find(part) != std::string_view::npos; };
    if (says("onflict")) return Failure::conflict;
    return says("onstraint") ? Failure::constraint : Failure::transaction;
  }
  const auto* found =
      std::find_if(prefixes.begin(), prefixes.end(), [&](const Prefix& each) { return text.starts_with(each.text); });
  return found != prefixes.end() ? found->kind : Failure::other;
}

Errc code_of(Failure kind) {
  switch (kind) {
    case Failure::conflict:
      return Errc::conflict;
    case Failure::memory:
      return Errc::out_of_memory;
    case Failure::interrupted:
      return Errc::cancelled;
    case Failure::input_output:
    case Failure::internal:
      return Errc::system;
    default:
      return Errc::bad_input;
  }
}

bool begins_with_word(std::string_view text, std::string_view word) {
  if (text.size() < word.size()) return false;
  const auto lower = [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); };
  return std::equal(word.begin(), word.end(), text.begin(), [&](char a, char b) { return a == lower(b); });
}

/// What follows blanks and comments.
std::string_view after_blanks(std::string_view text) {
  for (;;) {
    const std::size_t begin = std::min(text.find_first_not_of(" \t\r\n\f\v"), text.size());
    text.remove_prefix(begin);
    if (!text.starts_with("--") && !text.starts_with("/*")) return text;
    const std::string_view ends = text.starts_with("--") ? "\n" : "*/";
    const std::size_t end = text.find(ends);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + ends.size());
  }
}

}  // namespace

std::string one_line(const char* message) {
  std::string_view text = message == nullptr ? "DuckDB gives no reason" : message;
  // The second paragraph of a parser's message shows the query with a pointer below it.
  const std::size_t paragraph = text.find("\n\n");
  if (paragraph != std::string_view::npos) text = text.substr(0, paragraph);
  std::string line(text);
  for (char& c : line) c = c == '\n' ? ' ' : c;
  return line;
}

QueryError failure(const char* message) {
  const std::string text = one_line(message);
  const Failure kind = kind_of(text);
  if (kind == Failure::interrupted) return {Errc::cancelled, kind, "the query was interrupted"};
  return {code_of(kind), kind, "DuckDB: " + text};
}

bool imports_database(std::string_view sql) {
  constexpr std::string_view first = "import", second = "database";
  for (std::size_t at = 0; at + first.size() <= sql.size(); ++at) {
    if (!begins_with_word(sql.substr(at), first)) continue;
    if (begins_with_word(after_blanks(sql.substr(at + first.size())), second)) return true;
  }
  return false;
}

std::string ask(const Functions& functions, Connection connection, const std::string& sql) {
  OwnedResult result(functions);
  if (functions.query(connection, sql.c_str(), result.out()) != 0) throw failure(functions.result_error(result.get()));
  return first_value(functions, *result.get());
}

}  // namespace charm::duckdb
