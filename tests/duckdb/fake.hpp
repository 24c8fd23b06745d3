// A DuckDB of a few lines, behind the functions of its C interface: databases with settings and a queue of tasks,
// connections, and queries of stages of tasks, where the last task of a stage schedules the next stage, as DuckDB's
// pipelines do. A query's text says what it is: "stages 3 tasks 8 us 50", with "fail" (its second stage throws, or its
// first where it has one) and "hold" (its tasks wait for release()). What must never happen is counted as an offence.
#pragma once

#include <charm/duckdb.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "duckdb/functions.hpp"

namespace charm::duckdb::fake {

Library library();

/// A database with DuckDB's defaults, closed at the end.
class Db {
 public:
  Db();
  ~Db();
  Db(const Db&) = delete;
  Db& operator=(const Db&) = delete;
  [[nodiscard]] Database get() const { return handle_; }
  [[nodiscard]] Connection connect() const;
  [[nodiscard]] std::string setting(const std::string& name) const;
  /// Further changes of settings fail, as with lock_configuration.
  void lock();
  /// A task that no query of an attachment has: another thread's.
  void schedule_alone(std::atomic<int>& ran) const;

 private:
  Database handle_;
};

/// Called once, by the worker that next finds no task, before it is told so.
void at_next_empty_look(std::function<void()> call);
/// Number of queries that have begun.
int begun();

/// Lets tasks of "hold" go on, now and later; hold() stops them again.
void release();
void hold();

struct Seen {
  std::atomic<int> tasks{0};     ///< that have run to their end
  std::atomic<int> running{0};   ///< at the moment
  std::atomic<int> most{0};      ///< at a time, since reset()
  std::atomic<int> offences{0};  ///< tasks outside of workers; a query begun or closed while one runs; errors of order
  std::atomic<int> interrupts{0};   ///< calls of duckdb_interrupt
  std::atomic<int> arenas{0};       ///< of the fake jemalloc, ever made
  std::atomic<int> arena_moves{0};  ///< a thread has left its arena for another one
};
Seen& seen();
void reset();

}  // namespace charm::duckdb::fake
