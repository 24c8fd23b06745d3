// Fair shares: by weight, as far as wanted, whatever cpus each may use.
#include "lease/fair.hpp"

#include <algorithm>
#include <rapidcheck.h>
#include <set>

#include <gtest/gtest.h>

namespace {

using charm::CoreCpuSet;
using charm::lease::exchange;
using charm::lease::fair_counts;
using charm::lease::Holder;

CoreCpuSet cores(int from, int to) {
  CoreCpuSet all;
  for (int core = from; core < to; ++core) all.insert(core);
  return all;
}

Holder anyone(int weight, int want, CoreCpuSet may) { return {weight, want, std::move(may), {}}; }

TEST(FairCounts, OneAloneHasAllWhateverItWants) {
  EXPECT_EQ(fair_counts({anyone(1, 100, cores(0, 8))}), std::vector<int>{8});
  EXPECT_EQ(fair_counts({anyone(1, 3, cores(0, 8))}), std::vector<int>{8});
  EXPECT_EQ(fair_counts({anyone(1, 0, cores(0, 4)), anyone(1, 1, cores(4, 8))}), (std::vector{4, 4}))
      << "neither may use a core of the other";
  EXPECT_EQ(fair_counts({anyone(1, 1, cores(0, 5)), anyone(1, 1, cores(4, 8))}), (std::vector{1, 1}));
}

TEST(FairCounts, EqualsShareEquallyAndWhatOneLeavesGoesToTheOthers) {
  const auto all = cores(0, 12);
  EXPECT_EQ(fair_counts({anyone(1, 12, all), anyone(1, 12, all), anyone(1, 12, all)}), (std::vector{4, 4, 4}));
  EXPECT_EQ(fair_counts({anyone(1, 1, all), anyone(1, 12, all), anyone(1, 12, all)}), (std::vector{1, 6, 5}));
}

TEST(FairCounts, WeightsCount) {
  const auto all = cores(0, 12);
  EXPECT_EQ(fair_counts({anyone(200, 12, all), anyone(100, 12, all)}), (std::vector{8, 4}));
  EXPECT_EQ(fair_counts({anyone(1000, 12, all), anyone(1, 12, all)}), (std::vector{11, 1})) << "nobody starves";
}

/// Each of the narrow one's cores but the first is one that the heavy one had before.
TEST(FairCounts, CoresAreHandedOnAsOftenAsNeeded) {
  EXPECT_EQ(fair_counts({anyone(1000, 3, cores(0, 6)), anyone(1, 3, cores(0, 3))}), (std::vector{3, 3}));
}

TEST(FairCounts, WhoMayUseLittleGetsThatBeforeOthersDo) {
  // Both could have core 0; the second can have nothing else.
  EXPECT_EQ(fair_counts({anyone(1, 2, {0, 1}), anyone(1, 1, {0})}), (std::vector{1, 1}));
  EXPECT_EQ(fair_counts({anyone(1, 4, cores(0, 4)), anyone(1, 4, cores(0, 2)), anyone(1, 4, cores(0, 1))}),
            (std::vector{2, 1, 1}));
}

std::vector<Holder> any_holders() {
  std::vector<Holder> holders(*rc::gen::inRange<std::size_t>(1, 6));
  const int machine = *rc::gen::inRange(1, 13);
  const CoreCpuSet free = cores(0, machine);
  for (Holder& holder : holders) {
    holder.weight = *rc::gen::inRange(1, 9);
    holder.want = *rc::gen::inRange(0, 14);
    for (int core = 0; core < machine; ++core) {
      if (*rc::gen::inRange(0, 3) != 0) holder.may.insert(core);
    }
    if (holder.may.empty()) holder.may.insert(0);
  }
  for (const int core : free) {
    const auto taker = *rc::gen::inRange<std::size_t>(0, holders.size() + 1);
    if (taker < holders.size() && holders[taker].may.contains(core)) holders[taker].holds.insert(core);
  }
  return holders;
}

/// By exhaustive search: whether so many cores for each are possible at the same time.
bool possible(const std::vector<Holder>& holders, std::vector<int> counts, int core, int machine) {
  if (std::all_of(counts.begin(), counts.end(), [](int c) { return c == 0; })) return true;
  if (core == machine) return false;
  for (std::size_t h = 0; h < holders.size(); ++h) {
    if (counts[h] == 0 || !holders[h].may.contains(core)) continue;
    --counts[h];
    if (possible(holders, counts, core + 1, machine)) return true;
    ++counts[h];
  }
  return possible(holders, counts, core + 1, machine);
}

bool is_alone(const std::vector<Holder>& holders, std::size_t self) {
  for (std::size_t h = 0; h < holders.size(); ++h) {
    if (h != self && holders[h].may.intersects(holders[self].may)) return false;
  }
  return true;
}

TEST(FairCounts, CanBeMetAtOnceAndNobodyCouldHaveMoreWithoutTakingFromOneWithLess) {
  EXPECT_TRUE(rc::check([] {
    auto holders = any_holders();
    if (holders.size() > 3) holders.resize(3);
    for (Holder& holder : holders) {
      holder.may &= cores(0, 7);
      if (holder.may.empty()) holder.may.insert(0);
    }
    const auto counts = fair_counts(holders);
    RC_ASSERT(possible(holders, counts, 0, 7));
    for (std::size_t h = 0; h < holders.size(); ++h) {
      if (is_alone(holders, h)) {
        RC_ASSERT(counts[h] == static_cast<int>(holders[h].may.size()));
        continue;
      }
      RC_ASSERT(counts[h] <= holders[h].want);
      if (counts[h] == holders[h].want) continue;
      auto more = counts;
      ++more[h];
      RC_ASSERT(!possible(holders, more, 0, 7));
      for (std::size_t other = 0; other < holders.size(); ++other) {  // nor by taking from one who is due less
        if (other == h || counts[other] == 0) continue;
        auto shifted = more;
        --shifted[other];
        const double mine = static_cast<double>(holders[h].weight) / (counts[h] + 1);
        const double theirs = static_cast<double>(holders[other].weight) / counts[other];
        const bool due_more = counts[h] == 0 ? counts[other] > 1 : counts[other] > 1 && mine > theirs;
        if (due_more) RC_ASSERT(!possible(holders, shifted, 0, 7));
      }
    }
  }));
}

TEST(Exchange, LeadsToTheFairSharesInSomeStepsWhateverOneBeginsWith) {
  EXPECT_TRUE(rc::check([] {
    auto holders = any_holders();
    const auto counts = fair_counts(holders);
    // Everybody gives up what is too much, takes what is free, and exchanges; as a lease does, in any order.
    for (int round = 0; round < 200; ++round) {
      const auto h = *rc::gen::inRange<std::size_t>(0, holders.size());
      auto& holds = holders[h].holds;
      if (static_cast<int>(holds.size()) > counts[h]) {
        holds.erase(holds.back());
      } else if (static_cast<int>(holds.size()) < counts[h]) {
        for (const int core : charm::lease::free_cores(holders)) {
          if (!holders[h].may.contains(core)) continue;
          holds.insert(core);
          break;
        }
      } else if (const auto swap = exchange(holders, counts, h)) {
        holds.erase(swap->first);
        holds.insert(swap->second);
      }
    }
    // In turn, until nothing changes.
    for (int round = 0; round < 60; ++round) {
      for (std::size_t h = 0; h < holders.size(); ++h) {
        auto& holds = holders[h].holds;
        while (static_cast<int>(holds.size()) > counts[h]) holds.erase(holds.back());
        if (static_cast<int>(holds.size()) < counts[h]) {
          for (const int core : charm::lease::free_cores(holders)) {
            if (static_cast<int>(holds.size()) == counts[h]) break;
            if (!holders[h].may.contains(core)) continue;
            holds.insert(core);
          }
        } else if (const auto swap = exchange(holders, counts, h)) {
          holds.erase(swap->first);
          holds.insert(swap->second);
        }
      }
    }
    for (std::size_t h = 0; h < holders.size(); ++h) RC_ASSERT(static_cast<int>(holders[h].holds.size()) == counts[h]);
  }));
}

}  // namespace
