// DuckDB's C interface as far as it is used, as a table of functions. The types are those of duckdb.h 1.2 and later by
// layout; an ABI that DuckDB promises to keep. So nothing of DuckDB is needed to build, and tests bring a table of
// their own.
#pragma once

#include <charm/duckdb.hpp>

#include <cstddef>
#include <cstdint>

struct _duckdb_config;                // NOLINT(bugprone-reserved-identifier)
struct _duckdb_extracted_statements;  // NOLINT(bugprone-reserved-identifier)
struct _duckdb_pending_result;        // NOLINT(bugprone-reserved-identifier)
struct _duckdb_data_chunk;            // NOLINT(bugprone-reserved-identifier)
struct _duckdb_vector;                // NOLINT(bugprone-reserved-identifier)
struct _duckdb_logical_type;          // NOLINT(bugprone-reserved-identifier)

namespace charm::duckdb {

using Database = _duckdb_database*;
using Connection = _duckdb_connection*;
using Statement = _duckdb_prepared_statement*;
using Statements = _duckdb_extracted_statements*;
using Pending = _duckdb_pending_result*;
using Settings = _duckdb_config*;
using Chunk = _duckdb_data_chunk*;
using Vector = _duckdb_vector*;
using LogicalType = _duckdb_logical_type*;
using Result = detail::ResultLayout;
using TaskState = void*;
using State = int;  ///< duckdb_state: 0 is success

// name, what it returns, parameters
#define CHARM_DUCKDB_FUNCTIONS(X)                                                              \
  X(library_version, const char*, ())                                                          \
  X(open_ext, State, (const char* path, Database* database, Settings settings, char** error))  \
  X(close, void, (Database * database))                                                        \
  X(connect, State, (Database database, Connection * connection))                              \
  X(disconnect, void, (Connection * connection))                                               \
  X(interrupt, void, (Connection connection))                                                  \
  X(create_config, State, (Settings * settings))                                               \
  X(set_config, State, (Settings settings, const char* name, const char* value))               \
  X(destroy_config, void, (Settings * settings))                                               \
  X(free, void, (void* memory))                                                                \
  X(query, State, (Connection connection, const char* sql, Result* result))                    \
  X(destroy_result, void, (Result * result))                                                   \
  X(result_error, const char*, (Result * result))                                              \
  X(fetch_chunk, Chunk, (Result result))                                                       \
  X(destroy_data_chunk, void, (Chunk * chunk))                                                 \
  X(data_chunk_get_size, std::uint64_t, (Chunk chunk))                                         \
  X(data_chunk_get_column_count, std::uint64_t, (Chunk chunk))                                 \
  X(data_chunk_get_vector, Vector, (Chunk chunk, std::uint64_t column))                        \
  X(vector_get_column_type, LogicalType, (Vector vector))                                      \
  X(vector_get_data, void*, (Vector vector))                                                   \
  X(vector_get_validity, std::uint64_t*, (Vector vector))                                      \
  X(get_type_id, std::uint32_t, (LogicalType type))                                            \
  X(decimal_scale, std::uint8_t, (LogicalType type))                                           \
  X(decimal_internal_type, std::uint32_t, (LogicalType type))                                  \
  X(destroy_logical_type, void, (LogicalType * type))                                          \
  X(extract_statements, std::uint64_t, (Connection connection, const char* sql, Statements*))  \
  X(extract_statements_error, const char*, (Statements statements))                            \
  X(destroy_extracted, void, (Statements * statements))                                        \
  X(prepare_extracted_statement, State,                                                        \
    (Connection connection, Statements statements, std::uint64_t index, Statement* statement)) \
  X(prepare_error, const char*, (Statement statement))                                         \
  X(destroy_prepare, void, (Statement * statement))                                            \
  X(pending_prepared, State, (Statement statement, Pending * pending))                         \
  X(pending_error, const char*, (Pending pending))                                             \
  X(execute_pending, State, (Pending pending, Result * result))                                \
  X(destroy_pending, void, (Pending * pending))                                                \
  X(execution_is_finished, bool, (Connection connection))                                      \
  X(create_task_state, TaskState, (Database database))                                         \
  X(execute_n_tasks_state, std::uint64_t, (TaskState state, std::uint64_t most))               \
  X(finish_execution, void, (TaskState state))                                                 \
  X(destroy_task_state, void, (TaskState state))

struct Functions {
#define CHARM_DUCKDB_MEMBER(name, returned, parameters) returned(*name) parameters = nullptr;
  CHARM_DUCKDB_FUNCTIONS(CHARM_DUCKDB_MEMBER)
#undef CHARM_DUCKDB_MEMBER

  /// mallctl(3) of the jemalloc that libduckdb brings; null where it has none.
  int (*mallctl)(const char* name, void* old, std::size_t* old_size, void* value, std::size_t size) = nullptr;
};

}  // namespace charm::duckdb
