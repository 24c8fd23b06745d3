// Every schedule covers every index once, wherever it is called from; what each promises beyond that.
#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <numeric>
#include <rapidcheck.h>
#include <set>
#include <thread>
#include <vector>

#include "algorithms/runtimes.hpp"
#include "sched/api/block_shares.hpp"
#include "sched/api/capacity_shares.hpp"
#include "sched/api/loop_speeds.hpp"

namespace {

using charm::Schedule;
constexpr Schedule all_schedules[] = {Schedule::lazy, Schedule::static_, Schedule::dynamic, Schedule::affine};

using Schedules = OnShapes;
INSTANTIATE_TEST_SUITE_P(Shapes, Schedules, shapes());

TEST_P(Schedules, CoverEveryIndexOnce) {
  EXPECT_TRUE(rc::check("for any range, grain and schedule, from outside and in a task", [] {
    auto first = *rc::gen::inRange<int>(-1000, 1000);
    auto count = *rc::gen::inRange<int>(0, 3000);
    auto grain = *rc::gen::inRange<int>(0, 200);
    auto schedule = *rc::gen::elementOf(std::vector<Schedule>(std::begin(all_schedules), std::end(all_schedules)));
    auto inside = *rc::gen::arbitrary<bool>();
    std::vector<std::atomic<int>> hits(static_cast<std::size_t>(count));
    auto loop = [&] {
      charm::parallel_for(first, first + count, [&](int i) { ++hits[static_cast<std::size_t>(i - first)]; },
                          {grain, schedule});
    };
    if (inside)
      charm::run(loop);
    else
      loop();
    for (auto& hit : hits) RC_ASSERT(hit == 1);
  }));
}

TEST_P(Schedules, BlocksHoldAtMostAGrain) {
  for (Schedule schedule : all_schedules) {
    std::atomic<long> covered{0};
    charm::parallel_for(0L, 10000L,
                        [&](long low, long high) {
                          EXPECT_LT(low, high);
                          EXPECT_LE(high - low, 64);
                          covered += high - low;
                        },
                        {64, schedule});
    EXPECT_EQ(covered, 10000);
  }
}

// One worker, so that no thief asks for the job: what is public has been published beforehand.
TEST(LongChunks, LeaveNoJobPrivate) {
  Running runtime(1, on(""));
  const auto spin = [] {
    for (const std::uint64_t end = charm::detail::ticks() + 20 * charm::detail::ticks_per_us();
         charm::detail::ticks() < end;) {
    }
  };
  const auto hides = [](int i) { return i > 0 && charm::detail::this_worker()->deque.has_private(); };
  int hidden = 0;
  charm::parallel_for(0, 64,
                      [&](int i) {
                        hidden += hides(i) ? 1 : 0;
                        spin();
                      },
                      {.grain = 1});
  EXPECT_EQ(hidden, 0);
  hidden += charm::parallel_reduce(0, 64, 0,
                                   [&](int low, int, int sum) {
                                     spin();
                                     return sum + (hides(low) ? 1 : 0);
                                   },
                                   std::plus<>(), {.grain = 1});
  EXPECT_EQ(hidden, 0);
  int hidden_in_short_chunks = 0;         // publishing costs: short chunks answer in time
  for (int loop = 0; loop < 100; ++loop)  // a chunk may take long because the thread lost its core
    charm::parallel_for(0, 64, [&](int i) { hidden_in_short_chunks += hides(i) ? 1 : 0; }, {.grain = 1});
  EXPECT_GT(hidden_in_short_chunks, 0);
}

TEST_P(Schedules, ReachTheEndsOfTheIntegers) {
  for (Schedule schedule : all_schedules) {
    std::atomic<int> calls{0};
    auto low = std::numeric_limits<std::int64_t>::max() - 10;
    charm::parallel_for(low, low + 10,
                        [&](std::int64_t i) {
                          EXPECT_GE(i, low);
                          ++calls;
                        },
                        {0, schedule});
    auto top = std::numeric_limits<std::uint64_t>::max();
    charm::parallel_for(top - 7, top, [&](std::uint64_t) { ++calls; }, {2, schedule});
    charm::parallel_for(std::int8_t{-128}, std::int8_t{127}, [&](std::int8_t) { ++calls; }, {0, schedule});
    charm::parallel_for(5, 5, [&](int) { ++calls; }, {0, schedule});
    charm::parallel_for(5, 4, [&](int) { ++calls; }, {0, schedule});
    EXPECT_EQ(calls, 10 + 7 + 255);
  }
}

TEST_P(Schedules, MayBeNestedInEachOther) {
  for (Schedule outer : all_schedules) {
    for (Schedule inner : all_schedules) {
      std::atomic<long> sum{0};
      charm::parallel_for(
          0, 12, [&](int i) { charm::parallel_for(0, 20, [&](int j) { sum += i * 20 + j; }, {0, inner}); }, {1, outer});
      EXPECT_EQ(sum, 239 * 240 / 2);
    }
  }
}

TEST_P(Schedules, BodiesMayWait) {
  for (Schedule schedule : all_schedules) {
    std::atomic<int> done{0};
    charm::parallel_for(0, 100,
                        [&](int) {
                          charm::yield();
                          done += charm::async([] {
                                    charm::yield();
                                    return 1;
                                  }).get();
                        },
                        {1, schedule});
    EXPECT_EQ(done, 100);
  }
}

TEST_P(Schedules, AnExceptionLeavesTheLoopAndNothingRunsAfterwards) {
  for (Schedule schedule : all_schedules) {
    for (int at : {0, 500, 999}) {
      std::atomic<int> running{0};
      EXPECT_THROW(charm::parallel_for(0, 1000,
                                       [&](int i) {
                                         ++running;
                                         if (i % 7 == 0) charm::yield();
                                         --running;
                                         if (i == at) throw std::out_of_range("here");
                                       },
                                       {1, schedule}),
                   std::out_of_range);
      EXPECT_EQ(running, 0);
    }
  }
}

TEST_P(Schedules, FromManyThreadsAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<long> sum{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int round = 0; round < 10; ++round)
        charm::parallel_for(0, 100, [&](int i) { sum += i; }, {3, all_schedules[(t + round) % 4]});
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(sum, 4 * 10 * 4950);
}

TEST_P(Schedules, StaticGivesEveryWorkerOneContiguousChunkChipletByChiplet) {
  const std::vector<charm::WorkerCore> worker_cores = charm::worker_cores();
  std::mutex mutex;
  std::map<int, std::pair<int, int>> chunk_of;  // by first index: worker and end
  charm::parallel_for(0, 1001,
                      [&](int low, int high) {
                        std::lock_guard lock(mutex);
                        EXPECT_TRUE(chunk_of.emplace(low, std::pair(charm::worker_id(), high)).second);
                      },
                      {.schedule = Schedule::static_});
  ASSERT_EQ(chunk_of.size(), worker_cores.size());
  int end = 0;
  std::set<int> workers;
  std::vector<int> chiplets;
  for (auto& [low, worker_and_high] : chunk_of) {
    EXPECT_EQ(low, end);
    end = worker_and_high.second;
    int size = end - low;
    EXPECT_LE(std::abs(size * static_cast<int>(worker_cores.size()) - 1001), static_cast<int>(worker_cores.size()));
    workers.insert(worker_and_high.first);
    chiplets.push_back(worker_cores[static_cast<std::size_t>(worker_and_high.first)].chiplet);
  }
  EXPECT_EQ(end, 1001);
  EXPECT_EQ(workers.size(), worker_cores.size());
  EXPECT_TRUE(std::is_sorted(chiplets.begin(), chiplets.end()));
}

TEST_P(Schedules, StaticWithFewerIndicesThanWorkersRunsEachOnItsOwn) {
  std::mutex mutex;
  std::set<int> workers;
  const int count = std::max(1, charm::num_workers() - 1);
  charm::parallel_for(0, count,
                      [&](int) {
                        std::lock_guard lock(mutex);
                        EXPECT_TRUE(workers.insert(charm::worker_id()).second);
                      },
                      {.schedule = Schedule::static_});
  EXPECT_EQ(workers.size(), static_cast<std::size_t>(count));
}

TEST(CapacityShares, AreWithinTwoPercentOfTheCapacitiesOfCores) {
  const std::vector<int> capacities = {1024, 1024, 520, 333};
  const auto begins = charm::detail::capacity_shares(100'000, capacities);
  ASSERT_EQ(begins.size(), 5U);
  for (std::size_t part = 0; part < capacities.size(); ++part) {
    const double share = static_cast<double>(begins[part + 1] - begins[part]) / 100'000;
    const double due = capacities[part] / 2901.0;
    EXPECT_NEAR(share, due, .02 * due) << part;
  }
}

TEST(CapacityShares, OfEqualCoresDifferByOneAtMost) {
  EXPECT_EQ(charm::detail::capacity_shares(10, {7, 7, 7}), (std::vector<std::int64_t>{0, 4, 7, 10}));
  EXPECT_EQ(charm::detail::capacity_shares(std::int64_t{1} << 62, {3, 1}),
            (std::vector<std::int64_t>{0, std::int64_t{3} << 60, std::int64_t{1} << 62}));
}

TEST(CapacityShares, CountKindsAndNotFavouredCores) {
  charm::Machine machine;
  machine.cores.resize(2);
  machine.cores[1].capacity = 900;
  EXPECT_EQ(charm::detail::capacities_of(machine, {0, 1}), (std::vector<int>{1024, 1024}));
  machine.cores[1].kind = charm::CoreKind::efficiency;
  EXPECT_EQ(charm::detail::capacities_of(machine, {0, 1, -1}), (std::vector<int>{1024, 900, 1024}));
}

charm::Machine of_two_kinds() {
  charm::Machine machine;
  machine.cores.resize(4);
  for (std::size_t c = 2; c < 4; ++c) {
    machine.cores[c].kind = charm::CoreKind::efficiency;
    machine.cores[c].capacity = 512;
  }
  return machine;
}

/// What a run of a loop takes whose iterations last `fast_ns` and `slow_ns` on the two kinds of cores.
charm::detail::KindTimes run_of(const std::vector<int>& weights, double fast_ns, double slow_ns) {
  const auto begins = charm::detail::capacity_shares(1'000'000, weights);
  charm::detail::KindTimes times;
  for (std::size_t part = 0; part < weights.size(); ++part) {
    auto& of = times[part < 2 ? 0 : 2];
    const std::int64_t iterations = begins[part + 1] - begins[part];
    of.iterations += iterations;
    of.ns += static_cast<std::int64_t>(static_cast<double>(iterations) * (part < 2 ? fast_ns : slow_ns));
    ++of.parts;
  }
  return times;
}

TEST(LoopSpeeds, BeginWithCapacitiesAndBecomeThoseOfTheLoop) {
  const charm::Machine machine = of_two_kinds();
  const std::vector<int> cores = {0, 1, 2, 3};
  for (const double slow_ns : {.5, 1.0, 1.3, 2.0, 3.7}) {  // against 1 ns on the fast cores
    charm::detail::LoopSpeeds speeds;
    int loop = 0;
    EXPECT_EQ(speeds.weights(&loop, machine, cores), (std::vector<int>{1024, 1024, 512, 512}));
    for (int run = 0; run < 4; ++run) speeds.learn(&loop, run_of(speeds.weights(&loop, machine, cores), 1, slow_ns));
    const auto weights = speeds.weights(&loop, machine, cores);
    EXPECT_NEAR(static_cast<double>(weights[0]) / weights[3], slow_ns, .05 * slow_ns);
    EXPECT_EQ(weights[0], weights[1]);
    int other = 0;
    EXPECT_EQ(speeds.weights(&other, machine, cores), (std::vector<int>{1024, 1024, 512, 512})) << "another loop";
    EXPECT_EQ(speeds.weights(&loop, machine, {0, -1}), (std::vector<int>{1024, 1024})) << "an unbound worker";
  }
}

TEST(LoopSpeeds, OneDisturbedRunChangesLittleAndPartsThatEndTogetherStay) {
  const charm::Machine machine = of_two_kinds();
  const std::vector<int> cores = {0, 1, 2, 3};
  charm::detail::LoopSpeeds speeds;
  int loop = 0;
  for (int run = 0; run < 4; ++run) speeds.learn(&loop, run_of(speeds.weights(&loop, machine, cores), 1, 1));
  const auto settled = speeds.weights(&loop, machine, cores);
  speeds.learn(&loop, run_of(settled, 1, 1.03));
  EXPECT_EQ(speeds.weights(&loop, machine, cores), settled);
  speeds.learn(&loop, run_of(settled, 1, 100));  // preempted
  const auto after = speeds.weights(&loop, machine, cores);
  EXPECT_LT(static_cast<double>(after[0]) / after[3], 1.6);
  EXPECT_GT(after[0], after[3]);
}

TEST(LoopSpeeds, WhatSaysNothingIsNotLearned) {
  const charm::Machine machine = of_two_kinds();
  const std::vector<int> cores = {0, 1, 2, 3}, by_capacity = {1024, 1024, 512, 512};
  charm::detail::LoopSpeeds speeds;
  int loop = 0;
  charm::detail::KindTimes times;
  times[0] = {1000, 2 * 19'000, 2};
  times[2] = {1000, 2 * 40'000, 2};
  speeds.learn(&loop, times);
  EXPECT_EQ(speeds.weights(&loop, machine, cores), by_capacity) << "too short";
  times[0] = {1000, 80'000, 2};
  times[2] = {};
  speeds.learn(&loop, times);
  EXPECT_EQ(speeds.weights(&loop, machine, cores), by_capacity) << "one kind";
  times[2] = {1000, 2 * 20'000, 2};
  speeds.learn(&loop, times);
  EXPECT_NE(speeds.weights(&loop, machine, cores), by_capacity);
  std::vector<char> loops(2000);
  for (const char& each : loops) speeds.learn(&each, times);
  EXPECT_EQ(speeds.weights(&loops.back(), machine, cores), by_capacity) << "there is an end to what is remembered";
}

TEST(LoopSpeeds, AStaticLoopThatWaitsAlikeOnAllKindsGetsEqualParts) {
  charm::Config config;
  config.topology = CHARM_TEST_DATA "/topologies/Intel-MeteorLake-CoreUltra155H.xml";
  config.workers = 10;  // six fast cores and four others
  charm::init(config);
  std::vector<double> apart;  // the largest part by the smallest, in each run
  for (int run = 0; run < 10; ++run) {
    std::vector<int> parts(10);
    charm::parallel_for(0, 400,
                        [&](int) {
                          ++parts[static_cast<std::size_t>(charm::worker_id())];
                          std::this_thread::sleep_for(std::chrono::microseconds(100));
                        },
                        {.schedule = Schedule::static_});
    const auto [least, most] = std::minmax_element(parts.begin(), parts.end());
    apart.push_back(static_cast<double>(*most) / *least);
  }
  charm::finalize();
  EXPECT_GT(apart.front(), 1.5) << "by capacity";
  EXPECT_LT(*std::min_element(apart.begin(), apart.end()), 1.3) << "other programs may disturb some runs, not all";
}

// The counters behind dynamic and affine, without threads in between.

charm::detail::LoopParts two_chiplets(std::size_t left, std::size_t right) {
  charm::detail::LoopParts layout;
  layout.parts = {{0, std::vector<int>(left)}, {1, std::vector<int>(right)}};
  layout.workers = left + right;
  return layout;
}

struct BlockShares : testing::Test {
  Running runtime_{1};
};

TEST_F(BlockShares, GiveAChipletItsOwnBlocksFromTheFrontInEveryLoop) {
  for (int call = 0; call < 2; ++call) {
    charm::detail::BlockShares shares(two_chiplets(1, 3), 8);
    EXPECT_EQ(shares.take(1), 2);
    EXPECT_EQ(shares.take(0), 0);
    EXPECT_EQ(shares.take(1), 3);
    EXPECT_EQ(shares.take(0), 1);
  }
}

TEST_F(BlockShares, LetIdleChipletsTakeOverFromTheFarEnd) {
  charm::detail::BlockShares shares(two_chiplets(1, 3), 8);
  EXPECT_EQ(shares.take(0), 0);
  EXPECT_EQ(shares.take(0), 1);
  EXPECT_EQ(shares.take(0), 7);
  EXPECT_EQ(shares.take(1), 2);
  EXPECT_EQ(shares.take(0), 6);
  for (int block : {3, 4, 5}) EXPECT_EQ(shares.take(1), block);
  EXPECT_EQ(shares.take(0), -1);
  EXPECT_EQ(shares.take(1), -1);
}

TEST(Shares, DivideEvenlyAndCompletely) {
  EXPECT_TRUE(rc::check([] {
    auto count = *rc::gen::inRange<std::int64_t>(0, std::numeric_limits<std::int64_t>::max());
    auto shares = *rc::gen::inRange<std::int64_t>(1, 600);
    std::int64_t begin = 0;
    for (std::int64_t s = 0; s < shares; ++s) {
      RC_ASSERT(charm::detail::share_begin(count, s, shares) == begin);
      std::int64_t end = charm::detail::share_begin(count, s + 1, shares);
      RC_ASSERT(end - begin == count / shares || end - begin == count / shares + 1);
      begin = end;
    }
    RC_ASSERT(begin == count);
  }));
}

// Two workers on two chiplets that do not finish before each has run: with nobody late, every block stays at home.
TEST(Affine, ABlockGoesToTheSameChipletInEveryCall) {
  Running runtime(2, on("pack:1 l3:2 core:1 pu:1"));
  const std::vector<charm::WorkerCore> worker_cores = charm::worker_cores();
  ASSERT_NE(worker_cores[0].chiplet, worker_cores[1].chiplet);
  auto chiplets_of_blocks = [&] {
    std::vector<int> chiplet(8, -1);
    std::atomic<int> arrived{0};
    charm::run([&] {
      charm::parallel_for(0, 8,
                          [&](int i) {
                            // The first block of either half waits for the other's, so both chiplets take part; the
                            // others are held up until then.
                            if (i == 0 || i == 4) ++arrived;
                            while (arrived < 2) std::this_thread::yield();
                            chiplet[static_cast<std::size_t>(i)] =
                                worker_cores[static_cast<std::size_t>(charm::worker_id())].chiplet;
                          },
                          {.grain = 1, .schedule = Schedule::affine});
    });
    return chiplet;
  };
  for (int call = 0; call < 20; ++call) {
    std::vector<int> chiplet = chiplets_of_blocks();
    EXPECT_EQ(chiplet[0],
              worker_cores[0].chiplet < worker_cores[1].chiplet ? worker_cores[0].chiplet : worker_cores[1].chiplet);
    EXPECT_NE(chiplet[4], chiplet[0]);
  }
}

// A loop does not wait for helpers that wait behind other work on their chiplet.
TEST(Affine, IsDoneWithoutAChipletThatIsBusyWithSomethingElse) {
  Running runtime(2, on("pack:1 l3:2 core:1 pu:1"));
  std::atomic<bool> busy{false};
  std::atomic<bool> release{false};
  charm::run([&] {
    const int other = 1 - charm::worker_id();
    auto blocker = charm::call_async(charm::on_worker{other}, [&] {
      busy = true;
      while (!release) std::this_thread::yield();
    });
    while (!busy) std::this_thread::yield();
    int sum = 0;
    charm::parallel_for(0, 100, [&](int i) { sum += i; }, {.grain = 1, .schedule = Schedule::affine});
    EXPECT_EQ(sum, 4950);
    release = true;
    blocker.get();
  });
}

// A page fault, or a core lost to others, in the first chunk said for the rest of a loop: one index at a time.
TEST(Chunk, GoesOnLearningAfterASlowFirstOne) {
  charm::detail::Chunk chunk(0);
  chunk.run(chunk.size(), [] {
    const std::uint64_t start = charm::detail::ticks();
    while (charm::detail::ticks() - start < 3 * charm::detail::ticks_per_us()) {
    }
  });
  for (int i = 0; i < 1000 && chunk.size() <= 1000; ++i) chunk.run(chunk.size(), [] {});
  EXPECT_GT(chunk.size(), 1000);
}

}  // namespace
