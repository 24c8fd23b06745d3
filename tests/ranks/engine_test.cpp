// The engine's promises (ranks/engine.hpp) over a network that delays, mixes, sleeps and loses ranks.
#include "ranks/engine.hpp"

#include <charm/charm.hpp>
#include <charm/detail/idle_look.hpp>
#include <charm/remote.hpp>

#include <array>
#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "ranks/code.hpp"
#include "wire.hpp"

namespace charm::remote {
namespace {

constexpr int workers = 2;

/// The ranks of a test, while it lasts.
class Ranks {
 public:
  explicit Ranks(int count, std::uint64_t seed = 1, int lanes = workers) : wire(count, seed) {
    find_code();
    allow_code(std::vector<bool>(code_identities().size(), true));
    charm::init({.workers = workers, .share_cores = true});
    for (int rank = 0; rank < count; ++rank)
      engines.push_back(std::make_unique<Engine>(wire.pool(rank), wire.transport(rank), lanes));
    current = this;
    charm::detail::set_idle_look(&look);
  }
  ~Ranks() {
    charm::detail::set_idle_look(nullptr);
    charm::finalize();
    current = nullptr;
  }
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  static Engine& rank(int number) { return *current->engines[static_cast<std::size_t>(number)]; }

  template <class F, class... Arguments>
  static void send(Engine& from, int to, detail::Kind kind, const F& function, const Arguments&... arguments) {
    const std::uint64_t code =
        detail::number_of_code(reinterpret_cast<std::uintptr_t>(&detail::run_message<F, Arguments...>));
    std::size_t bytes = detail::size_at<F>(0);
    ((bytes = detail::size_at<Arguments>(bytes)), ...);
    ((bytes += detail::bytes_of_span(arguments)), ...);
    const detail::Writing message = from.begin(to, kind, code, bytes);
    std::size_t at = 0;
    detail::write(message.at, at, function);
    (detail::write(message.at, at, arguments), ...);
    from.send(to, message, false);
  }
  template <class F, class... Arguments>
  static void post(Engine& from, int to, const F& function, const Arguments&... arguments) {
    send(from, to, detail::Kind::post, function, arguments...);
  }

  /// Runs `body(engine)` in a task of each rank at the same time.
  template <class F>
  void on_each(F body) {
    charm::run([&] {
      charm::task_group group;
      for (auto& engine : engines) group.run([&body, &engine] { body(*engine); });
      group.wait();
    });
  }

  static inline Ranks* current = nullptr;
  Wire wire;
  std::vector<std::unique_ptr<Engine>> engines;

 private:
  static std::int64_t look(bool asleep) noexcept {
    for (auto& engine : current->engines) engine->look(asleep);
    return 20000;
  }
};

constexpr std::uint64_t most_messages = 60000;
std::array<std::atomic<std::uint8_t>, most_messages> times_run{};
std::atomic<std::uint64_t> hops{0};

void run_message_number(std::uint64_t number) { times_run[number].fetch_add(1, std::memory_order_relaxed); }

void expect_each_once(std::uint64_t messages) {
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < messages; ++i) wrong += times_run[i].exchange(0) != 1 ? 1 : 0;
  EXPECT_EQ(wrong, 0U) << "of " << messages << " messages were lost, or ran twice";
}

class Seeds : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Remote, Seeds, testing::Range(1, 6));

TEST_P(Seeds, EveryMessageRunsOnceBeforeTheBarrierEnds) {
  constexpr int ranks = 3;
  constexpr std::uint64_t each = most_messages / ranks;
  Ranks all(ranks, static_cast<std::uint64_t>(GetParam()));
  all.wire.delay(.5);
  all.on_each([](Engine& own) {
    const std::uint64_t first = each * static_cast<std::uint64_t>(own.rank());
    charm::parallel_for(std::uint64_t{0}, each, [&](std::uint64_t i) {
      const auto to = static_cast<int>((i * 2654435761U >> 7) % ranks);
      const auto kind = i % 97 == 0 ? detail::Kind::detached : detail::Kind::post;
      Ranks::send(own, to, kind, [](std::uint64_t number) { run_message_number(number); }, first + i);
    });
    own.barrier();
    own.barrier();  // of the others' tasks
  });
  expect_each_once(most_messages);
}

