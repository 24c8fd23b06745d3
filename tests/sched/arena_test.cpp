// Arenas: what they fork stays on their workers, several live beside each other, and waits let nobody else in.
#include <charm/charm.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_code.hpp"
#include "base/random.hpp"
#include "sched/on_paper.hpp"
#include "sched/run/worker_numbers.hpp"
#include "sched/running.hpp"

namespace {

using charm::ArenaOptions;
using charm::Priority;
using charm::test::code_of;
using charm::test::on_paper;
using namespace std::chrono_literals;

int chiplet_here() { return charm::worker_cores()[static_cast<std::size_t>(charm::worker_id())].chiplet; }

/// A tree of forks of all kinds; `look` is called in every task.
void fork_tree(int depth, const std::function<void()>& look) {
  look();
  if (depth == 0) return;
  charm::invoke([&] { fork_tree(depth - 1, look); }, [&] { charm::async([&] { fork_tree(depth - 1, look); }).get(); });
  look();
  charm::task_group group;
  for (int i = 0; i < 3; ++i) group.run([&] { look(); });
  group.wait();
  charm::parallel_for(0, 20, [&](int) { look(); });
  charm::yield();
  look();
}

TEST(Arena, NumbersOfWorkersAreUsedAgainWhereArenasOverlap) {
  Running runtime(2);
  charm::combinable<int> parts;
  std::unique_ptr<charm::arena> last;
  for (int i = 0; i < 60; ++i) {  // each is opened before the one before is closed
    auto next = std::make_unique<charm::arena>(ArenaOptions{.workers = 1 + i % 2});
    last = std::move(next);
    last->execute([&] {
      EXPECT_LT(charm::detail::this_worker()->number, 2 + 4);
      parts.local() += 1;
    });
  }
  EXPECT_EQ(parts.combine(std::plus<>()), 60);
}

TEST(Arena, ANumberIsGivenToOneWorkerAtATime) {
  using charm::sched::first_free_number;
  EXPECT_EQ(first_free_number({}, 4, 2, 100), 4);
  EXPECT_EQ(first_free_number({{4, 2}}, 4, 2, 100), 6);
  EXPECT_EQ(first_free_number({{8, 2}, {4, 2}}, 4, 2, 100), 6);
  EXPECT_EQ(first_free_number({{8, 2}, {4, 2}}, 4, 3, 100), 10);
  EXPECT_EQ(first_free_number({{4, 90}}, 4, 6, 100), 94);
  EXPECT_EQ(first_free_number({{4, 90}}, 4, 7, 100), -1);  // the end of the numbers
}

TEST(Arena, HasWorkersOnCoresOfTheKindsThatItIsGiven) {
  charm::Config config;
  config.topology = CHARM_TEST_DATA "/topologies/Intel-MeteorLake-CoreUltra155H.xml";
  Running runtime(14, config);
  using charm::CoreKind;
  for (const auto& [kinds, workers] :
       std::vector<std::pair<std::vector<CoreKind>, int>>{{{CoreKind::performance}, 6},
                                                          {{CoreKind::efficiency}, 8},
                                                          {{CoreKind::performance, CoreKind::efficiency}, 14}}) {
    charm::arena arena({.kinds = kinds});
    EXPECT_EQ(arena.max_concurrency(), workers);
    arena.execute([&, wanted = kinds] {
      for (const auto& place : charm::worker_cores()) {
        const CoreKind kind = charm::machine().core_of_cpu(place.cpu)->kind;
        EXPECT_TRUE(std::find(wanted.begin(), wanted.end(), kind) != wanted.end());
      }
    });
  }
  EXPECT_EQ(code_of([] { charm::arena arena({.kinds = {CoreKind::middle}}); }), charm::Errc::bad_input);
}

TEST(Arena, TheRuntimeCanBeKeptToKindsOfCores) {
  charm::Config config;
  config.topology = CHARM_TEST_DATA "/topologies/Intel-MeteorLake-CoreUltra155H.xml";
  config.kinds = "efficiency";
  Running runtime(8, config);
  for (const auto& place : charm::worker_cores())
    EXPECT_EQ(charm::machine().core_of_cpu(place.cpu)->kind, charm::CoreKind::efficiency);
  EXPECT_EQ(code_of([] { charm::arena arena({.kinds = {charm::CoreKind::performance}}); }), charm::Errc::bad_input);
}

TEST(Arena, ItsTasksRunOnItsWorkersAlone) {
  Running runtime(4, on_paper());
  for (int chiplet : {0, 1}) {
    charm::arena arena({.chiplets = {chiplet}});
    EXPECT_EQ(arena.max_concurrency(), 2);
    EXPECT_FALSE(arena.inside());
    std::atomic<int> looked{0};
    auto look = [&] {
      ++looked;
      EXPECT_TRUE(arena.inside());
      EXPECT_EQ(chiplet_here(), chiplet);
      EXPECT_EQ(charm::num_workers(), 2);
    };
    arena.execute([&] {
      fork_tree(5, look);
      charm::all_do([&] { look(); });
      charm::call(1, [&] { look(); });
      charm::parallel_for(0, 40, [&](int) { look(); }, {.schedule = charm::Schedule::static_});
      charm::parallel_for(0, 40, [&](int) { look(); }, {.schedule = charm::Schedule::affine});
      charm::sleep_for(1ms);
      look();
      charm::blocking([] {});
      look();
      EXPECT_EQ(code_of([] { charm::call(2, [] {}); }), charm::Errc::bad_input) << "a worker outside";
      EXPECT_EQ(code_of([&] { charm::call(charm::on_chiplet{1 - chiplet}, [] {}); }), charm::Errc::bad_input);
    });
    EXPECT_GT(looked, 100);
  }
}

TEST(Arena, TwoWithDisjointChipletsRunBesideEachOther) {
  Running runtime(4, on_paper());
  charm::arena first({.chiplets = {0}, .name = "first"});
  charm::arena second({.chiplets = {1}, .name = "second"});
  // Each waits for the other without leaving its worker, so both run at one time.
  std::atomic<int> here{0};
  auto meet = [&](charm::arena& arena, int chiplet) {
    ++here;
    while (here < 2) std::this_thread::yield();
    EXPECT_TRUE(arena.inside());
    EXPECT_EQ(chiplet_here(), chiplet);
  };
  charm::future<void> other = second.async([&] { meet(second, 1); });
  first.execute([&] { meet(first, 0); });
  other.get();
}

TEST(Arena, SeveralThreadsMayUseOne) {
  Running runtime(2, on_paper());
  charm::arena arena({.chiplets = {0}});
  std::atomic<int> sum{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) {
        EXPECT_EQ(arena.execute([&] {
          charm::parallel_for(0, 10, [&](int) { ++sum; });
          return i;
        }),
                  i);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(sum, 4000);
}

/// A wait in an arena's task takes no task of others: nothing else ever runs on the thread between its two halves.
TEST(Arena, AWaitLetsNoTasksOfOthersIn) {
  Running runtime(2, on_paper());
  charm::arena arena({.workers = 1});
  const auto thread_of_arena = arena.execute([] { return std::this_thread::get_id(); });
  std::atomic<bool> waits{false};
  std::atomic<int> others{0};
  charm::channel<int> channel;
  charm::future<void> task = arena.async([&] {
    waits = true;
    channel.recv();
    EXPECT_EQ(others, 500);
  });
  while (!waits) std::this_thread::yield();
  charm::run([&] {
    charm::task_group group;
    for (int i = 0; i < 500; ++i) {
      group.run([&] {
        EXPECT_NE(std::this_thread::get_id(), thread_of_arena);
        EXPECT_FALSE(arena.inside());
        ++others;
      });
    }
    group.wait();
    channel.send(1);
  });
  task.get();
}

/// The other way round: a task outside that waits for an arena runs none of the arena's tasks.
TEST(Arena, ATaskOutsideThatWaitsForItGoesOnOutside) {
  Running runtime(2, on_paper());
  charm::arena arena({.workers = 1});
  charm::run([&] {
    charm::parallel_for(0, 50, [&](int i) {
      EXPECT_EQ(arena.execute([&] {
        EXPECT_TRUE(arena.inside());
        charm::yield();
        return i;
      }),
                i);
      EXPECT_FALSE(arena.inside());
      EXPECT_EQ(charm::num_workers(), 2);
    });
  });
}

/// Random programs over three arenas and the rest: every task finds itself where it was sent, and all end.
TEST(Arena, RandomProgramsStayWhereTheyWereSent) {
  Running runtime(4, on_paper());
  std::vector<std::unique_ptr<charm::arena>> arenas;
  arenas.push_back(std::make_unique<charm::arena>(ArenaOptions{.chiplets = {0}, .priority = Priority::high}));
  arenas.push_back(std::make_unique<charm::arena>(ArenaOptions{.chiplets = {1}, .priority = Priority::low}));
  arenas.push_back(std::make_unique<charm::arena>(ArenaOptions{.workers = 3}));
  std::atomic<int> tasks{0};
  std::function<void(int, std::uint64_t, int)> program = [&](int where, std::uint64_t seed, int depth) {
    ++tasks;
    auto check = [&] {
      for (int a = 0; a < 3; ++a) EXPECT_EQ(arenas[static_cast<std::size_t>(a)]->inside(), a == where);
    };
    check();
    if (depth == 0) return;
    std::uint64_t random = charm::base::mixed(seed) | 1;
    for (int step = 0; step < 3; ++step) {
      const std::uint64_t drawn = charm::base::next_random(random);
      const int next = static_cast<int>(drawn >> 40 & 3) - 1;  // -1: where it is
      auto sub = [&, drawn](int at) { program(at, drawn, depth - 1); };
      switch (drawn >> 50 & 3) {
        case 0:
          if (next < 0)
            sub(where);
          else
            arenas[static_cast<std::size_t>(next)]->execute([&] { sub(next); });
          break;
        case 1:
          if (next < 0)
            charm::async([&] { sub(where); }).get();
          else
            arenas[static_cast<std::size_t>(next)]->async([&] { sub(next); }).get();
          break;
        case 2: {
          charm::task_group group;
          for (int i = 0; i < 3; ++i) group.run([&] { sub(where); });
          group.wait();
          break;
        }
        default:
          charm::invoke([&] { sub(where); }, [&] { sub(where); });
      }
      check();
    }
  };
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    charm::run([&] { program(-1, seed, 4); });
  }
  EXPECT_GT(tasks, 1000);
}

TEST(Arena, ReturnsValuesReferencesAndExceptions) {
  Running runtime(2, on_paper());
  charm::arena arena({.chiplets = {1}});
  int variable = 0;
  int& same = arena.execute([&]() -> int& { return variable; });
  EXPECT_EQ(&same, &variable);
  EXPECT_EQ(*arena.execute([] { return std::make_unique<int>(7); }), 7);
  auto fails = [] { throw std::runtime_error("as it must"); };
  EXPECT_THROW(arena.execute(fails), std::runtime_error);
  EXPECT_THROW(arena.async(fails).get(), std::runtime_error);
  EXPECT_THROW(charm::run([&] { arena.execute([&] { arena.execute(fails); }); }), std::runtime_error);
  EXPECT_EQ(arena.async([] { return std::string("well"); }).get(), "well");
}

TEST(Arena, InheritsTaskLocalsAndCancellation) {
  Running runtime(2, on_paper());
  charm::arena arena({.chiplets = {1}});
  charm::task_local<int> value;
  charm::run([&] { value.with(5, [&] { EXPECT_EQ(arena.execute([&] { return value.get(); }), 5); }); });

  std::atomic<bool> waits{false};
  charm::run([&] {
    charm::task_group group;
    group.run([&] {
      arena.execute([&] {
        waits = true;
        charm::sleep_for(1h);  // the cancellation ends it
      });
    });
    while (!waits) charm::yield();
    group.cancel();
    EXPECT_EQ(code_of([&] { group.wait(); }).value_or(charm::Errc::cancelled), charm::Errc::cancelled);
  });
}

TEST(Arena, ValuesOfWorkersAreNotSharedAmongArenas) {
  Running runtime(2, on_paper());
  charm::arena first({.workers = 1});
  charm::arena second({.workers = 1});
  charm::combinable<long> sums([] { return 0L; });
  auto mine = [&] {
    EXPECT_EQ(charm::worker_id(), 0);
    ++sums.local();
    return &sums.local();
  };
  const std::set<long*> different{first.execute(mine), second.execute(mine), charm::call(0, mine)};
  EXPECT_EQ(different.size(), 3U);
  EXPECT_EQ(sums.combine([](long a, long b) { return a + b; }), 3);
}

}  // namespace
