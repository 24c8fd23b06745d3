// An attachment against a fake DuckDB, which counts what must never happen.
#include <charm/charm.hpp>
#include <charm/duckdb.hpp>

#include <chrono>
#include <functional>
#include <future>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_code.hpp"
#include "duckdb/values.hpp"
#include "fake.hpp"

namespace {

using namespace charm::duckdb;
using namespace std::chrono_literals;
namespace fake = charm::duckdb::fake;
using charm::Errc;
using charm::test::error_of;

constexpr int workers = 3;

class Duckdb : public testing::Test {
 protected:
  void SetUp() override {
    fake::reset();
    charm::init({.workers = workers, .share_cores = true, .stack_bytes = std::size_t{1} << 20U});
  }
  void TearDown() override {
    charm::finalize();
    EXPECT_EQ(fake::seen().offences, 0);
    EXPECT_EQ(fake::seen().running, 0);
  }
  Attachment attach(const Options& options = {.watch_ms = 0}) {
    return charm::duckdb::attach(db.get(), options, fake::library());
  }
  fake::Db db;
};

std::string answer(const Library& library, Result& result) {
  std::string all = first_value(library.functions(), result);
  library.functions().destroy_result(&result);
  return all;
}

void wait_for(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + 20s;
  bool met = false;  // asked no further once it has been: what was true may have ended
  while (!(met = condition()) && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(1ms);
  ASSERT_TRUE(met);
}

TEST_F(Duckdb, TakesTheDatabasesThreadsAndGivesThemBack) {
  {
    Attachment attachment = attach();
    EXPECT_EQ(db.setting("threads"), "3");
    EXPECT_EQ(db.setting("external_threads"), "3");
    EXPECT_EQ(attachment.workers(), 3);
  }
  EXPECT_EQ(db.setting("threads"), "4");
  EXPECT_EQ(db.setting("external_threads"), "1");
}

// jemalloc gives all free pages of an arena back to the kernel when its last thread leaves it. While threads changed
// arenas for each task, every buffer of a query came from new pages, which took a tenth of TPC-H's time.
TEST_F(Duckdb, AThreadKeepsItsArenaBetweenTasks) {
  fake::seen().arena_moves = 0;
  Attachment attachment = attach();
  auto* connection = db.connect();
  for (int query = 0; query < 10; ++query) attachment.query(connection, "stages 2 tasks 9 us 50", nullptr);
  EXPECT_TRUE(attachment.statistics().arenas);
  EXPECT_GE(fake::seen().arena_moves, 1);
  EXPECT_LE(fake::seen().arena_moves, workers + 1);  // the thread that called init() works as worker 0, too
  attachment.close(&connection);
}

TEST_F(Duckdb, RunsEveryTaskOfEveryStageOnWorkers) {
  Attachment attachment = attach();
  auto* connection = db.connect();
  Result result;
  attachment.query(connection, "stages 4 tasks 7 us 30", &result);
  EXPECT_EQ(answer(fake::library(), result), "42");
  EXPECT_EQ(fake::seen().tasks, 28);
  std::uint64_t counted = 0;
  for (const auto& worker : attachment.statistics().workers) counted += worker.tasks;
  EXPECT_EQ(counted, 28U);
  EXPECT_EQ(attachment.statistics().queries, 1U);
  attachment.close(&connection);
  EXPECT_EQ(connection, nullptr);
}

TEST_F(Duckdb, RunsAllStatementsAndReturnsTheLastResult) {
  Attachment attachment = attach();
  auto* connection = db.connect();
  attachment.query(connection, "tasks 2;stages 0;stages 2 tasks 3");
  EXPECT_EQ(fake::seen().tasks, 8);
  attachment.close(&connection);
}

// Without a watch a lost event is a query that never ends.
TEST_F(Duckdb, LosesNoEventOfManyShortQueriesOfSeveralThreads) {
  Attachment attachment = attach();
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      auto* connection = db.connect();
      for (int i = 0; i < 150; ++i) attachment.query(connection, "stages 3 tasks 2 us 3");
      attachment.close(&connection);
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(fake::seen().tasks, 3 * 150 * 6);
}

// A worker that has found no task, and has not said so yet, is still counted: nobody else is sent for the query that
// begins at that moment.
TEST_F(Duckdb, LosesNoEventThatComesWhileAWorkerLooksInVain) {
  Attachment attachment = attach({.workers = 1, .watch_ms = 0});
  auto* first = db.connect();
  auto* second = db.connect();
  std::future<void> late;
  fake::at_next_empty_look([&] {
    const int before = fake::begun();
    late = std::async(std::launch::async, [&] { attachment.query(second, "tasks 2"); });
    while (fake::begun() == before) std::this_thread::sleep_for(1ms);
    std::this_thread::sleep_for(20ms);  // until it has been announced
  });
  attachment.query(first, "tasks 1");
  wait_for([&] { return late.valid(); });
  EXPECT_EQ(late.wait_for(10s), std::future_status::ready);
  attachment.set_workers(1);  // an event, for a query that was lost
  late.get();
  attachment.close(&first);
  attachment.close(&second);
}

TEST_F(Duckdb, RunsQueriesInsideOfTasks) {
  Attachment attachment = attach();
  charm::run([&] {
    charm::parallel_for(0, 4, [&](int) {
      auto* connection = db.connect();
      attachment.query(connection, "stages 2 tasks 4 us 10");
      attachment.close(&connection);
    });
  });
  EXPECT_EQ(fake::seen().tasks, 32);
}

TEST_F(Duckdb, KeepsToTheNumberOfWorkers) {
  Attachment attachment = attach({.workers = 2, .watch_ms = 0});
  auto* connection = db.connect();
  EXPECT_EQ(db.setting("threads"), "2");
  attachment.query(connection, "stages 3 tasks 12 us 300");
  EXPECT_LE(fake::seen().most, 2);
  // A worker of the query before may just have been about to look for a task when the number fell.
  const auto alone = [&] {
    fake::seen().most = 0;
    attachment.query(connection, "stages 3 tasks 12 us 300", nullptr, {.workers = 1});
    return fake::seen().most == 1;
  };
  EXPECT_TRUE(alone() || alone() || alone());
  EXPECT_EQ(error_of([&] { attachment.set_workers(3); }).code(), Errc::bad_config);
  EXPECT_EQ(error_of([&] { attachment.query(connection, "tasks 1", nullptr, {.workers = -1}); }).code(),
            Errc::bad_config);
  attachment.close(&connection);
}

TEST_F(Duckdb, ChangesTheNumberOfWorkersInTheMiddleOfAQuery) {
  Attachment attachment = attach({.workers = 0, .watch_ms = 0});
  attachment.set_workers(1);
  auto* connection = db.connect();
  std::stop_source stop;  // it would take half a minute
  auto done = std::async(std::launch::async, [&] {
    return error_of([&] { attachment.query(connection, "tasks 100000 us 200", nullptr, {.stop = stop.get_token()}); })
        .code();
  });
  wait_for([] { return fake::seen().tasks > 20; });
  EXPECT_EQ(fake::seen().most, 1);
  attachment.set_workers(3);
  wait_for([] { return fake::seen().most > 1; });
  attachment.set_workers(1);
  wait_for([] {  // once those that are too many have left, no two tasks run at a time
    fake::seen().most = 0;
    std::this_thread::sleep_for(3ms);
    return fake::seen().most == 1;
  });
  stop.request_stop();
  EXPECT_EQ(done.get(), Errc::cancelled);
  attachment.close(&connection);
}

TEST_F(Duckdb, ReportsDuckdbsErrorsInOneLineAndGoesOn) {
  Attachment attachment = attach();
  auto* connection = db.connect();
  const auto failed = error_of([&] { attachment.query(connection, "stages 3 tasks 4 fail"); });
  EXPECT_EQ(failed.code(), Errc::out_of_memory);
  EXPECT_STREQ(failed.what(), "DuckDB: Out of Memory Error: not so much");
  EXPECT_STREQ(error_of([&] { attachment.query(connection, "nonsense"); }).what(), "DuckDB: Binder Error: nonsense");
  EXPECT_EQ(error_of([&] { attachment.query(connection, ""); }).code(), Errc::bad_input);
  EXPECT_EQ(attachment.statistics().failed, 3U);
  attachment.query(connection, "tasks 3");
  attachment.close(&connection);
}

TEST_F(Duckdb, StopsAQueryByItsToken) {
  Attachment attachment = attach();
  auto* connection = db.connect();
  fake::hold();
  std::stop_source stop;
  auto done = std::async(std::launch::async, [&] {
    return error_of([&] { attachment.query(connection, "tasks 5 hold", nullptr, {.stop = stop.get_token()}); }).code();
  });
  wait_for([] { return fake::seen().running > 0; });
  stop.request_stop();
  EXPECT_EQ(done.get(), Errc::cancelled);
  // One that was stopped before it began, too.
  EXPECT_EQ(error_of([&] { attachment.query(connection, "tasks 5 hold", nullptr, {.stop = stop.get_token()}); }).code(),
            Errc::cancelled);
  fake::release();
  attachment.query(connection, "tasks 3");
  attachment.close(&connection);
}

TEST_F(Duckdb, ClosesAConnectionInTheMiddleOfAQueryAndLosesNothingElse) {
  Attachment attachment = attach({.workers = 0, .watch_ms = 0});
  auto* closed = db.connect();
  auto* other = db.connect();
  fake::hold();
  const auto run = [&](_duckdb_connection* connection) {
    return error_of([&] { attachment.query(connection, "tasks 2 hold"); }).code();
  };
  auto first = std::async(std::launch::async, run, closed);
  wait_for([] { return fake::seen().running > 0; });
  auto second = std::async(std::launch::async, run, closed);  // waits for its turn
  std::this_thread::sleep_for(5ms);
  attachment.close(&closed);
  EXPECT_EQ(closed, nullptr);
  EXPECT_EQ(first.get(), Errc::cancelled);
  EXPECT_EQ(second.get(), Errc::cancelled);
  fake::release();
  attachment.query(other, "stages 2 tasks 5");
  attachment.close(&other);
}

TEST_F(Duckdb, EndsTheQueryOfACancelledTaskGroup) {
  Attachment attachment = attach();
  auto* connection = db.connect();
  fake::hold();
  charm::run([&] {
    charm::task_group group;
    group.run(
        [&] { EXPECT_EQ(error_of([&] { attachment.query(connection, "tasks 2 hold"); }).code(), Errc::cancelled); });
    while (fake::seen().running == 0) charm::yield();
    group.cancel();
    group.wait();
  });
  fake::release();
  attachment.query(connection, "tasks 3");
  attachment.close(&connection);
}

TEST_F(Duckdb, FindsTasksThatNobodyAnnounced) {
  Attachment attachment = attach({.watch_ms = 1});
  std::atomic<int> ran{0};
  for (int i = 0; i < 5; ++i) db.schedule_alone(ran);
  wait_for([&] { return ran == 5; });
}

TEST_F(Duckdb, RefusesToAttachTwice) {
  Attachment attachment = attach();
  EXPECT_EQ(error_of([&] { attach(); }).code(), Errc::bad_config);
  auto* connection = db.connect();
  attachment.query(connection, "tasks 3");
  attachment.detach();
  attachment.detach();
  EXPECT_EQ(error_of([&] { attachment.query(connection, "tasks 3"); }).code(), Errc::not_running);
  Attachment again = attach();
  again.query(connection, "tasks 3");
  EXPECT_EQ(fake::seen().tasks, 6);
  again.close(&connection);
}

TEST_F(Duckdb, DetachesWhenTheQueriesThatRunHaveEnded) {
  Attachment attachment = attach();
  auto* connection = db.connect();
  fake::hold();
  auto query = std::async(std::launch::async, [&] { attachment.query(connection, "stages 2 tasks 3 hold"); });
  wait_for([] { return fake::seen().running > 0; });
  auto detached = std::async(std::launch::async, [&] { attachment.detach(); });
  EXPECT_EQ(detached.wait_for(10ms), std::future_status::timeout);
  fake::release();
  query.get();
  detached.get();
  EXPECT_EQ(fake::seen().tasks, 6);
  EXPECT_EQ(db.setting("threads"), "4");
  EXPECT_EQ(attachment.statistics().queries, 1U);
  fake::library().functions().disconnect(&connection);
}

TEST_F(Duckdb, ServesSeveralDatabases) {
  fake::Db second;
  Attachment one = attach();
  Attachment two = charm::duckdb::attach(second.get(), {.watch_ms = 0}, fake::library());
  auto* a = db.connect();
  auto* b = second.connect();
  auto done = std::async(std::launch::async, [&] {
    for (int i = 0; i < 30; ++i) two.query(b, "stages 2 tasks 3 us 20");
  });
  for (int i = 0; i < 30; ++i) one.query(a, "stages 2 tasks 3 us 20");
  done.get();
  EXPECT_EQ(fake::seen().tasks, 360);
  one.close(&a);
  two.close(&b);
}

TEST_F(Duckdb, LeavesADatabaseAloneThatRefuses) {
  db.lock();
  const auto error = error_of([&] { attach(); });
  EXPECT_EQ(error.code(), Errc::bad_input);
  EXPECT_NE(std::string(error.what()).find("lock_configuration"), std::string::npos) << error.what();
  EXPECT_EQ(db.setting("threads"), "4");
}

TEST_F(Duckdb, RefusesTasksAndNoDatabase) {
  EXPECT_EQ(error_of([&] { charm::run([&] { attach(); }); }).code(), Errc::bad_config);
  EXPECT_EQ(error_of([&] { charm::duckdb::attach(nullptr, {}, fake::library()); }).code(), Errc::bad_input);
  EXPECT_EQ(error_of([&] { attach({.workers = 4}); }).code(), Errc::bad_config);
  Attachment attachment = attach();
  EXPECT_EQ(error_of([&] { charm::run([&] { attachment.detach(); }); }).code(), Errc::bad_config);
}

TEST_F(Duckdb, NamesTheFunctionThatAProgramWithoutDuckdbLacks) {
  EXPECT_NE(std::string(error_of([&] { charm::duckdb::attach(db.get()); }).what()).find("duckdb_"), std::string::npos);
  EXPECT_EQ(error_of([] { Library::load("/nowhere/libduckdb.so"); }).code(), Errc::bad_input);
  EXPECT_EQ(error_of([] { Library::load("libm.so.6"); }).code(), Errc::bad_input);
}

TEST(DuckdbWithoutARuntime, StartsOneAndEndsIt) {
  fake::reset();
  fake::Db db;
  ASSERT_FALSE(charm::initialized());
  {
    Attachment attachment = charm::duckdb::attach(db.get(), {}, fake::library());
    EXPECT_TRUE(charm::initialized());
    auto* connection = db.connect();
    attachment.query(connection, "stages 3 tasks 4");
    attachment.close(&connection);
  }
  EXPECT_FALSE(charm::initialized());
  EXPECT_EQ(fake::seen().tasks, 12);
}

TEST(DuckdbWithoutARuntime, RefusesStacksThatAreTooSmall) {
  fake::Db db;
  charm::init({.workers = 1, .stack_bytes = std::size_t{256} << 10U});
  const auto error = error_of([&] { charm::duckdb::attach(db.get(), {}, fake::library()); });
  EXPECT_EQ(error.code(), Errc::bad_config);
  EXPECT_NE(std::string(error.what()).find("stack_bytes"), std::string::npos);
  charm::finalize();
  EXPECT_FALSE(charm::initialized());
  EXPECT_EQ(db.setting("threads"), "4");
}

}  // namespace