TEST_P(Seeds, AFenceWaitsForWhatThisRankHasSent) {
  Ranks all(2, static_cast<std::uint64_t>(GetParam()));
  all.wire.delay(.9);
  charm::run([] {
    for (std::uint64_t i = 0; i < 5000; ++i)
      Ranks::post(Ranks::rank(0), 1, [](std::uint64_t number) { run_message_number(number); }, i);
    Ranks::rank(0).fence();
    expect_each_once(5000);
  });
}

/// Goes from rank to rank until its hops are over.
struct Hop {
  void operator()(std::uint64_t left, std::uint64_t at) const {
    hops.fetch_add(1, std::memory_order_relaxed);
    if (left > 0)
      Ranks::post(Ranks::rank(static_cast<int>(at)), static_cast<int>((at + 1) % 3), Hop{}, left - 1, (at + 1) % 3);
  }
};

TEST_P(Seeds, ABarrierWaitsForMessagesThatMessagesSend) {
  Ranks all(3, static_cast<std::uint64_t>(GetParam()));
  all.wire.delay(.7);
  hops = 0;
  all.on_each([](Engine& own) {
    const auto me = static_cast<std::uint64_t>(own.rank());
    Ranks::post(own, static_cast<int>((me + 1) % 3), Hop{}, std::uint64_t{49}, (me + 1) % 3);
    own.barrier();
    EXPECT_EQ(hops.load(), 150U);
    own.barrier();
  });
}

// Rank 0 has counted its messages when it sends one to rank 2; that rank and rank 1, which has sent one to rank 0 that
// is on the way, count later. One has been counted as sent then, another as run, and the sums are equal.
TEST(Engine, ABarrierIsNotDeceivedByCountsOfDifferentMoments) {
  Ranks all(3);
  times_run[0] = times_run[1] = 0;
  auto until = [](auto condition) {
    while (!condition()) charm::sleep_for(std::chrono::milliseconds(1));
  };
  auto number = [](std::uint64_t which) { run_message_number(which); };
  all.wire.hold(1, 0, true);
  charm::run([&] {
    charm::task_group group;
    group.run([] { Ranks::rank(0).barrier(); });
    until([&] { return all.wire.joined(0); });
    Ranks::post(Ranks::rank(1), 0, number, std::uint64_t{0});
    Ranks::rank(1).flush();
    Ranks::post(Ranks::rank(0), 2, number, std::uint64_t{1});
    Ranks::rank(0).flush();
    until([&] { return times_run[1] == 1; });
    std::atomic<bool> let_go = false;
    for (int rank = 1; rank < 3; ++rank) {
      group.run([rank, &let_go] {
        Ranks::rank(rank).barrier();
        EXPECT_TRUE(let_go.load()) << "rank " << rank << " has left the barrier, and a message is on the way";
      });
    }
    charm::sleep_for(std::chrono::milliseconds(100));
    let_go = true;
    all.wire.hold(1, 0, false);
    group.wait();
  });
  expect_each_once(2);
}

