#include "duckdb/attached.hpp"

#include <charm/adaptive.hpp>
#include <charm/error.hpp>
#include <charm/runtime.hpp>
#include <charm/stats.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <set>
#include <stop_token>
#include <thread>
#include <utility>

#include "duckdb/statements.hpp"

namespace charm::duckdb::detail {
namespace {

// DuckDB's own threads have what the system gives a thread, 8 MiB as a rule. TPC-H's tasks touch up to 60 KiB of their
// stacks; expressions that are nested deeply, and extensions, may need more.
constexpr std::uint64_t least_stack = std::uint64_t{1} << 20U;
constexpr std::size_t usual_stack = std::size_t{2} << 20U;

/// The databases that are attached, by handle.
struct AttachedDatabases {
  std::mutex mutex;
  std::set<Database> all;
};
AttachedDatabases& attached_databases() {
  static auto* all = new AttachedDatabases;
  return *all;
}

void enter_database(Database database) {
  const std::lock_guard lock(attached_databases().mutex);
  if (!attached_databases().all.insert(database).second) {
    throw Error(Errc::bad_config, "the database is attached already", "use the attachment that there is, or detach it");
  }
}

void leave_database(Database database) noexcept {
  const std::lock_guard lock(attached_databases().mutex);
  attached_databases().all.erase(database);
}

void refuse_tasks(const char* what) {
  if (worker_id() >= 0) {
    throw Error(Errc::bad_config, std::string(what) + " was called inside a task",
                "call it outside: DuckDB's threads would inherit the worker's affinity mask");
  }
}

/// Starts or joins the runtime; one that it starts has stacks that are large enough, unless a setting says otherwise.
void begin_runtime() {
  const bool configured = std::getenv("CHARM_STACK_BYTES") != nullptr || std::getenv("CHARM_CONFIG") != nullptr;
  if (initialized() || configured) {
    init();
  } else {
    init({.stack_bytes = usual_stack});
  }
  run([] {});  // a worker that has not begun has no stack yet
  std::uint64_t stacks = 0;
  std::uint64_t bytes = 0;
  for (const StackPoolStats& pool : stats().stack_pools) {
    stacks += pool.stacks;
    bytes += pool.bytes;
  }
  if (stacks == 0 || bytes / stacks >= least_stack) return;
  finalize();
  throw Error(
      Errc::bad_config,
      "tasks have stacks of " + std::to_string(bytes / stacks / 1024) + " KiB, and DuckDB's need 1 MiB at least",
      "set stack_bytes to 2M (CHARM_STACK_BYTES=2M) before charm::init()");
}

std::string setting(const Functions& functions, Connection connection, const char* name) {
  return ask(functions, connection, "SELECT value FROM duckdb_settings() WHERE name = '" + std::string(name) + "'");
}

void set(const Functions& functions, Connection connection, const char* name, const std::string& value) {
  ask(functions, connection, "SET GLOBAL " + std::string(name) + " = " + value);
}

/// Sets threads and external threads. There may never be more external ones than threads, so the order depends.
void set_threads(const Functions& functions, Connection connection, const std::string& threads,
                 const std::string& external) {
  const std::string now = setting(functions, connection, "threads");
  // None of DuckDB's own while there are as many as now: raising the number first would start threads for nothing.
  if (std::stoll(external) <= std::stoll(now)) {
    set(functions, connection, "external_threads", external);
    set(functions, connection, "threads", threads);
  } else {
    set(functions, connection, "threads", threads);
    set(functions, connection, "external_threads", external);
  }
}

/// What a query that was told to end fails with is not DuckDB's reason.
[[noreturn]] void fail(const Connections::Turn& turn, const QueryOptions& options, const char* message) {
  if (turn.closing()) throw Error(Errc::cancelled, "the connection was closed", "");
  if (options.stop.stop_requested()) throw Error(Errc::cancelled, "the query was stopped", "");
  throw failure(message);
}

}  // namespace

class Attached::Call {
 public:
  explicit Call(const Attached& attached) : lock_(attached.use_) {
    if (attached.detached_) throw Error(Errc::not_running, "the database is detached", "attach it again");
  }

