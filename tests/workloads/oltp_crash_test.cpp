// A process is killed in the middle of transactions: those that it has acknowledged are there after recovery, and the
// database is consistent. The child acknowledges through a pipe, and only after the commit has returned.
#include <csignal>
#include <string>
#include <thread>
#include <tuple>
#include <unistd.h>

#include <sys/wait.h>

#include "workloads/oltp/tpcc.hpp"
#include "workloads/oltp/tpcc_conditions.hpp"
#include "workloads/oltp/ycsb.hpp"
#include "workloads/oltp_folder.hpp"

namespace charm::workloads::testing {
namespace {

using namespace oltp;

constexpr int clients = 2;

struct Acknowledged {
  TpccInput::Kind kind;
  int client;
  int warehouse;
  int district;
  std::int64_t number;  // of the order, or the client's count of history
};
static_assert(sizeof(Acknowledged) <= 512, "writes to a pipe up to PIPE_BUF are not divided");

TpccScale crash_scale() {
  TpccScale scale;
  scale.warehouses = 2;
  scale.districts = 2;
  scale.customers = 40;
  scale.items = 200;
  return scale;
}

/// In the child, until it is killed.
[[noreturn]] void run_until_killed(const std::string& engine_name, const EngineOptions& options, int pipe,
                                   int generation) {
  const auto engine = open_engine(engine_name, options);
  Tpcc tpcc(crash_scale(), clients, static_cast<std::uint64_t>(generation), std::int64_t{generation} << 32);
  std::vector<std::jthread> threads;
  for (int client = 0; client < clients; ++client) {
    threads.emplace_back([&, client] {
      while (true) {
        tpcc.draw(client);
        Attempt done = Attempt::conflict;
        while (done == Attempt::conflict) done = tpcc.attempt(client, engine->session(client));
        if (done == Attempt::committed) {
          const TpccInput& input = tpcc.input(client);
          const TpccReceipt& receipt = tpcc.receipt(client);
          const bool order = input.kind == TpccInput::Kind::new_order;
          if (order || input.kind == TpccInput::Kind::payment) {
            const Acknowledged said{input.kind, client, input.warehouse, input.district,
                                    order ? receipt.order : receipt.history};
            if (::write(pipe, &said, sizeof said) != sizeof said) ::_exit(1);
          }
        }
        tpcc.finished(client, done == Attempt::committed);
      }
    });
  }
  threads.clear();
  ::_exit(1);
}

/// Reads `wanted` acknowledgements, kills, and reads what else was acknowledged before that.
std::vector<Acknowledged> kill_after(pid_t child, int pipe, std::size_t wanted) {
  std::vector<Acknowledged> all;
  Acknowledged one{};
  while (::read(pipe, &one, sizeof one) == sizeof one) {
    all.push_back(one);
    if (all.size() == wanted) ::kill(child, SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
  return all;
}

std::size_t lost(Engine& engine, const std::vector<Acknowledged>& all) {
  Session& session = engine.session(0);
  std::size_t missing = 0;
  session.begin();
  for (const Acknowledged& each : all) {
    std::string_view value;
    const bool order = each.kind == TpccInput::Kind::new_order;
    const Key key = order ? in_district(each.warehouse, each.district, each.number)
                          : history_key(each.warehouse, each.district, each.client + 1, each.number);
    const TpccTable table = order ? TpccTable::orders : TpccTable::history;
    if (session.get(static_cast<int>(table), key, value) != Outcome::ok) ++missing;
  }
  session.rollback();
  return missing;
}

/// Runs f in a process of its own, so that this one never has an engine's threads and can fork again.
/// \return what f returned: what is wrong, or nothing.
template <class F>
std::string in_child(F&& f) {
  int ends[2];
  if (::pipe(ends) != 0) return "no pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    std::string said;
    try {
      said = f();
    } catch (const std::exception& error) {
      said = error.what();
    }
    const bool told = ::write(ends[1], said.data(), said.size()) == static_cast<ssize_t>(said.size());
    ::_exit(told ? 0 : 1);
  }
  ::close(ends[1]);
  std::string said;
  char buffer[512];
  for (ssize_t got = 0; (got = ::read(ends[0], buffer, sizeof buffer)) > 0;)
    said.append(buffer, static_cast<std::size_t>(got));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) said += " (ended with status " + std::to_string(status) + ")";
  return said;
}

class OltpCrash : public ::testing::TestWithParam<std::tuple<std::string, Durability>> {};
INSTANTIATE_TEST_SUITE_P(Durable, OltpCrash,
                         ::testing::Combine(::testing::ValuesIn(built_engines()),
                                            ::testing::Values(Durability::written, Durability::synced)));

TEST_P(OltpCrash, NoAcknowledgedTransactionIsLostAndTheConditionsHold) {
  const TestFolder folder;
  const auto& [engine_name, durability] = GetParam();
  EngineOptions options = small_engine(folder.path(), tpcc_tables(), true, clients);
  options.durability = durability;
  const std::string not_loaded = in_child([&, &name = engine_name] {
    load_tpcc(*open_engine(name, options), clients, crash_scale());
    return std::string();
  });
  ASSERT_EQ(not_loaded, "");
  options.create = false;
  for (int generation = 1; generation <= 2; ++generation) {  // a recovered database is killed again
    SCOPED_TRACE(generation);
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::close(ends[0]);
      run_until_killed(engine_name, options, ends[1], generation);
    }
    ::close(ends[1]);
    const auto all = kill_after(child, ends[0], 200);
    ::close(ends[0]);
    EXPECT_GE(all.size(), 200U);
    const std::string wrong = in_child([&, &name = engine_name] {
      const auto engine = open_engine(name, options);
      const std::size_t missing = lost(*engine, all);
      if (missing > 0) return std::to_string(missing) + " of " + std::to_string(all.size()) + " are lost";
      return tpcc_complaint(collect_tpcc(*engine, clients, crash_scale()));
    });
    EXPECT_EQ(wrong, "");
  }
}

}  // namespace
}  // namespace charm::workloads::testing