TEST(Engine, SendsNoMoreThanAWindowToARankThatSleeps) {
  constexpr std::uint64_t messages = 40000;  // about 60 buffers
  Ranks all(2);
  all.wire.sleep(1, true);
  std::atomic<std::uint64_t> sent{0};
  std::thread waker([&] {
    // Until nothing moves any more: then the sender waits for room.
    for (std::uint64_t before = 1; before != sent.load() || before == 0;) {
      before = sent.load();
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    EXPECT_LT(sent.load(), messages);
    EXPECT_GT(Ranks::rank(0).traffic().waits, 0U);
    EXPECT_LE(all.wire.pool(0).most_memory(), (Engine::most_waiting + workers + 4) * Buffer::usual_bytes);
    all.wire.sleep(1, false);
  });
  charm::run([&] {
    for (std::uint64_t i = 0; i < messages; ++i) {
      Ranks::post(Ranks::rank(0), 1, [](std::uint64_t number) { run_message_number(number); }, i);
      sent.store(i, std::memory_order_relaxed);
    }
    Ranks::rank(0).fence();
  });
  waker.join();
  expect_each_once(messages);
  EXPECT_LE(all.wire.most_between(), Engine::least_window);
  EXPECT_GT(all.wire.most_between(), Engine::least_window / 2);
}

// Ranks of 24 workers take 48 buffers from the only other one, as soon as it has heard so.
TEST(Engine, GivesALargerWindowToFewPeersOfManyWorkers) {
  constexpr std::uint64_t messages = 60000;  // about 90 buffers
  Ranks all(2, 1, 24);
  EXPECT_EQ(Engine::window_of(24, 2), 48U);
  EXPECT_EQ(Engine::window_of(24, 256), Engine::least_window);
  EXPECT_EQ(Engine::window_of(2, 1), Engine::least_window);
  charm::run([] {
    Ranks::post(Ranks::rank(1), 0, [](std::uint64_t) {}, std::uint64_t{0});
    Ranks::rank(1).fence();
  });
  all.wire.sleep(1, true);
  charm::run([&] {
    charm::task_group group;
    group.run([] {
      for (std::uint64_t i = 0; i < messages; ++i)
        Ranks::post(Ranks::rank(0), 1, [](std::uint64_t number) { run_message_number(number); }, i);
      Ranks::rank(0).fence();
    });
    while (all.wire.most_between() < 48) charm::sleep_for(std::chrono::milliseconds(1));
    charm::sleep_for(std::chrono::milliseconds(20));
    all.wire.sleep(1, false);
    group.wait();
  });
  expect_each_once(messages);
  EXPECT_EQ(all.wire.most_between(), 48U);
}

TEST(Engine, CarriesMessagesThatAreLargerThanABuffer) {
  Ranks all(2);
  static std::atomic<std::uint64_t> sum{0};
  sum = 0;
  const std::vector<std::uint64_t> numbers(100000, 7);
  charm::run([&] {
    Ranks::post(
        Ranks::rank(0), 1,
        [](std::span<const std::uint64_t> given) {
          for (const std::uint64_t number : given) sum += number;
        },
        std::span(numbers));
    Ranks::rank(0).fence();
  });
  EXPECT_EQ(sum.load(), 700000U);
}

template <class F>
Errc error_of(F&& body) {
  try {
    body();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("rank 2"), std::string::npos) << error.what();
    return error.code();
  }
  return Errc::bad_config;
}

TEST(Engine, TellsEverybodyWhoWaitsThatARankIsLost) {
  Ranks all(3);
  all.wire.sleep(2, true);
  charm::run([&] {
    charm::task_group group;
    group.run([] { EXPECT_EQ(error_of([] { Ranks::rank(0).barrier(); }), Errc::remote); });
    group.run([] {
      EXPECT_EQ(error_of([] {
                  Ranks::post(
                      Ranks::rank(1), 2, [](std::uint64_t number) { run_message_number(number); }, std::uint64_t{1});
                  Ranks::rank(1).fence();
                }),
                Errc::remote);
    });
    group.run([] {  // waits for room
      EXPECT_EQ(error_of([] {
                  for (;;)
                    Ranks::post(
                        Ranks::rank(0), 2, [](std::uint64_t number) { run_message_number(number); }, std::uint64_t{2});
                }),
                Errc::remote);
    });
    charm::sleep_for(std::chrono::milliseconds(20));
    all.wire.kill(2);
    group.wait();
    EXPECT_EQ(error_of([] {
                Ranks::post(
                    Ranks::rank(1), 2, [](std::uint64_t number) { run_message_number(number); }, std::uint64_t{3});
              }),
              Errc::remote);
  });
}

TEST(Engine, GathersAndBroadcastsInOrder) {
  Ranks all(3);
  all.on_each([](Engine& own) {
    const int mine = 10 + own.rank();
    std::array<int, 3> everybody{};
    own.gather(&mine, sizeof mine, everybody.data());
    EXPECT_EQ(everybody, (std::array<int, 3>{10, 11, 12}));
    int value = own.rank() == 1 ? 77 : 0;
    own.broadcast(&value, sizeof value, 1);
    EXPECT_EQ(value, 77);
  });
}

}  // namespace
}  // namespace charm::remote
