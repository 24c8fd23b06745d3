#include "fake.hpp"

#include <charm/runtime.hpp>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <vector>

namespace charm::duckdb::fake {
namespace {

struct FakeDatabase {
  std::mutex mutex;
  std::map<std::string, std::string> settings = {{"threads", "4"}, {"external_threads", "1"}};
  bool locked = false;
  std::deque<std::function<void()>> queue;
};

struct Query {
  int stages = 1, tasks = 1, us = 0;
  bool fail = false, held = false;
  std::atomic<int> stage{0}, left{0};
  std::atomic<bool> done{false}, failed{false}, interrupted{false};
  std::string error;
};

struct FakeConnection {
  FakeDatabase* database;
  std::shared_ptr<Query> active;
};

struct FakeStatement {
  FakeConnection* connection;
  std::string sql;
};

struct FakePending {
  FakeConnection* connection;
  std::shared_ptr<Query> query;
};

struct Answer {
  std::string text;
  bool rows = false;
  char value[16] = {};  // a duckdb_string_t
};

std::atomic<bool> open{true};
std::atomic<int> queries_begun{0};
std::mutex empty_look_mutex;
std::function<void()> empty_look;

FakeDatabase* of(Database database) { return reinterpret_cast<FakeDatabase*>(database); }
FakeConnection* of(Connection connection) { return reinterpret_cast<FakeConnection*>(connection); }
FakeStatement* of(Statement statement) { return reinterpret_cast<FakeStatement*>(statement); }
FakePending* of(Pending pending) { return reinterpret_cast<FakePending*>(pending); }
std::vector<std::string>* of(Statements statements) { return reinterpret_cast<std::vector<std::string>*>(statements); }
void give(Result* result, const std::string& text, bool rows) { result->pointers[2] = new Answer{text, rows}; }
Answer* of(Result* result) { return static_cast<Answer*>(result->pointers[2]); }

void enqueue(FakeDatabase* database, std::function<void()> task) {
  const std::lock_guard lock(database->mutex);
  database->queue.push_back(std::move(task));
}

void spend(const Query& query) {
  if (query.interrupted) return;
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(query.us);
  while (std::chrono::steady_clock::now() < end) {
  }
  while (query.held && !open && !query.interrupted) std::this_thread::sleep_for(std::chrono::microseconds(200));
}

void begin_stage(FakeDatabase* database, const std::shared_ptr<Query>& query);

void run_task(FakeDatabase* database, const std::shared_ptr<Query>& query, int stage) {
  if (worker_id() < 0 || query->stage != stage) ++seen().offences;
  const int now = ++seen().running;
  int most = seen().most;
  while (now > most && !seen().most.compare_exchange_weak(most, now)) {
  }
  spend(*query);
  if (query->interrupted || (query->fail && stage == std::min(1, query->stages - 1))) {
    if (!query->failed.exchange(true))
      query->error = query->interrupted ? "INTERRUPT Error: Interrupted!" : "Out of Memory Error: not\nso much";
  }
  --seen().running;
  ++seen().tasks;
  if (--query->left > 0 || query->failed) return;
  if (stage + 1 == query->stages) {
    query->done = true;
  } else {
    query->stage = stage + 1;
    begin_stage(database, query);
  }
}

void begin_stage(FakeDatabase* database, const std::shared_ptr<Query>& query) {
  query->left = query->tasks;
  const int stage = query->stage;
  for (int i = 0; i < query->tasks; ++i) enqueue(database, [=] { run_task(database, query, stage); });
}

State run_setting(FakeDatabase* database, const std::string& sql, Result* result) {
  const std::lock_guard lock(database->mutex);
  if (sql.starts_with("SELECT value FROM duckdb_settings")) {
    const auto from = sql.find('\'') + 1;
    const auto found = database->settings.find(sql.substr(from, sql.rfind('\'') - from));
    give(result, found != database->settings.end() ? found->second : "", found != database->settings.end());
    return 0;
  }
  std::istringstream words(sql);
  std::string set, global, name, is, value;
  words >> set >> global >> name >> is >> value;
  auto changed = database->settings;
  changed[name] = value;
  if (database->locked || std::stoi(changed["threads"]) < std::stoi(changed["external_threads"])) {
    give(result, "Invalid Input Error: cannot change", false);
    return 1;
  }
  database->settings = changed;
  give(result, "", false);
  return 0;
}

State prepare(Connection connection, Statements statements, std::uint64_t index, Statement* out) {
  const std::string& sql = (*of(statements))[index];
  *out = reinterpret_cast<Statement>(new FakeStatement{of(connection), sql});
  return sql.find("nonsense") == std::string::npos ? 0 : 1;
}

State pend(Statement statement, Pending* out) {
  FakeConnection* connection = of(statement)->connection;
  if (connection->active != nullptr) ++seen().offences;
  auto query = std::make_shared<Query>();
  std::istringstream words(of(statement)->sql);
  for (std::string word; words >> word;) {
    if (word == "stages") words >> query->stages;
    if (word == "tasks") words >> query->tasks;
    if (word == "us") words >> query->us;
    if (word == "fail") query->fail = true;
    if (word == "hold") query->held = true;
  }
  connection->active = query;
  *out = reinterpret_cast<Pending>(new FakePending{connection, query});
  if (query->stages == 0) {
    query->done = true;
  } else {
    begin_stage(connection->database, query);
  }
  ++queries_begun;
  return 0;
}

State collect(Pending pending, Result* result) {
  const auto query = of(pending)->query;
  if (!query->done && !query->failed) ++seen().offences;
  of(pending)->connection->active = nullptr;
  give(result, query->failed ? query->error : "42", !query->failed);
  return query->failed ? 1 : 0;
}

std::uint64_t run_tasks(TaskState state, std::uint64_t most) {
  auto* database = static_cast<FakeDatabase*>(state);
  std::uint64_t ran = 0;
  for (; ran < most; ++ran) {
    std::function<void()> task;
    {
      const std::lock_guard lock(database->mutex);
      if (database->queue.empty()) break;
      task = std::move(database->queue.front());
      database->queue.pop_front();
    }
    task();
  }
  if (ran == 0) {
    std::function<void()> call;
    {
      const std::lock_guard lock(empty_look_mutex);
      call = std::exchange(empty_look, nullptr);
    }
    if (call) call();
  }
  return ran;
}

/// What an attachment asks of mallctl(3).
int mallctl(const char* name, void* old, std::size_t* /*old_size*/, void* value, std::size_t /*size*/) {
  thread_local unsigned arena_of_thread = 0;
  if (std::strcmp(name, "arenas.create") == 0) {
    *static_cast<unsigned*>(old) = static_cast<unsigned>(++seen().arenas);
    return 0;
  }
  if (std::strcmp(name, "thread.arena") != 0) return ENOENT;
  if (old != nullptr) *static_cast<unsigned*>(old) = arena_of_thread;
  if (value == nullptr) return 0;
  const unsigned next = *static_cast<unsigned*>(value);
  if (next != arena_of_thread) ++seen().arena_moves;
  arena_of_thread = next;
  return 0;
}

Functions table() {
  Functions f;
  f.library_version = [] { return "v0.fake"; };
  f.connect = [](Database database, Connection* out) -> State {
    *out = reinterpret_cast<Connection>(new FakeConnection{of(database), nullptr});
    return 0;
  };
  f.disconnect = [](Connection* connection) {
    if (of(*connection)->active != nullptr) ++seen().offences;
    delete of(*connection);
    *connection = nullptr;
  };
  f.interrupt = [](Connection connection) {
    ++seen().interrupts;
    if (auto query = of(connection)->active) query->interrupted = true;
  };
  f.free = std::free;
  f.query = [](Connection connection, const char* sql, Result* result) {
    return run_setting(of(connection)->database, sql, result);
  };
  f.destroy_result = [](Result* result) {
    delete of(result);
    *result = {};
  };
  f.result_error = [](Result* result) -> const char* { return of(result)->text.c_str(); };
  // A chunk is the answer's own, with a column of one text.
  f.fetch_chunk = [](Result result) -> Chunk {
    Answer* answer = of(&result);
    return reinterpret_cast<Chunk>(std::exchange(answer->rows, false) ? answer : nullptr);
  };
  f.destroy_data_chunk = [](Chunk* chunk) { *chunk = nullptr; };
  f.data_chunk_get_size = [](Chunk) -> std::uint64_t { return 1; };
  f.data_chunk_get_column_count = [](Chunk) -> std::uint64_t { return 1; };
  f.data_chunk_get_vector = [](Chunk chunk, std::uint64_t) { return reinterpret_cast<Vector>(chunk); };
  f.vector_get_column_type = [](Vector) -> LogicalType { return nullptr; };
  f.vector_get_data = [](Vector vector) -> void* {
    auto* answer = reinterpret_cast<Answer*>(vector);
    const auto size = static_cast<std::uint32_t>(answer->text.size());
    std::memcpy(answer->value, &size, sizeof size);
    if (size <= 12) {
      std::memcpy(answer->value + 4, answer->text.data(), size);
    } else {
      const char* text = answer->text.data();
      std::memcpy(answer->value + 8, &text, sizeof text);
    }
    return answer->value;
  };
  f.vector_get_validity = [](Vector) -> std::uint64_t* { return nullptr; };
  f.get_type_id = [](LogicalType) -> std::uint32_t { return 17; };  // VARCHAR
  f.destroy_logical_type = [](LogicalType*) {};
  f.extract_statements = [](Connection /*connection*/, const char* sql, Statements* out) -> std::uint64_t {
    auto* all = new std::vector<std::string>;
    std::istringstream text(sql);
    for (std::string one; std::getline(text, one, ';');) all->push_back(one);
    *out = reinterpret_cast<Statements>(all);
    return all->size();
  };
  f.extract_statements_error = [](Statements) -> const char* { return nullptr; };
  f.destroy_extracted = [](Statements* statements) { delete of(*statements); };
  f.prepare_extracted_statement = prepare;
  f.prepare_error = [](Statement) { return "Binder Error: nonsense"; };
  f.destroy_prepare = [](Statement* statement) { delete of(*statement); };
  f.pending_prepared = pend;
  f.pending_error = [](Pending) { return "none"; };
  f.execute_pending = collect;
  f.destroy_pending = [](Pending* pending) { delete of(*pending); };
  f.execution_is_finished = [](Connection connection) {
    const auto query = of(connection)->active;
    return query != nullptr && (query->done || query->failed);
  };
  f.create_task_state = [](Database database) -> TaskState { return of(database); };
  f.execute_n_tasks_state = run_tasks;
  f.finish_execution = [](TaskState) {};
  f.destroy_task_state = [](TaskState) {};
  f.mallctl = mallctl;
  return f;
}

}  // namespace

Library library() { return Library(std::make_shared<Functions>(table())); }

Db::Db() : handle_(reinterpret_cast<Database>(new FakeDatabase)) {}
Db::~Db() { delete of(handle_); }
Connection Db::connect() const { return reinterpret_cast<Connection>(new FakeConnection{of(handle_), nullptr}); }
std::string Db::setting(const std::string& name) const { return of(handle_)->settings[name]; }
void Db::lock() { of(handle_)->locked = true; }
void Db::schedule_alone(std::atomic<int>& ran) const {
  enqueue(of(handle_), [&ran] {
    if (worker_id() < 0) ++seen().offences;
    ++ran;
  });
}

void at_next_empty_look(std::function<void()> call) {
  const std::lock_guard lock(empty_look_mutex);
  empty_look = std::move(call);
}
int begun() { return queries_begun; }

void release() { open = true; }
void hold() { open = false; }

Seen& seen() {
  static Seen all;
  return all;
}

void reset() {
  seen().tasks = seen().running = seen().most = seen().offences = seen().interrupts = 0;
  release();
}

}  // namespace charm::duckdb::fake
