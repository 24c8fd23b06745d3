// What counting may take: open files, divided among threads, and time, between readings and switches.
#include "counters/ration.hpp"

#include <algorithm>
#include <utility>

#include <gtest/gtest.h>

#include "counters/sources.hpp"

namespace charm::counters {
namespace {

TEST(Ration, LeavesEveryThreadItsEventsWhereThereAreFilesEnough) {
  for (const auto& [files, threads] : {std::pair<std::size_t, int>{0, 384}, {1U << 20U, 384}, {1024, 128}, {1024, 0}}) {
    const FileRation files_of = ration(files, threads, 6);
    EXPECT_EQ(files_of.threads, threads);
    EXPECT_EQ(files_of.events, 6);
  }
}

TEST(Ration, GivesEachThreadFewerEventsAndThenCountsFewerThreads) {
  EXPECT_EQ(ration(1024, 192, 6).threads, 192);
  EXPECT_EQ(ration(1024, 192, 6).events, 4);
  EXPECT_EQ(ration(1024, 384, 6).threads, 256);
  EXPECT_EQ(ration(1024, 384, 6).events, 3);
  for (int threads = 1; threads < 2000; ++threads) {
    const FileRation files = ration(1024, threads, 6);
    EXPECT_LE(files.threads * files.events, 768) << threads;
    EXPECT_LE(files.threads, threads);
  }
}

TEST(Ration, ByGroupsCountsAsManyThreadsAsTheirGroupsHaveFiles) {
  const EventPlan plan = make_plan(model_named("spr"), {8, 8, 2}, {});
  ASSERT_EQ(plan.groups.size(), 3U);
  const Limits limits = limits_of(*model_named("spr"));
  EXPECT_EQ(rationed(plan, 0, 1000, true, limits).threads, 1000) << "no limit";
  for (const std::size_t files : {40U, 400U, 4000U}) {
    const RationedPlan few = rationed(plan, files, 1000, true, limits);
    const int groups = static_cast<int>(few.plan.groups.size());
    EXPECT_EQ(few.threads, std::min(1000, static_cast<int>(files_for_counters(files)) / groups)) << files;
  }
}

TEST(Ration, SpreadsTheCountedThreadsEvenly) {
  for (const auto& [counted, threads] : {std::pair{256, 384}, {192, 192}, {1, 7}, {6, 7}, {0, 5}}) {
    int all = 0, in_a_row = 0, longest = 0;
    for (int thread = 0; thread < threads; ++thread) {
      const bool is = is_counted(thread, counted, threads);
      all += is ? 1 : 0;
      in_a_row = is ? 0 : in_a_row + 1;
      longest = std::max(longest, in_a_row);
    }
    EXPECT_EQ(all, counted);
    if (counted > 0) {
      EXPECT_LE(longest, threads / counted);
    }
  }
}

TEST(Ration, KeepsTheEventsThatTellMost) {
  const CpuModel* zen4 = model_named("zen4");
  const EventPlan whole = make_plan(zen4, {2, 2, 2}, {});
  const EventPlan three = trimmed(whole, 3, limits_of(*zen4));
  ASSERT_EQ(three.groups.size(), 1U);
  EXPECT_EQ(three.groups[0].size(), 3U);
  EXPECT_TRUE(three.counts(EventRole::instructions));
  EXPECT_EQ(told_apart(three.classes), (FillSet{FillSource::other_chiplet, FillSource::local_dram}));
  EXPECT_NE(three.notes.back().find("remote_dram"), std::string::npos) << three.notes.back();
  EXPECT_EQ(trimmed(whole, 6, limits_of(*zen4)).notes, whole.notes) << "nothing is left out";
}

TEST(Ration, KeepsSumsWhole) {
  const CpuModel* n1 = model_named("neoverse-n1");
  const EventPlan whole = make_plan(n1, {2, 2, 2}, {});
  for (int events = 1; events < 8; ++events) {
    const EventPlan less = trimmed(whole, events, limits_of(*n1));
    for (const FillClass& one : less.classes) {
      const auto count = [&](const EventPlan& plan) {
        int found = 0;
        for (const auto& group : plan.groups) {
          for (const Planned& planned : group)
            found += planned.role == EventRole::fill && planned.source == one.reported_as ? 1 : 0;
        }
        return found;
      };
      EXPECT_EQ(count(less), count(whole)) << events << " " << name(one.reported_as);
    }
  }
}

TEST(Ration, OfTimeIsHalfAPercentAtMost) {
  EXPECT_LE(readings_share + switches_share, 0.005 + 1e-12);
  EXPECT_NEAR(reading_pause(30e-6), 0.010, 1e-9);
  EXPECT_NEAR(most_switches(30e-6), 66.7, 0.1);
  EXPECT_EQ(most_switches(0), 0);
}

}  // namespace
}  // namespace charm::counters
