// What speaks against a measurement, and what follows from a profile that is doubtful. And: every step ends when its
// time is up, by a clock that the test turns.
#include "tools/probe/measuring/doubts.hpp"

#include <charm/machine.hpp>

#include <algorithm>
#include <atomic>

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "os/threads/affinity.hpp"
#include "tools/probe/measuring/measure.hpp"
#include "tools/probe/measuring/progress_plan.hpp"
#include "tools/probe/measuring/stream.hpp"
#include "tools/probe/measuring/working_set.hpp"
#include "topology/discovery.hpp"

using namespace charm;
using namespace charm::probe;
using charm::test::has;

namespace {

Profile quiet() {
  Profile profile;
  profile.cpus = {0, 1, 2, 3};
  profile.latency = LatencyMatrix(4);
  profile.latency_spread.assign(4, std::vector<double>(4, 0.01));
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < i; ++j) profile.latency.set(i, j, i / 2 == j / 2 ? 25 : 100);
  }
  profile.bandwidth = LatencyMatrix(4);
  profile.seen = cluster(profile.latency);
  profile.date = "2026-01-01T00:00:00Z";
  profile.summary.memory_gb_per_s = 40;
  profile.curves = {
      {"STREAM by processes", "processes", "", "bandwidth", "GB/s", {{"triad", {{1, 38, 0}, {4, 40, 0}}}}},
      {"Latency by working set",
       "working set",
       "B",
       "latency",
       "ns",
       {{"node 0", {{4096, 1.2, 0}, {1 << 28, 90, 0}}}}}};
  return profile;
}

std::string doubts_of(const Profile& profile) {
  std::string all;
  for (const auto& doubt : doubts_about(profile)) all += doubt + "\n";
  return all;
}

TEST(Doubts, AQuietMeasurementHasNone) { EXPECT_EQ(doubts_of(quiet()), ""); }

TEST(Doubts, OtherWorkOnTheCpusIsOne) {
  Profile busy = quiet();
  busy.busy = 0.67;
  EXPECT_TRUE(has(doubts_of(busy), "67 % busy"));
}

TEST(Doubts, ResultsThatContradictEachOtherAreOne) {
  Profile stream = quiet();
  stream.curves[0].series[0].points = {{1, 2.65, 0}, {2, 111, 0}};
  EXPECT_TRUE(has(doubts_of(stream), "2.65 GB/s to one process and 111 GB/s to 2 processes"));
  Profile memory = quiet();
  memory.summary.memory_gb_per_s = 5000;
  EXPECT_TRUE(has(doubts_of(memory), "memory gave"));
  Profile caches = quiet();
  caches.curves[1].series[0].points.front().y = 400;
  EXPECT_TRUE(has(doubts_of(caches), "the smallest working set took 400 ns"));
  Profile slow = quiet();
  for (int i = 1; i < 4; ++i) slow.latency.set(i, 0, 50000), slow.latency.set(3, i % 3, 60000);
  EXPECT_TRUE(has(doubts_of(slow), "from core to core"));
}

TEST(Doubts, UnevenAndMissingPairsAre) {
  Profile uneven = quiet();
  for (auto& row : uneven.latency_spread) row.assign(4, 0.5);
  EXPECT_TRUE(has(doubts_of(uneven), "6 of 6 latencies spread"));
  Profile missing = quiet();
  missing.latency = LatencyMatrix(4);
  missing.latency.set(1, 0, 25);
  EXPECT_TRUE(has(doubts_of(missing), "only 1 of 6 pairs"));
  missing.sampled = true;
  EXPECT_EQ(doubts_of(missing), "");
}

/// A guest of four cpus behind one cache that is two, as measured.
Profile of_a_guest(const Machine& machine, std::vector<std::string> doubts) {
  Profile profile = quiet();
  profile.key = topology::key_of(machine);
  profile.cpus = machine.allowed_cpus.values();
  profile.latency = profile.bandwidth = LatencyMatrix(8);
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < i; ++j) profile.latency.set(i, j, i / 4 == j / 4 ? 25 : 100);
  }
  profile.seen = cluster(profile.latency);
  profile.seen.chiplets = {{0, 1, 2, 3}, {4, 5, 6, 7}};
  profile.seen.confidence.chiplets = 0.95;
  profile.system = machine;
  profile.doubts = std::move(doubts);
  summarise_profile(profile, machine);
  return profile;
}

Machine applied(const Profile& profile) {
  const auto picture = topology::parse_profile_picture(profile_json(profile), "p.json");
  return topology::apply_profile(*profile.system, picture);
}

