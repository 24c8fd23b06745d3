// Transactions on an engine: the adapter, YCSB and TPC-C on every runtime, and databases that were damaged.
#include <charm/error.hpp>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <functional>
#include <string>
#include <tuple>

#include <sys/resource.h>

#include "workloads/executors.hpp"
#include "workloads/oltp/clients.hpp"
#include "workloads/oltp/oltp_bench.hpp"
#include "workloads/oltp/sessions.hpp"
#include "workloads/oltp/tpcc.hpp"
#include "workloads/oltp/tpcc_conditions.hpp"
#include "workloads/oltp/ycsb.hpp"
#include "workloads/oltp_folder.hpp"

namespace charm::workloads::testing {
namespace {

using namespace oltp;

constexpr int sessions = 3;  // CHARM's workers in these tests
const YcsbOptions few_records{2000, 16, 60};
TpccScale small_scale() {
  TpccScale scale;
  scale.warehouses = 2;
  scale.districts = 3;
  scale.customers = 30;
  scale.items = 100;
  return scale;
}

class EngineAdapter : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(OnEveryEngine, EngineAdapter, ::testing::ValuesIn(built_engines()),
                         [](const auto& engine) { return engine.param; });

TEST_P(EngineAdapter, AConflictIsAValueAndRollsBack) {
  const TestFolder folder;
  const auto engine = open_engine(GetParam(), small_engine(folder.path(), {"t"}, true));
  Session& one = engine->session(0);
  Session& two = engine->session(1);
  std::string_view value;
  one.begin();
  ASSERT_EQ(one.insert(0, "k", "1"), Outcome::ok);
  ASSERT_EQ(one.commit(), Outcome::ok);
  one.begin();
  two.begin();
  ASSERT_EQ(one.put(0, "k", "2"), Outcome::ok);
  EXPECT_EQ(two.get(0, "k", value), Outcome::ok);
  EXPECT_EQ(value, "1");  // the snapshot
  EXPECT_EQ(two.put(0, "k", "3"), Outcome::conflict);
  EXPECT_EQ(two.reason(), Reason::write_conflict);
  two.rollback();
  ASSERT_EQ(one.commit(), Outcome::ok);
  two.begin();
  EXPECT_EQ(two.get(0, "k", value), Outcome::ok);
  EXPECT_EQ(value, "2");
  EXPECT_EQ(two.insert(0, "k", "4"), Outcome::duplicate);
  EXPECT_EQ(two.erase(0, "none"), Outcome::not_found);
  EXPECT_EQ(two.erase(0, "k"), Outcome::ok);
  EXPECT_EQ(two.get(0, "k", value), Outcome::not_found);
  two.rollback();
  two.begin();
  EXPECT_EQ(two.get(0, "k", value), Outcome::ok);
  two.rollback();
}

TEST_P(EngineAdapter, ScansInTheOrderOfTheKeys) {
  const TestFolder folder;
  const auto engine = open_engine(GetParam(), small_engine(folder.path(), {"t"}, true));
  Session& session = engine->session(0);
  BulkWriter writer(session);
  for (const char* key : {"b", "d", "a", "\xff"}) writer.add(0, key, key);
  writer.finish();
  session.begin();
  std::string_view key;
  std::string_view value;
  std::string all;
  for (Outcome o = session.seek(0, "aa", key, value); o == Outcome::ok; o = session.next(key, value)) all += key;
  EXPECT_EQ(all, "bd\xff");
  EXPECT_EQ(session.seek(0, "\xff\xff", key, value), Outcome::not_found);
  session.rollback();
}

TEST(Engines, ThatAreUnknownOrMissingAreRefusedWithWhatToDo) {
  const auto built = built_engines();
  for (const std::string& name : {std::string("berkeley"), std::string("wiredtiger"), std::string("rocksdb")}) {
    if (std::find(built.begin(), built.end(), name) != built.end()) continue;
    try {
      require_engine(name);
      ADD_FAILURE() << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::bad_config);
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
      for (const std::string& there : built) EXPECT_NE(error.remedy().find(there), std::string::npos) << error.what();
    }
  }
}

class OltpRuns : public ::testing::TestWithParam<std::tuple<std::string, const char*>> {
 protected:
  [[nodiscard]] static std::string engine_name() { return std::get<0>(GetParam()); }
  [[nodiscard]] static std::string runtime() { return std::get<1>(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(OnEveryEngineAndRuntime, OltpRuns,
                         ::testing::Combine(::testing::ValuesIn(built_engines()),
                                            ::testing::Values("charm", "threads")),
                         [](const auto& both) { return std::get<0>(both.param) + "_" + std::get<1>(both.param); });

TEST_P(OltpRuns, EveryMixOfYcsbAddsUp) {
  const TestFolder folder;
  const auto engine = open_engine(engine_name(), small_engine(folder.path(), ycsb_tables(), true, sessions));
  load_ycsb(*engine, sessions, few_records);
  YcsbTotals there = ycsb_totals(*engine, sessions, few_records);
  EXPECT_EQ(there.records, few_records.records);
  for (const char* kernel : {"ycsb-a", "ycsb-b", "ycsb-c", "ycsb-d", "ycsb-e", "ycsb-f", "ycsb-paper"}) {
    SCOPED_TRACE(kernel);
    Ycsb ycsb(few_records, ycsb_mix(kernel), Distribution::zipfian, there, sessions, 9);
    const ClientCounts counts = run_clients(*engine, ycsb, {runtime(), sessions, .01, .1});
    EXPECT_EQ(counts.latency.count(), counts.commits);
    EXPECT_EQ(counts.given_up, 0U);
    there = ycsb_totals(*engine, sessions, few_records);
    EXPECT_EQ(ycsb.complaint(there), "");
  }
}

TEST_P(OltpRuns, TheConditionsOfTpccHoldAfterARun) {
  const TestFolder folder;
  const auto engine = open_engine(engine_name(), small_engine(folder.path(), tpcc_tables(), true, sessions));
  load_tpcc(*engine, sessions, small_scale());
  EXPECT_EQ(tpcc_complaint(collect_tpcc(*engine, sessions, small_scale())), "");
  for (int run = 1; run <= 2; ++run) {
    Tpcc tpcc(small_scale(), sessions, static_cast<std::uint64_t>(run), std::int64_t{run} << 32);
    // For as long as it takes to have seen every kind: no time is asserted.
    std::vector<std::uint64_t> committed;
    bool all = false;
    for (int turn = 0; turn < 200 && !all; ++turn) {
      run_clients(*engine, tpcc, {runtime(), sessions, 0, .1});
      committed = tpcc.committed();
      all = std::all_of(committed.begin(), committed.end(), [](std::uint64_t count) { return count > 20; });
    }
    EXPECT_TRUE(all);
    EXPECT_EQ(tpcc_complaint(collect_tpcc(*engine, sessions, small_scale())), "");
  }
}

/// Changes the record before it is written.
template <class Row>
void alter(Session& session, TpccTable table, const Key& key, const std::function<void(Row&)>& change) {
  std::string_view value;
  session.begin();
  ASSERT_EQ(session.get(static_cast<int>(table), key, value), Outcome::ok);
  Row row = row_of<Row>(value);
  change(row);
  ASSERT_EQ(session.put(static_cast<int>(table), key, bytes_of(row)), Outcome::ok);
  ASSERT_EQ(session.commit(), Outcome::ok);
}

void remove(Session& session, TpccTable table, const Key& key) {
  session.begin();
  ASSERT_EQ(session.erase(static_cast<int>(table), key), Outcome::ok);
  ASSERT_EQ(session.commit(), Outcome::ok);
}

class TpccConditions : public EngineAdapter {};
INSTANTIATE_TEST_SUITE_P(OnEveryEngine, TpccConditions, ::testing::ValuesIn(built_engines()),
                         [](const auto& engine) { return engine.param; });

TEST_P(TpccConditions, EachSeesItsDamage) {
  struct Damage {
    int condition;  // from 1
    std::function<void(Session&)> make;
  };
  const TpccScale scale = small_scale();
  const int open = scale.customers;  // an order that is new
  const int done = 1;                // one that is delivered
  const std::vector<Damage> damages = {
      {1, [](Session& s) { alter<WarehouseRow>(s, TpccTable::warehouse, warehouse_key(2), [](auto& r) { ++r.ytd; }); }},
      {2,
       [](Session& s) {
         alter<DistrictRow>(s, TpccTable::district, district_key(1, 2), [](auto& r) { ++r.next_order; });
       }},
      {3, [&](Session& s) { remove(s, TpccTable::new_order, in_district(1, 1, open - 1)); }},
      {4, [&](Session& s) { remove(s, TpccTable::order_line, line_key(2, 3, done, 1)); }},
      {5,
       [&](Session& s) {
         alter<OrderRow>(s, TpccTable::orders, in_district(1, 1, done), [](auto& r) { r.carrier = 0; });
       }},
      {6,
       [&](Session& s) {  // the district's sum stays
         alter<OrderRow>(s, TpccTable::orders, in_district(1, 1, 1), [](auto& r) { ++r.lines; });
         alter<OrderRow>(s, TpccTable::orders, in_district(1, 1, 2), [](auto& r) { --r.lines; });
       }},
      {7,
       [&](Session& s) {
         alter<OrderLineRow>(s, TpccTable::order_line, line_key(1, 1, open, 1), [](auto& r) { r.delivered = 5; });
       }},
      {8,
       [](Session& s) {
         alter<HistoryRow>(s, TpccTable::history, history_key(1, 1, 0, 1), [](auto& r) { ++r.amount; });
       }},
      {9,
       [](Session& s) {  // the warehouse's sum stays
         alter<HistoryRow>(s, TpccTable::history, history_key(1, 1, 0, 1), [](auto& r) { ++r.amount; });
         alter<HistoryRow>(s, TpccTable::history, history_key(1, 2, 0, 1), [](auto& r) { --r.amount; });
       }},
      {10,
       [](Session& s) {
         alter<CustomerRow>(s, TpccTable::customer, in_district(1, 1, 3), [](auto& r) {
           ++r.balance;
           --r.paid;
         });
       }},
      {11,
       [](Session& s) {
         alter<CustomerRow>(s, TpccTable::customer, in_district(1, 1, 3), [](auto& r) { ++r.deliveries; });
       }},
      {12,
       [](Session& s) { alter<CustomerRow>(s, TpccTable::customer, in_district(1, 1, 3), [](auto& r) { ++r.paid; }); }},
  };
  const TestFolder folder;
  int number = 0;
  for (const Damage& damage : damages) {
    SCOPED_TRACE(damage.condition);
    const std::string path = folder.path() + "/" + std::to_string(++number);
    std::filesystem::create_directory(path);
    const auto engine = open_engine(GetParam(), small_engine(path, tpcc_tables(), true));
    load_tpcc(*engine, 2, scale);
    const auto holds = [&] {
      return tpcc_conditions.at(static_cast<std::size_t>(damage.condition - 1))(collect_tpcc(*engine, 2, scale));
    };
    EXPECT_EQ(holds(), "");
    damage.make(engine->session(0));
    EXPECT_NE(holds(), "");
    EXPECT_NE(tpcc_complaint(collect_tpcc(*engine, 2, scale)), "");
  }
}

class YcsbCheck : public EngineAdapter {};
INSTANTIATE_TEST_SUITE_P(OnEveryEngine, YcsbCheck, ::testing::ValuesIn(built_engines()),
                         [](const auto& engine) { return engine.param; });

TEST_P(YcsbCheck, SeesLostUpdatesLostRecordsAndDamage) {
  const TestFolder folder;
  const auto engine = open_engine(GetParam(), small_engine(folder.path(), ycsb_tables(), true));
  load_ycsb(*engine, 2, few_records);
  const YcsbTotals before = ycsb_totals(*engine, 2, few_records);
  const Ycsb none(few_records, ycsb_mix("ycsb-f"), Distribution::uniform, before, 2, 1);
  const auto after = [&](const std::string& value) {
    Session& session = engine->session(0);
    session.begin();
    EXPECT_EQ(session.put(0, ycsb_key(5, few_records.key_bytes), value), Outcome::ok);
    EXPECT_EQ(session.commit(), Outcome::ok);
    return none.complaint(ycsb_totals(*engine, 2, few_records));
  };
  EXPECT_EQ(none.complaint(before), "");
  EXPECT_NE(after(ycsb_value(5, 1, few_records.value_bytes)), "");  // a write that nobody has committed
  EXPECT_EQ(after(ycsb_value(5, 0, few_records.value_bytes)), "");
  std::string damaged = ycsb_value(5, 0, few_records.value_bytes);
  damaged.back() = static_cast<char>(damaged.back() + 1);
  EXPECT_NE(after(damaged), "");
  EXPECT_NE(after(ycsb_value(6, 0, few_records.value_bytes)), "");  // under another's key
  Session& session = engine->session(0);
  session.begin();
  EXPECT_EQ(session.erase(0, ycsb_key(5, few_records.key_bytes)), Outcome::ok);
  EXPECT_EQ(session.commit(), Outcome::ok);
  EXPECT_NE(none.complaint(ycsb_totals(*engine, 2, few_records)), "");
}

class OltpBench : public EngineAdapter {};
INSTANTIATE_TEST_SUITE_P(OnEveryEngine, OltpBench, ::testing::ValuesIn(built_engines()),
                         [](const auto& engine) { return engine.param; });

TEST_P(OltpBench, RunsOnBothRuntimesFromADatabaseThatIsMadeOnce) {
  const TestFolder folder;
  OltpOptions options;
  options.engine = GetParam();
  options.data = folder.path();
  options.records = 500;
  options.duration = .05;
  options.warm_up = 0;
  options.workers = sessions;
  {
    Oltp oltp = Oltp::open(options, {"ycsb-a", "ycsb-e"});
    for (const char* kernel : {"ycsb-a", "ycsb-e"}) {
      for (const char* runtime : {"charm", "threads"}) {
        const OltpRun run = oltp.run(kernel, {runtime, sessions});
        EXPECT_TRUE(run.run.verified) << run.run.detail;
        EXPECT_GT(rate(run.run), 0);
        EXPECT_GT(run.latency.percentile(50), 0U);
      }
    }
  }
  bool made = false;
  Oltp::open(options, {"ycsb-b"}, [&](const std::string&) { made = true; });
  EXPECT_FALSE(made);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), std::filesystem::directory_iterator()),
            1);
}

TEST_P(OltpBench, AFullDiskIsOneErrorAndLeavesNothing) {
  const TestFolder folder;
  OltpOptions options;
  options.engine = GetParam();
  options.data = folder.path();
  options.records = 200000;
  options.workers = 2;
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1U << 20U, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  std::string said;
  try {
    Oltp::open(options, {"ycsb-a"});
  } catch (const Error& error) {
    said = error.what();
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, ignored);
  EXPECT_NE(said.find("space"), std::string::npos) << said;
  EXPECT_EQ(said.find('\n'), std::string::npos) << said;
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace charm::workloads::testing
