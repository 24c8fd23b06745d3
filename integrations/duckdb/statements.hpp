// Statements, pending results and results of DuckDB that free themselves, and DuckDB's messages as errors.
#pragma once

#include <charm/error.hpp>

#include <cstdint>
#include <string>
#include <string_view>

#include "duckdb/functions.hpp"

namespace charm::duckdb {

/// DuckDB's message in one line, without the blank lines and the pointer under the query that some have.
std::string one_line(const char* message);

/// DuckDB's message as an error, whose kind is what the message begins with ("Constraint Error: ...").
QueryError failure(const char* message);

/// Whether a statement of the text is IMPORT DATABASE, as far as its words tell.
bool imports_database(std::string_view sql);

/// Runs SQL by DuckDB itself, in the calling thread. \returns the value in the first row and column as text; empty if
/// there is none. \throws QueryError.
std::string ask(const Functions& functions, Connection connection, const std::string& sql);

/// One of DuckDB's handles, destroyed at the end.
template <class Handle, void (*Functions::*destroy)(Handle*)>
class Owned {
 public:
  explicit Owned(const Functions& functions) noexcept : functions_(functions) {}
  ~Owned() {
    if (handle_ != nullptr) (functions_.*destroy)(&handle_);
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  Handle* out() noexcept { return &handle_; }
  [[nodiscard]] Handle get() const noexcept { return handle_; }

 private:
  const Functions& functions_;
  Handle handle_ = nullptr;
};

using OwnedStatements = Owned<Statements, &Functions::destroy_extracted>;
using OwnedStatement = Owned<Statement, &Functions::destroy_prepare>;
using OwnedChunk = Owned<Chunk, &Functions::destroy_data_chunk>;
using OwnedPending = Owned<Pending, &Functions::destroy_pending>;

/// A result that is destroyed at the end unless somebody has taken it.
class OwnedResult {
 public:
  explicit OwnedResult(const Functions& functions) noexcept : functions_(functions) {}
  ~OwnedResult() { clear(); }
  OwnedResult(const OwnedResult&) = delete;
  OwnedResult& operator=(const OwnedResult&) = delete;
  /// Where DuckDB puts a result; what was there is destroyed.
  Result* out() noexcept {
    clear();
    filled_ = true;
    return &result_;
  }
  Result* get() noexcept { return &result_; }
  /// Gives the result away.
  Result take() noexcept {
    filled_ = false;
    return result_;
  }

 private:
  void clear() noexcept {
    if (filled_) functions_.destroy_result(&result_);
    filled_ = false;
    result_ = {};
  }
  const Functions& functions_;
  Result result_{};
  bool filled_ = false;
};

}  // namespace charm::duckdb