 private:
  std::shared_lock<charm::shared_mutex> lock_;
};

Attached::Attached(Database database, const Options& options, Library library)
    : library_(std::move(library)), functions_(library_.functions()), database_(database) {
  refuse_tasks("charm::duckdb::attach()");
  if (database == nullptr) throw Error(Errc::bad_input, "the database is null", "open it by duckdb_open first");
  enter_database(database);
  bool runtime = false;
  try {
    begin_runtime();
    runtime = true;
    most_ = num_workers();
    check_workers(options.workers, "Options::workers");
    if (options.workers > 0) most_ = options.workers;
    if (functions_.connect(database, &control_) != 0) {
      throw Error(Errc::bad_input, "DuckDB gives no connection to the database", "is it open?");
    }
    take_threads(most_);
    tasks_ = functions_.create_task_state(database);
    crew_ = std::make_unique<Crew>(functions_, tasks_, options, most_);
  } catch (...) {
    if (tasks_ != nullptr) functions_.destroy_task_state(tasks_);
    if (control_ != nullptr) functions_.disconnect(&control_);
    if (runtime) finalize();
    leave_database(database);
    throw;
  }
}

Attached::~Attached() {
  if (detached_) return;
  // Only where detach() could not: see ~Attachment.
  crew_.reset();
  try {
    give_threads_back();
    finalize();
  } catch (const Error&) {  // the reason is the one that detach() gave
  }
  functions_.destroy_task_state(tasks_);
  functions_.disconnect(&control_);
  leave_database(database_);
}

void Attached::take_threads(int workers) {
  former_.threads = setting(functions_, control_, "threads");
  former_.external = setting(functions_, control_, "external_threads");
  former_.async = setting(functions_, control_, "async_threads");
  const std::string number = std::to_string(workers);
  try {
    set_threads(functions_, control_, number, number);
    if (!former_.async.empty()) set(functions_, control_, "async_threads", "0");
  } catch (const Error& error) {
    try {
      give_threads_back();
    } catch (const Error&) {  // the first error is the one to tell
    }
    throw Error(error.code(), "DuckDB does not give its tasks away: " + std::string(error.what()),
                "open the database without lock_configuration, or set threads and external_threads there");
  }
}

void Attached::give_threads_back() {
  if (!former_.async.empty()) set(functions_, control_, "async_threads", former_.async);
  set_threads(functions_, control_, former_.threads, former_.external);
}

void Attached::check_workers(int workers, const char* what) const {
  if (workers >= 0 && workers <= most_) return;
  throw Error(Errc::bad_config,
              std::string(what) + " is " + std::to_string(workers) + " and " + std::to_string(most_) +
                  (most_ == 1 ? " worker runs" : " workers run") + " tasks of the database",
              "give 0 to " + std::to_string(most_));
}

void Attached::query(Connection connection, const std::string& sql, Result* result, const QueryOptions& options) {
  const Call call(*this);
  check_workers(options.workers, "QueryOptions::workers");
  Connections::Turn turn(connections_, connection);
  bool failed = true;
  OwnedResult last(functions_);
  try {
    if (imports_database(sql)) {
      run_by_duckdb(turn, connection, sql, &last, options);
    } else {
      run_all(turn, connection, sql, &last, options);
    }
    failed = false;
  } catch (...) {
    count(failed);
    throw;
  }
  count(failed);
  if (result != nullptr) *result = last.take();
}

void Attached::execute(Connection connection, Statement statement, Result* result, const QueryOptions& options) {
  const Call call(*this);
  check_workers(options.workers, "QueryOptions::workers");
  Connections::Turn turn(connections_, connection);
  OwnedResult taken(functions_);
  try {
    run(turn, connection, statement, &taken, options);
  } catch (...) {
    count(true);
    throw;
  }
  count(false);
  if (result != nullptr) *result = taken.take();
}

void Attached::count(bool failed) noexcept {
  queries_.fetch_add(1, std::memory_order_relaxed);
  if (failed) failed_.fetch_add(1, std::memory_order_relaxed);
}

void Attached::run_all(Connections::Turn& turn, Connection connection, const std::string& sql, OwnedResult* result,
                       const QueryOptions& options) {
  OwnedStatements statements(functions_);
  const std::uint64_t number = functions_.extract_statements(connection, sql.c_str(), statements.out());
  if (number == 0) {
    const char* why = statements.get() != nullptr ? functions_.extract_statements_error(statements.get()) : nullptr;
    throw failure(why != nullptr ? why : "there is no statement in the text");
  }
  for (std::uint64_t i = 0; i < number; ++i) {
    OwnedStatement statement(functions_);
    if (functions_.prepare_extracted_statement(connection, statements.get(), i, statement.out()) != 0) {
      throw failure(functions_.prepare_error(statement.get()));
    }
    run(turn, connection, statement.get(), result, options);
  }
}

/// DuckDB makes of IMPORT DATABASE a transaction of several statements, which it rolls back itself only where it runs
/// them all. The calling thread works on it, and the workers join as for any query of DuckDB's own functions.
void Attached::run_by_duckdb(Connections::Turn& turn, Connection connection, const std::string& sql,
                             OwnedResult* result, const QueryOptions& options) {
  // Again and again: an interruption that comes before a statement begins is forgotten.
  std::jthread interrupter([&](const std::stop_token& ended) {
    constexpr auto look = std::chrono::milliseconds(10);
    for (; !ended.stop_requested(); std::this_thread::sleep_for(look)) {
      if (turn.closing() || options.stop.stop_requested()) functions_.interrupt(connection);
    }
  });
  const bool failed = functions_.query(connection, sql.c_str(), result->out()) != 0;
  interrupter = {};
  if (failed) fail(turn, options, functions_.result_error(result->get()));
}

void Attached::run(Connections::Turn& turn, Connection connection, Statement statement, OwnedResult* result,
                   const QueryOptions& options) {
  std::optional<region> named;
  if (!options.name.empty()) named.emplace(options.name);
  OwnedPending pending(functions_);
  if (functions_.pending_prepared(statement, pending.out()) != 0) {
    fail(turn, options, functions_.pending_error(pending.get()));
  }
  // From here on an interruption counts; one that came before was forgotten when the query began.
  const auto interrupt = [&] { functions_.interrupt(connection); };
  const std::stop_callback stop(options.stop, interrupt);
  if (turn.closing()) interrupt();
  crew_->finish(connection, options.workers);
  // Nothing is left but to collect the result, or the error.
  if (functions_.execute_pending(pending.get(), result->out()) != 0) {
    fail(turn, options, functions_.result_error(result->get()));
  }
}

// Not a Call: detach() may be waiting for the very query that this ends.
void Attached::close(Connection* connection) { connections_.close(functions_, connection); }

void Attached::set_workers(int workers) {
  const Call call(*this);
  check_workers(workers, "the number of workers");
  crew_->set_limit(workers > 0 ? workers : most_);
}

int Attached::workers() const {
  const Call call(*this);
  return crew_->limit();
}

Statistics Attached::statistics() const {
  const std::shared_lock lock(use_);
  Statistics now = last_;
  if (!detached_) {
    now.workers = crew_->counts();
    now.in_vain = crew_->in_vain();
    now.arenas = crew_->arenas();
  }
  now.queries = queries_.load(std::memory_order_relaxed);
  now.failed = failed_.load(std::memory_order_relaxed);
  return now;
}

void Attached::detach() {
  refuse_tasks("Attachment::detach()");
  const std::unique_lock lock(use_);
  if (detached_) return;
  last_.workers = crew_->counts();
  last_.in_vain = crew_->in_vain();
  last_.arenas = crew_->arenas();
  crew_.reset();
  detached_ = true;
  functions_.destroy_task_state(tasks_);
  leave_database(database_);
  std::optional<Error> refused;
  try {
    give_threads_back();
  } catch (const Error& error) {
    refused = error;
  }
  functions_.disconnect(&control_);
  finalize();
  if (refused) throw *refused;
}

}  // namespace charm::duckdb::detail
