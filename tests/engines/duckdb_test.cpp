// A real, unmodified libduckdb on CHARM's workers: right answers under every policy and while workers move, and nothing
// else lost where a query is cancelled, runs out of memory, or loses its connection. Left out, with the reason, where
// DuckDB is not installed (scripts/setup engines).
#include <charm/charm.hpp>
#include <charm/duckdb.hpp>
#include <charm/stats.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <future>
#include <iterator>
#include <sched.h>
#include <set>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_code.hpp"
#include "controller/controller.hpp"
#include "duckdb/statements.hpp"
#include "duckdb/values.hpp"
#include "workloads/olap/engine.hpp"
#include "workloads/olap/olap.hpp"

namespace {

using namespace charm::duckdb;
using namespace std::chrono_literals;
using charm::Errc;
using charm::test::error_of;
using charm::workloads::DuckdbFiles;
using charm::workloads::Olap;

// Minutes of work on one core, which nobody lets end.
constexpr const char* endless =
    "SELECT count(*) FROM range(3000000) a, range(3000000) b WHERE a.range * b.range % 7 = 3";
constexpr const char* short_one = "SELECT sum(range % 1000) FROM range(2000000)";
constexpr const char* short_answer = "999000000";

std::set<int> threads_of_process() {
  std::set<int> ids;
  for (const auto& each : std::filesystem::directory_iterator("/proc/self/task"))
    ids.insert(std::stoi(each.path().filename().string()));
  return ids;
}

void start_runtime(const std::string& policy = "local") {
  charm::init({.workers = 2, .policy = policy, .share_cores = true, .stack_bytes = std::size_t{2} << 20U});
}

class Engine : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    try {
      files_ = charm::workloads::find_duckdb("");
      library_.emplace(Library::load(files_.library));
    } catch (const charm::Error& error) {
      reason_ = error.what();
    }
  }
  void SetUp() override {
    if (!library_) GTEST_SKIP() << reason_;
  }
  static const Functions& duckdb() { return library_->functions(); }

  static inline DuckdbFiles files_;
  static inline std::optional<Library> library_;
  static inline std::string reason_;
};

