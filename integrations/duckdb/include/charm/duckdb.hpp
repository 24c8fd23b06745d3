// DuckDB's tasks on CHARM's workers, with an unmodified libduckdb (CHARM §5.6).
//
// DuckDB divides a query into tasks, each of which runs a pipeline on one thread, and lets a program bring the threads
// (its settings `threads` and `external_threads`, and the task states of its C interface). attach() does that for one
// open database: DuckDB's own threads end, and the workers of the runtime run the tasks, placed and moved as for any
// other work. detach() gives the database its threads back.
//
// This header needs neither duckdb.h nor libduckdb: it names DuckDB's handles by their tags, and the functions are
// looked up when attach() is called, in the program itself or in a library that it loads.
#pragma once

#include <charm/error.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <type_traits>
#include <vector>

// What duckdb.h calls *duckdb_database, *duckdb_connection and *duckdb_prepared_statement.
struct _duckdb_database;            // NOLINT(bugprone-reserved-identifier)
struct _duckdb_connection;          // NOLINT(bugprone-reserved-identifier)
struct _duckdb_prepared_statement;  // NOLINT(bugprone-reserved-identifier)

namespace charm::duckdb {

struct Functions;

/// DuckDB's C interface, found in the program or loaded from a file. Copies share it. A library that was loaded stays
/// loaded until the program ends, because DuckDB leaves thread-local objects behind.
class Library {
 public:
  /// The functions that are linked to the program. \throws Error (not_running) where one is missing, by name.
  static Library of_program();
  /// Those of a shared library. \param file its path, or a name that the dynamic linker looks up.
  /// \throws Error (bad_input) if it cannot be loaded or is not DuckDB's, or is older than version 1.2.
  static Library load(const std::string& file);

  /// For tests, which bring functions of their own.
  explicit Library(std::shared_ptr<const Functions> functions) noexcept : functions_(std::move(functions)) {}

  /// As "v1.5.5".
  [[nodiscard]] std::string version() const;
  [[nodiscard]] const Functions& functions() const noexcept { return *functions_; }

 private:
  std::shared_ptr<const Functions> functions_;
};

struct Options {
  /// Most workers that run tasks of this database at a time; 0: all of the runtime.
  int workers = 0;
  /// Milliseconds between two searches for tasks of queries that threads outside of the runtime run by DuckDB's own
  /// functions. Such a thread works on its query itself; the workers join it after that time. 0: never.
  int watch_ms = 10;
  /// Give each worker memory of its own for what DuckDB allocates, on the worker's node. Works where libduckdb brings
  /// jemalloc and shows its functions, as DuckDB's builds for Linux on x86-64 do; elsewhere it does nothing.
  bool arenas = true;
};

struct QueryOptions {
  /// Most workers that run tasks while this query runs; 0: as many as the attachment has. DuckDB has one queue of tasks
  /// for a database, so while several queries run the largest of their numbers counts.
  int workers = 0;
  /// Not empty: the query is a charm::region of this name, so that a controller learns where the workers of such
  /// queries are best placed and begins there the next time. Give queries of a kind the same name, and not each its
  /// own.
  std::string name = {};
  /// Ends the query when stop is requested; it then throws Error (cancelled).
  std::stop_token stop = {};
};

/// What kind of failure DuckDB reports, so that a program can tell what to do about it.
enum class Failure {
  syntax,        ///< the SQL is not understood
  name,          ///< a table, column, function or type that is not there, or is there already
  value,         ///< a value that cannot be converted, is out of range, or has another type
  constraint,    ///< PRIMARY KEY, UNIQUE, CHECK, NOT NULL or FOREIGN KEY
  conflict,      ///< another transaction was faster: roll back and run the transaction again
  transaction,   ///< no transaction to end, one inside another, or an aborted one that has to be rolled back
  memory,        ///< the memory limit was reached
  input_output,  ///< a file or address that cannot be read or written
  permission,    ///< the settings of the database forbid it
  unsupported,   ///< DuckDB cannot do it, or needs an extension
  interrupted,   ///< stopped: see Errc::cancelled
  internal,      ///< DuckDB itself has failed; after a fatal error the database has to be opened anew
  other
};

/// What a query throws. Its code is conflict, out_of_memory, cancelled, system (files and DuckDB itself), and bad_input
/// for the rest.
class QueryError : public Error {
 public:
  QueryError(Errc code, Failure failure, const std::string& problem) : Error(code, problem, ""), failure_(failure) {}
  [[nodiscard]] Failure failure() const noexcept { return failure_; }

