// What two looks at a machine say of what happened between them.
#include "tools/top/watch.hpp"

#include <gtest/gtest.h>

#include "top/machines.hpp"

namespace {

using namespace charm;
using namespace charm::top;
using charm::top::test::cpu_times;
using charm::top::test::reading;
using charm::top::test::thread;

const Machine four_chiplets = Machine::from("pack:1 l3:4 core:4 pu:1");

Sample sight_at(double at_s, std::vector<os::ThreadView> threads) {
  Sample sample;
  sample.at_s = at_s;
  sample.threads = std::move(threads);
  sample.cpus = cpu_times(four_chiplets, at_s, [](int cpu) { return cpu < 4 ? 0.5 : 0.0; });
  return sample;
}

TEST(Watch, TellsPlacesAtFirstAndSharesFromThen) {
  Watch watch(four_chiplets, 4242, "prog");
  const auto first = watch.next(sight_at(100, {thread(1, "main", 0, 7), thread(2, "worker", 5, 3)}));
  EXPECT_EQ(first.interval_s, 0);
  EXPECT_EQ(first.rows.at(1).chiplet, 1);
  EXPECT_EQ(first.rows.at(0).busy, 0);
  EXPECT_EQ(first.chiplets.size(), 4U);
  const auto then = watch.next(sight_at(102, {thread(1, "main", 0, 7.2, 0.5), thread(2, "worker", 5, 4.8)}));
  EXPECT_DOUBLE_EQ(then.interval_s, 2);
  EXPECT_EQ(then.rows.at(0).name, "worker") << "the busiest comes first";
  EXPECT_NEAR(then.rows.at(0).busy, 0.9, 1e-9);
  EXPECT_NEAR(then.rows.at(1).busy, 0.1, 1e-9);
  EXPECT_NEAR(*then.rows.at(1).waiting, 0.25, 1e-9);
  EXPECT_NEAR(then.busy_cpus, 1.0, 1e-9);
  EXPECT_NEAR(then.chiplets.at(0).busy, 0.5, 1e-3);
  EXPECT_NEAR(then.chiplets.at(1).own, 0.9 / 4, 1e-9);
  EXPECT_EQ(then.chiplets.at(1).threads, 1);
  EXPECT_EQ(then.chiplets.at(2).threads, 0);
  EXPECT_NEAR(then.machine_busy, 0.125, 1e-3);
}

TEST(Watch, ACoreIsAsBusyAsItsHardwareThreadsAreOnTheAverage) {
  const Machine machine = Machine::from("pack:1 l3:2 core:2 pu:2");
  Watch watch(machine, 0, "");
  Sample sample;
  for (const double at_s : {100.0, 102.0}) {
    sample.at_s = at_s;
    // One thread of either core of the first chiplet.
    sample.cpus =
        cpu_times(machine, at_s, [&](int cpu) { return machine.core_of_cpu(cpu)->cpu == cpu && cpu < 4 ? 1.0 : 0.0; });
    const auto snapshot = watch.next(sample);
    if (at_s < 102) continue;
    EXPECT_NEAR(snapshot.chiplets.at(0).cores.at(0).busy, 0.5, 1e-9);
    EXPECT_NEAR(snapshot.chiplets.at(0).busy, 0.5, 1e-9);
    EXPECT_EQ(snapshot.chiplets.at(1).busy, 0);
  }
}

TEST(MemoryRate, IsOfTheLinesThatCameFromMemory) {
  using counters::FillSource;
  FillRates fills;
  const auto add_rate = [&](FillSource source, double per_s) {
    fills.has.add(source);
    fills.per_s[index(source)] = per_s;
  };
  add_rate(FillSource::own_chiplet, 5e9);
  add_rate(FillSource::other_chiplet, 4e9);
  add_rate(FillSource::remote_cache, 3e9);
  add_rate(FillSource::other, 1e7);
  EXPECT_FALSE(memory_rate(fills)) << "others alone may be anything";
  add_rate(FillSource::local_dram, 2e7);
  add_rate(FillSource::remote_dram, 7e7);
  EXPECT_NEAR(memory_rate(fills).value_or(0), 1e8 * 64e-9, 1e-9);
}

TEST(Watch, SeesMovesBetweenChipletsAndNotWithinThem) {
  Watch watch(four_chiplets, 4242, "prog");
  watch.next(sight_at(0, {thread(1, "a", 0, 1)}));
  EXPECT_TRUE(watch.next(sight_at(1, {thread(1, "a", 3, 2)})).moves.empty()) << "the same chiplet";
  const auto moved = watch.next(sight_at(2, {thread(1, "a", 9, 3)}));
  ASSERT_EQ(moved.moves.size(), 1U);
  EXPECT_EQ(moved.moves[0].from, 0);
  EXPECT_EQ(moved.moves[0].to, 2);
  EXPECT_DOUBLE_EQ(moved.moves[0].time_s, 2);
  EXPECT_EQ(moved.rows[0].moves, 1U);
  EXPECT_EQ(moved.moves_seen, 1U);
}

TEST(Watch, KeepsABoundedNumberOfMoves) {
  Watch watch(four_chiplets, 4242, "prog");
  Snapshot last;
  for (int i = 0; i < 200; ++i) last = watch.next(sight_at(i, {thread(1, "a", i % 2 == 0 ? 0 : 4, i)}));
  EXPECT_EQ(last.moves.size(), Watch::kept_moves);
  EXPECT_EQ(last.moves_seen, 199U);
}

TEST(Watch, ThreadsComeAndGoAndTheirNumbersAreGivenAgain) {
  Watch watch(four_chiplets, 4242, "prog");
  watch.next(sight_at(0, {thread(1, "a", 0, 100)}));
  auto snapshot = watch.next(sight_at(1, {thread(1, "a", 0, 100.5), thread(2, "new", 4, 0.25)}));
  EXPECT_NEAR(snapshot.rows.at(1).busy, 0.25, 1e-9) << "all of its time lies in the interval";
  snapshot = watch.next(sight_at(2, {thread(2, "new", 4, 0.5)}));
  EXPECT_EQ(snapshot.rows.size(), 1U);
  snapshot = watch.next(sight_at(3, {thread(2, "another", 12, 0.1)}));
  EXPECT_EQ(snapshot.rows.at(0).moves, 0U) << "it is not the thread that had the number before";
  EXPECT_NEAR(snapshot.rows.at(0).busy, 0.1, 1e-9);
}

TEST(Watch, AThreadOnACpuThatTheMachineDoesNotListHasNoChiplet) {
  Watch watch(four_chiplets, 4242, "prog");
  watch.next(sight_at(0, {thread(1, "a", 99, 1), thread(2, "b", -1, 1)}));
  const auto snapshot = watch.next(sight_at(1, {thread(1, "a", 98, 2), thread(2, "b", 0, 2)}));
  EXPECT_EQ(snapshot.rows.at(0).chiplet, -1);
  EXPECT_TRUE(snapshot.moves.empty());
}

TEST(Watch, TurnsReadingsIntoRatesAndMemoryIntoBandwidth) {
  Watch watch(four_chiplets, 4242, "prog");
  auto sample = sight_at(10, {thread(1, "a", 0, 1)});
  sample.by_thread[1] = reading(10, 1000, 5000);
  EXPECT_FALSE(watch.next(sample).fills);
  sample = sight_at(12, {thread(1, "a", 0, 2)});
  sample.by_thread[1] = reading(12, 3000, 20005000);
  const auto snapshot = watch.next(sample);
  ASSERT_TRUE(snapshot.fills);
  EXPECT_DOUBLE_EQ(snapshot.fills->per_s[index(counters::FillSource::other_chiplet)], 1000);
  EXPECT_FALSE(snapshot.fills->has.has(counters::FillSource::own_l2));
  EXPECT_DOUBLE_EQ(*snapshot.memory_gb_per_s, 0.64);
  EXPECT_DOUBLE_EQ(snapshot.rows.at(0).fills->per_s[index(counters::FillSource::other_chiplet)], 1000);
}

TEST(Watch, OfTheMachineSumsTheCpusOfAChiplet) {
  Watch watch(four_chiplets, 0, "host");
  auto sample = sight_at(0, {thread(1, "asleep", 0, 1), thread(2, "busy", 5, 1)});
  sample.by_cpu[4] = reading(0, 0, 0);
  sample.by_cpu[5] = reading(0, 0, 0);
  watch.next(sample);
  sample = sight_at(1, {thread(1, "asleep", 0, 1), thread(2, "busy", 5, 1.5)});
  sample.by_cpu[4] = reading(1, 100, 0);
  sample.by_cpu[5] = reading(1, 50, 0);
  const auto snapshot = watch.next(sample);
  ASSERT_EQ(snapshot.rows.size(), 1U) << "who sleeps is not shown";
  EXPECT_EQ(snapshot.rows[0].name, "busy");
  EXPECT_EQ(snapshot.threads, 2);
  EXPECT_FALSE(snapshot.chiplets.at(0).fills);
  EXPECT_DOUBLE_EQ(snapshot.chiplets.at(1).fills->per_s[index(counters::FillSource::other_chiplet)], 150);
  EXPECT_DOUBLE_EQ(snapshot.fills->per_s[index(counters::FillSource::other_chiplet)], 150);
}

}  // namespace
