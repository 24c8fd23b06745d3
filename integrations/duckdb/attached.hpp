// A database while CHARM's workers run its tasks: what is behind an Attachment.
#pragma once

#include <charm/duckdb.hpp>
#include <charm/mutex.hpp>
#include <charm/shared_mutex.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <string>

#include "duckdb/connections.hpp"
#include "duckdb/crew.hpp"
#include "duckdb/functions.hpp"
#include "duckdb/statements.hpp"

namespace charm::duckdb::detail {

/// The threads that a database had before.
struct FormerThreads {
  std::string threads, external, async;  // async: empty where this DuckDB has no such setting
};

class Attached {
 public:
  Attached(Database database, const Options& options, Library library);
  ~Attached();
  Attached(const Attached&) = delete;
  Attached& operator=(const Attached&) = delete;

  void query(Connection connection, const std::string& sql, Result* result, const QueryOptions& options);
  void execute(Connection connection, Statement statement, Result* result, const QueryOptions& options);
  void close(Connection* connection);
  void set_workers(int workers);
  [[nodiscard]] int workers() const;
  [[nodiscard]] Statistics statistics() const;
  void detach();

 private:
  /// One call that uses the database; detach() waits for all.
  class Call;

  void take_threads(int workers);
  void give_threads_back();
  void count(bool failed) noexcept;
  void check_workers(int workers, const char* what) const;
  void run_all(Connections::Turn& turn, Connection connection, const std::string& sql, OwnedResult* result,
               const QueryOptions& options);
  void run_by_duckdb(Connections::Turn& turn, Connection connection, const std::string& sql, OwnedResult* result,
                     const QueryOptions& options);
  void run(Connections::Turn& turn, Connection connection, Statement statement, OwnedResult* result,
           const QueryOptions& options);

  const Library library_;
  const Functions& functions_;
  const Database database_;
  int most_ = 0;                  // DuckDB's setting threads: more workers than that never find a task
  Connection control_ = nullptr;  // for settings; it also keeps the database open
  FormerThreads former_;
  TaskState tasks_ = nullptr;
  std::unique_ptr<Crew> crew_;
  Connections connections_;
  mutable charm::shared_mutex use_;  // shared by calls, exclusive for the end
  bool detached_ = false;
  std::atomic<std::uint64_t> queries_{0}, failed_{0};
  Statistics last_;  // of a detached one
};

}  // namespace charm::duckdb::detail