 private:
  Failure failure_;
};

/// What one worker has done for an attachment.
struct WorkerTasks {
  std::uint64_t tasks = 0;    ///< tasks of DuckDB that it ran to their end
  std::uint64_t busy_ns = 0;  ///< nanoseconds inside of them
};

/// What happened since attach().
struct Statistics {
  std::vector<WorkerTasks> workers;  ///< by worker of the runtime
  std::uint64_t queries = 0;         ///< queries that ran through the attachment, also those that failed
  std::uint64_t failed = 0;          ///< those among them that ended with an error, cancelled ones too
  std::uint64_t in_vain = 0;         ///< times that a worker looked for a task and found none
  bool arenas = false;               ///< whether workers have memory of their own
};

namespace detail {
class Attached;
/// The size and alignment of duckdb_result, which has been the same since DuckDB 0.3.
struct ResultLayout {
  std::uint64_t counts[3];
  void* pointers[3];
};
template <class T>
concept ResultOfDuckdb = std::is_trivially_copyable_v<T> && sizeof(T) == sizeof(ResultLayout) && alignof(T) == 8;
}  // namespace detail

/// A database whose tasks run on CHARM's workers. Move-only; the destructor detaches. All functions may be called from
/// any thread at any time, except that the object must outlive the calls.
class Attachment {
 public:
  Attachment(Attachment&&) noexcept;
  Attachment& operator=(Attachment&&) noexcept;
  /// As detach(), but an error is reported as a notice of the runtime and not thrown.
  ~Attachment();

  /// Runs SQL on a connection of the database, as duckdb_query does: DuckDB plans it in the calling thread, the workers
  /// run its tasks, and the calling thread waits (the thread that called charm::init() works as worker 0 meanwhile). Of
  /// several statements all run, and the result is the last one's. Queries of one connection run one after the other.
  /// \param result a duckdb_result, to be destroyed by duckdb_destroy_result; null if it is not wanted. Not touched
  /// where the call throws.
  /// \throws QueryError with DuckDB's message if the query fails; Error: cancelled if it was stopped by its options, by
  /// close() or by duckdb_interrupt(); not_running after detach().
  template <detail::ResultOfDuckdb Result>
  void query(_duckdb_connection* connection, const std::string& sql, Result* result, const QueryOptions& options = {}) {
    run_query(connection, sql, result, options);
  }
  /// The same without a result.
  void query(_duckdb_connection* connection, const std::string& sql, std::nullptr_t = nullptr,
             const QueryOptions& options = {}) {
    run_query(connection, sql, nullptr, options);
  }
  /// Runs a statement of `connection` that duckdb_prepare made, with the values that are bound to it.
  template <detail::ResultOfDuckdb Result>
  void execute(_duckdb_connection* connection, _duckdb_prepared_statement* statement, Result* result,
               const QueryOptions& options = {}) {
    run_prepared(connection, statement, result, options);
  }

  /// Cancels what runs on a connection, waits until it has ended, and closes the connection by duckdb_disconnect (which
  /// must not be called while a query runs). Sets the handle to null; other connections are not affected.
  void close(_duckdb_connection** connection);

  /// Changes the number of workers that run tasks of the database, also in the middle of a query: workers that are too
  /// many leave when their task ends. \param workers 1 or more; 0: all. \throws Error (bad_config).
  void set_workers(int workers);
  /// The number in force when no query asks for another.
  [[nodiscard]] int workers() const;

  [[nodiscard]] Statistics statistics() const;

  /// Waits until the queries that run have ended, refuses others, and gives the database the threads that it had
  /// before. A second call does nothing. Call it outside of tasks: DuckDB's threads inherit the mask of the thread that
  /// starts them. \throws Error (bad_config) inside a task; bad_input with DuckDB's message if it refuses its settings.
  void detach();

 private:
  friend Attachment attach(_duckdb_database*, const Options&, const Library&);
  explicit Attachment(std::shared_ptr<detail::Attached> attached) noexcept;
  void run_query(_duckdb_connection* connection, const std::string& sql, void* result, const QueryOptions& options);
  void run_prepared(_duckdb_connection* connection, _duckdb_prepared_statement* statement, void* result,
                    const QueryOptions& options);
  [[nodiscard]] detail::Attached& attached() const;

  std::shared_ptr<detail::Attached> attached_;
};

/// Lets the workers of the runtime run the tasks of an open database. Starts the runtime where it does not run (the
/// setting stack_bytes should be 1M or more then, which attach() asks for where nothing else is set), and keeps it up
/// until detach(). The database must stay open, or at least have connections, until then.
/// \throws Error: bad_config if the database is attached already, inside a task, or if the runtime's tasks have stacks
/// that are too small for DuckDB; bad_input with DuckDB's message if it refuses its settings; those of charm::init().
Attachment attach(_duckdb_database* database, const Options& options, const Library& library);
/// The same with the functions that are linked to the program. \throws as Library::of_program(), too.
Attachment attach(_duckdb_database* database, const Options& options = {});

}  // namespace charm::duckdb