/// An open database in memory.
class Memory {
 public:
  explicit Memory(const Functions& duckdb) : duckdb_(duckdb) {
    char* why = nullptr;
    EXPECT_EQ(duckdb.open_ext(nullptr, &handle_, nullptr, &why), 0) << why;
  }
  ~Memory() { duckdb_.close(&handle_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  Connection connect() {
    Connection connection = nullptr;
    EXPECT_EQ(duckdb_.connect(handle_, &connection), 0);
    return connection;
  }
  [[nodiscard]] Database get() const { return handle_; }

 private:
  const Functions& duckdb_;
  Database handle_ = nullptr;
};

class Attached : public Engine {
 protected:
  void SetUp() override {
    Engine::SetUp();
    if (IsSkipped()) return;
    start_runtime();
    db_.emplace(duckdb());
    attachment_.emplace(attach(db_->get(), {}, *library_));
  }
  void TearDown() override {
    if (!db_) return;
    attachment_.reset();
    db_.reset();
    charm::finalize();
  }
  std::string ask(Connection connection, const std::string& sql) {
    Result result;
    attachment_->query(connection, sql, &result);
    const std::string text = first_value(duckdb(), result);
    duckdb().destroy_result(&result);
    return text;
  }
  Failure failure_of(Connection connection, const std::string& sql) {
    try {
      attachment_->query(connection, sql);
    } catch (const QueryError& error) {
      return error.failure();
    }
    ADD_FAILURE() << sql << " does not fail";
    return Failure::other;
  }
  void still_works() {
    Connection connection = db_->connect();
    EXPECT_EQ(ask(connection, short_one), short_answer);
    attachment_->close(&connection);
  }
  [[nodiscard]] std::uint64_t tasks() const {
    std::uint64_t sum = 0;
    for (const auto& worker : attachment_->statistics().workers) sum += worker.tasks;
    return sum;
  }
  /// Until a query that was started since there were `before` tasks is in the middle: its first pipelines have ended.
  void wait_for_tasks(std::uint64_t before) const {
    while (tasks() == before) std::this_thread::sleep_for(1ms);
  }
  std::optional<Memory> db_;
  std::optional<Attachment> attachment_;
};

TEST_F(Attached, DuckdbHasNoThreadAndTheWorkersRunItsTasks) {
  const auto before = threads_of_process();
  Connection connection = db_->connect();
  EXPECT_EQ(ask(connection, short_one), short_answer);
  EXPECT_EQ(ask(connection, "SELECT current_setting('threads')"), "2");
  EXPECT_EQ(threads_of_process(), before);
  EXPECT_GT(tasks(), 0U);
  EXPECT_EQ(attachment_->statistics().arenas, duckdb().mallctl != nullptr);
  attachment_->close(&connection);
}

TEST_F(Attached, ACancelledQueryLosesNothingElse) {
  Connection one = db_->connect();
  Connection other = db_->connect();
  std::stop_source stop;
  auto ended = std::async(std::launch::async, [&] {
    return error_of([&] { attachment_->query(one, endless, nullptr, {.stop = stop.get_token()}); }).code();
  });
  std::this_thread::sleep_for(50ms);
  stop.request_stop();
  EXPECT_EQ(ask(other, short_one), short_answer);
  EXPECT_EQ(ended.get(), Errc::cancelled);
  EXPECT_EQ(ask(one, short_one), short_answer);  // the same connection goes on
  // By DuckDB's own function, too.
  ended = std::async(std::launch::async, [&] { return error_of([&] { attachment_->query(one, endless); }).code(); });
  while (ended.wait_for(5ms) == std::future_status::timeout) duckdb().interrupt(one);
  EXPECT_EQ(ended.get(), Errc::cancelled);
  attachment_->close(&one);
  attachment_->close(&other);
}

TEST_F(Attached, AQueryOutOfMemoryLosesNothingElse) {
  Connection connection = db_->connect();
  Connection other = db_->connect();
  attachment_->query(connection, "SET memory_limit = '40MB'; SET temp_directory = ''");
  for (int i = 0; i < 3; ++i) {
    auto beside = std::async(std::launch::async, [&] { return ask(other, "SELECT count(*) FROM range(1000000)"); });
    const auto error = error_of([&] {
      attachment_->query(connection, "SELECT count(*) FROM (SELECT DISTINCT hash(range), range FROM range(9000000))");
    });
    EXPECT_EQ(error.code(), Errc::out_of_memory);
    EXPECT_NE(std::string(error.what()).find("Out of Memory"), std::string::npos) << error.what();
    EXPECT_EQ(beside.get(), "1000000");
  }
  EXPECT_EQ(ask(connection, short_one), short_answer);
  attachment_->close(&connection);
  attachment_->close(&other);
}

TEST_F(Attached, AConnectionThatIsClosedInTheMiddleOfAQueryLosesNothingElse) {
  for (int i = 0; i < 5; ++i) {
    Connection closed = db_->connect();
    Connection other = db_->connect();
    const std::uint64_t before = tasks();
    auto ended = std::async(std::launch::async,
                            [this, closed] { return error_of([&] { attachment_->query(closed, endless); }).code(); });
    wait_for_tasks(before);
    auto beside = std::async(std::launch::async, [this, other] { return ask(other, short_one); });
    std::this_thread::sleep_for(std::chrono::milliseconds(10 * i));
    attachment_->close(&closed);
    EXPECT_EQ(ended.get(), Errc::cancelled);
    EXPECT_EQ(beside.get(), short_answer);
    attachment_->close(&other);
  }
  still_works();
}

TEST_F(Attached, ATransactionThatFailsIsRolledBack) {
  Connection connection = db_->connect();
  attachment_->query(connection, "CREATE TABLE t (i INTEGER PRIMARY KEY); INSERT INTO t SELECT range FROM range(1000)");
  attachment_->query(connection, "BEGIN; DELETE FROM t WHERE i < 500");
  EXPECT_EQ(error_of([&] { attachment_->query(connection, "INSERT INTO t VALUES (999)"); }).code(), Errc::bad_input);
  attachment_->query(connection, "ROLLBACK");
  EXPECT_EQ(ask(connection, "SELECT count(*) FROM t"), "1000");
  attachment_->close(&connection);
}

// DuckDB makes a transaction of it, which it leaves when it runs all by itself.
TEST_F(Attached, AFailedImportLeavesNoTransaction) {
  Connection connection = db_->connect();
  const std::string folder = testing::TempDir() + "charm-import-" + std::to_string(getpid());
  attachment_->query(connection,
                     "CREATE TABLE t AS SELECT range AS i FROM range(10); EXPORT DATABASE '" + folder + "'");
  const std::string import = "Import /* all */ DATABASE '" + folder + "'";
  EXPECT_EQ(failure_of(connection, import), Failure::name) << "the table is there already";
  EXPECT_EQ(ask(connection, "SELECT count(*) FROM t"), "10");
  attachment_->query(connection, "DROP TABLE t; " + import);
  EXPECT_EQ(ask(connection, "SELECT count(*) FROM t"), "10");
  attachment_->query(connection, "BEGIN");  // one of the program's own is the program's to end
  EXPECT_EQ(failure_of(connection, import), Failure::name);
  EXPECT_EQ(failure_of(connection, "SELECT 1"), Failure::transaction);
  attachment_->query(connection, "ROLLBACK");
  attachment_->close(&connection);
  std::filesystem::remove_all(folder);
}

TEST_F(Attached, FailuresAreToldApart) {
  Connection one = db_->connect();
  Connection other = db_->connect();
  attachment_->query(one,
                     "CREATE TABLE t (i INTEGER PRIMARY KEY, k INTEGER CHECK (k > 0)); INSERT INTO t VALUES (1, 1)");
  for (const auto& [sql, kind] :
       {std::pair("SELEC 1", Failure::syntax), std::pair("SELECT nothing", Failure::name),
        std::pair("FROM nowhere", Failure::name), std::pair("SELECT 'a'::INTEGER", Failure::value),
        std::pair("SELECT 200::TINYINT", Failure::value), std::pair("INSERT INTO t VALUES (1, 1)", Failure::constraint),
        std::pair("INSERT INTO t VALUES (2, 0)", Failure::constraint), std::pair("COMMIT", Failure::transaction),
        std::pair("FROM '/nowhere.csv'", Failure::input_output)}) {
    EXPECT_EQ(failure_of(one, sql), kind) << sql;
  }
  attachment_->query(one, "BEGIN; UPDATE t SET k = 2");
  attachment_->query(other, "BEGIN");
  const auto conflict = [&] { attachment_->query(other, "UPDATE t SET k = 3"); };
  EXPECT_EQ(error_of(conflict).code(), Errc::conflict);
  EXPECT_EQ(failure_of(other, "SELECT 1"), Failure::transaction) << "aborted";
  attachment_->query(one, "COMMIT");
  attachment_->query(other, "ROLLBACK");
  conflict();  // again, and it is free
  EXPECT_EQ(ask(one, "SELECT k FROM t"), "3");
  attachment_->close(&one);
  attachment_->close(&other);
}

TEST_F(Attached, IsRefusedTwiceAndGivesTheThreadsBack) {
  EXPECT_EQ(error_of([&] { attach(db_->get(), {}, *library_); }).code(), Errc::bad_config);
  Connection connection = db_->connect();
  attachment_->detach();
  EXPECT_EQ(charm::duckdb::ask(duckdb(), connection, "SELECT current_setting('external_threads')"), "1");
  EXPECT_EQ(charm::duckdb::ask(duckdb(), connection, short_one), short_answer);
  attachment_.emplace(attach(db_->get(), {}, *library_));
  EXPECT_EQ(ask(connection, short_one), short_answer);
  attachment_->close(&connection);
}

TEST_F(Attached, DetachesWhileAQueryRuns) {
  Connection connection = db_->connect();
  for (int i = 0; i < 5; ++i) {
    auto answer = std::async(std::launch::async, [&] { return ask(connection, short_one); });
    std::this_thread::sleep_for(std::chrono::milliseconds(i));
    attachment_->detach();
    try {
      EXPECT_EQ(answer.get(), short_answer);
    } catch (const charm::Error& error) {  // it came too late
      EXPECT_EQ(error.code(), Errc::not_running);
    }
    EXPECT_EQ(charm::duckdb::ask(duckdb(), connection, short_one), short_answer);
    attachment_.emplace(attach(db_->get(), {}, *library_));
  }
  attachment_->close(&connection);
}

TEST_F(Attached, HelpsQueriesThatOtherThreadsRunByDuckdbsOwnFunction) {
  Connection connection = db_->connect();
  attachment_->query(connection, "CREATE TABLE t AS SELECT range AS i FROM range(1000000)");
  // The thread of the query works on it, and takes one of its two tasks; those that are counted are the workers'.
  const std::uint64_t before = tasks();
  auto ended = std::async(std::launch::async, [&] {
    const char* sql = "SELECT count(*) FROM t a, t b WHERE a.i * b.i % 7 = 3";
    EXPECT_THROW(charm::duckdb::ask(duckdb(), connection, sql), charm::Error);
  });
  std::this_thread::sleep_for(300ms);
  while (ended.wait_for(5ms) == std::future_status::timeout) duckdb().interrupt(connection);
  EXPECT_GT(tasks(), before);
  attachment_->close(&connection);
}

TEST_F(Attached, ServesSeveralConnectionsAndDatabases) {
  Memory second(duckdb());
  Attachment beside = attach(second.get(), {}, *library_);
  std::vector<std::future<void>> all;
  for (int t = 0; t < 4; ++t) {
    all.push_back(std::async(std::launch::async, [&, t] {
      Memory& db = t % 2 == 0 ? *db_ : second;
      Attachment& attachment = t % 2 == 0 ? *attachment_ : beside;
      Connection connection = db.connect();
      for (int i = 0; i < 10; ++i) {
        Result result;
        attachment.query(connection, short_one, &result);
        EXPECT_EQ(first_value(duckdb(), result), short_answer);
        duckdb().destroy_result(&result);
      }
      attachment.close(&connection);
    }));
  }
  for (auto& each : all) each.get();
}

class OfTpch : public Engine {
 protected:
  static Olap open() { return Olap::open({.scale = .1, .workers = 2}); }
  static void run_all(Olap& tpch) {
    for (int q = 1; q <= 22; ++q) {
      const auto run = tpch.run("q" + std::to_string(q), {.runtime = "charm", .workers = 2});
      EXPECT_TRUE(run.verified) << run.kernel << ": " << run.detail;
    }
  }
};

TEST_F(OfTpch, AllAnswersAreThePublishedOnesUnderEveryPolicy) {
  Olap tpch = open();
  EXPECT_NE(tpch.describe().find("published"), std::string::npos) << tpch.describe();
  for (const auto policy : charm::controller::policy_names()) {
    SCOPED_TRACE(policy);
    try {
      start_runtime(std::string(policy));
    } catch (const charm::Error& error) {
      EXPECT_EQ(error.code(), Errc::refused) << error.what();  // literal refuses some machines
      continue;
    }
    run_all(tpch);
    charm::finalize();
  }
}

// Two ways to move workers: the cpus that the process may use change, which the runtime follows by new placements, and
// the threads are bound elsewhere behind its back, in the middle of DuckDB's tasks.
TEST_F(OfTpch, AnswersAreRightWhileWorkersMoveAHundredTimesASecond) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof allowed, &allowed);
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &allowed)) cpus.push_back(cpu);
  }
  if (cpus.size() < 2) GTEST_SKIP() << "there is one cpu only";
  Olap tpch = open();
  const auto others = threads_of_process();
  charm::init({.workers = 2, .stack_bytes = std::size_t{2} << 20U, .watch_ms = 5});
  std::atomic<bool> stop{false};
  int moves = 0;
  const auto begin = std::chrono::steady_clock::now();
  std::thread mover([&] {
    for (std::size_t i = 0; !stop; ++i, std::this_thread::sleep_for(5ms)) {
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(cpus[i % cpus.size()], &one);
      if (i % 3 == 0) CPU_SET(cpus[(i + 1) % cpus.size()], &one);
      for (const int thread : threads_of_process()) {
        if (others.contains(thread) && thread != *others.begin()) continue;
        if (sched_setaffinity(thread, sizeof one, &one) == 0) ++moves;
      }
    }
  });
  run_all(tpch);
  run_all(tpch);
  stop = true;
  mover.join();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  EXPECT_GT(moves / seconds, 100);
  RecordProperty("moves_per_second", static_cast<int>(moves / seconds));
  sched_setaffinity(0, sizeof allowed, &allowed);
  charm::finalize();
  sched_setaffinity(0, sizeof allowed, &allowed);
}

TEST_F(OfTpch, AWrongAnswerIsSeen) {
  Olap tpch = open();
  EXPECT_EQ(error_of([&] { tpch.run("q23", {.runtime = "duckdb", .workers = 2}); }).code(), Errc::bad_config);
  EXPECT_TRUE(tpch.run("q6", {.runtime = "duckdb", .workers = 2}).verified);
  EXPECT_TRUE(tpch.run("q6", {.runtime = "duckdb-pinned", .workers = 2}).verified);
}

}  // namespace