TEST(Doubts, OfAProfileStandInTheMachineAndNothingRestsOnIt) {
  const Machine guest = Machine::from("pack:1 l3:1 core:8 pu:1");
  EXPECT_EQ(applied(of_a_guest(guest, {})).chiplets.size(), 2U);
  const Machine m = applied(of_a_guest(guest, {"the cpus were 67 % busy"}));
  EXPECT_EQ(m.chiplets.size(), 1U);
  EXPECT_EQ(m.measured.doubts, std::vector<std::string>{"the cpus were 67 % busy"});
  EXPECT_TRUE(std::any_of(m.notes.begin(), m.notes.end(),
                          [](const auto& note) { return has(note, "doubtful") && has(note, "67 % busy"); }));
  const auto found = topology::completed(m, {{}, "off", {}});
  EXPECT_TRUE(
      std::any_of(found.notices.begin(), found.notices.end(), [](const auto& n) { return has(n.second, "67"); }));
}

TEST(Doubts, OfAProfileOfBeforeAreItsMarkOfNotBeingIdle) {
  const Machine guest = Machine::from("pack:1 l3:1 core:8 pu:1");
  std::string json = profile_json(of_a_guest(guest, {}));
  const auto idle = json.find("\"idle\": true");
  ASSERT_NE(idle, std::string::npos);
  json.replace(idle, 12, "\"idle\": false");
  const auto doubts = json.find("\"doubts\"");
  json.replace(doubts, 8, "\"then\"");
  EXPECT_EQ(topology::parse_profile_picture(json, "p.json").doubts.size(), 1U);
}

TEST(Doubts, PairsThatWereMeasuredAreNoChiplets) {
  const Machine guest = Machine::from("pack:1 l3:1 core:8 pu:1");
  Profile pairs = of_a_guest(guest, {});
  pairs.seen.chiplets = {{0, 1}, {2, 3}, {4, 5}, {6, 7}};
  EXPECT_EQ(applied(pairs).chiplets.size(), 1U);
}

// ---- the budget ----

std::atomic<int> looks{0};

/// A minute goes by between two looks at it.
double hurried() { return 60e9 * looks.fetch_add(1); }

TEST(Budget, AStepMayGoOnUntilItsShareOfWhatIsLeft) {
  static double now = 0;
  const std::atomic<bool> stop{false};
  const std::function<void(const probe::Progress&)> nobody = [](const probe::Progress&) {};
  ProgressPlan plan(nobody, stop, [] { return now; });
  plan.expect(2), plan.expect(8);
  plan.allow(20);
  plan.begin("first", 2);
  EXPECT_NEAR(plan.until().left_ms(), 4000, 1);
  now = 3.9e9;
  EXPECT_FALSE(plan.over());
  now = 10e9;
  EXPECT_TRUE(plan.over());
  plan.begin("second", 8);
  EXPECT_NEAR(plan.until().left_ms(), 10000, 1);
  now = 21e9;
  EXPECT_TRUE(plan.over());
  EXPECT_TRUE(plan.over());
  EXPECT_EQ(plan.cut_short(), (std::vector<std::string>{"first", "second"}));
}

TEST(Budget, WhatIsOutOfTimeMeasuresNothingMore) {
  const int cpu = os::allowed_cpus().front();
  const Deadline past{-1, [] { return 0.0; }};
  EXPECT_EQ(working_set(cpu, -1, 1 << 20, 1e9, past).latency_ns.median, 0);
  EXPECT_EQ(read_rate(cpu, -1, 1 << 20, 1e9, past).median, 0);
  EXPECT_EQ(write_once({cpu}, 1 << 20, 1e9, past).median, 0);
  EXPECT_EQ(stream({{cpu}}, 1 << 20, 1000000, past).best_gb_per_s[0], 0);
  EXPECT_EQ(stream({{cpu}, {cpu}}, 1 << 20, 1000000, past).best_gb_per_s[3], 0);
}

TEST(Budget, AMeasurementEndsWhenItsTimeIsUpAndSaysWhatIsMissing) {
  const std::atomic<bool> stop{false};
  MeasureOptions options;
  options.budget_s = 1;
  options.clock = hurried;
  const Profile profile =
      measure(topology::discover_quietly({"", "off", {}}).machine, options, [](const probe::Progress&) {}, stop);
  EXPECT_FALSE(profile.partial);
  const auto noted = [&](const std::string& part) {
    return std::any_of(profile.notes.begin(), profile.notes.end(), [&](const auto& n) { return has(n, part); });
  };
  EXPECT_TRUE(noted("no time for all of this: STREAM"));
  EXPECT_TRUE(noted("no time for all of this: writes"));
  if (profile.cpus.size() > 1) {
    EXPECT_TRUE(noted("pairs were left out for want of time"));
  }
}

}  // namespace
