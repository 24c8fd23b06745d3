#include "tools/probe/profile.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/folder.hpp"
#include "placement/placement_policy.hpp"
#include "tools/probe/measuring/measure.hpp"
#include "tools/probe/picture.hpp"
#include "topology/discovery.hpp"
#include "topology/profile.hpp"

using namespace charm;
using namespace charm::probe;

namespace {

/// A guest of 16 cpus that is told of one last-level cache for all.
Machine guest() { return Machine::from("pack:1 l3:1 core:16 pu:1"); }

/// What a measurement of it finds: four chiplets of four cores.
Profile measured(const Machine& machine) {
  Profile profile;
  profile.key = topology::key_of(machine);
  profile.date = "2026-01-01T00:00:00Z";
  profile.cpus = machine.allowed_cpus.values();
  profile.latency = LatencyMatrix(16);
  for (int i = 0; i < 16; ++i) {
    for (int j = 0; j < i; ++j) profile.latency.set(i, j, i % 4 == j % 4 ? 25 + i % 3 : 100 + j % 5);
  }
  profile.bandwidth = LatencyMatrix(16);
  profile.seen = cluster(profile.latency);
  profile.curves = {{"Latency by working set", "working set", "B", "latency", "ns", {{"own", {{4096, 1.5, 0.01}}}}}};
  profile.notes = {"a note"};
  profile.system = machine;
  summarise_profile(profile, machine);
  return profile;
}

/// What start-up does with a stored profile.
Machine applied(const Machine& machine, const Profile& profile) {
  return topology::apply_profile(machine, topology::parse_profile_picture(profile_json(profile), "p.json"));
}

/// A folder and variables for one test.
class Stored : public testing::Test {
 protected:
  Stored() { setenv("XDG_DATA_HOME", folder_.c_str(), 1); }
  ~Stored() override {
    for (const char* name : {"XDG_DATA_HOME", "CHARM_TOPOLOGY", "CHARM_PROFILE"}) unsetenv(name);
  }
  test::Folder own_;
  std::string folder_ = own_.path();
};

bool noted(const Machine& machine, const std::string& part) {
  return std::any_of(machine.notes.begin(), machine.notes.end(),
                     [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

TEST(Profile, WhatIsWrittenIsReadBack) {
  const Profile before = measured(guest());
  const Profile after = parse_profile(profile_json(before), "p.json");
  EXPECT_EQ(after.key, before.key);
  EXPECT_EQ(after.seen.chiplets, before.seen.chiplets);
  EXPECT_EQ(after.latency.at(5, 9), before.latency.at(5, 9));
  EXPECT_EQ(after.notes, before.notes);
  EXPECT_EQ(profile_json(after), profile_json(before));
}

TEST(Profile, ChipletsThatTheSystemHidesAreTakenFromTheMeasurement) {
  const Machine before = guest();
  ASSERT_EQ(before.chiplets.size(), 1U);
  const Machine after = applied(before, measured(before));
  ASSERT_EQ(after.chiplets.size(), 4U);
  for (const auto& chiplet : after.chiplets) {
    ASSERT_EQ(chiplet.cores.size(), 4U);
    const int first = after.cores[static_cast<std::size_t>(chiplet.cores[0])].cpu;
    for (int core : chiplet.cores) {
      EXPECT_EQ(after.cores[static_cast<std::size_t>(core)].cpu % 4, first % 4);
      EXPECT_EQ(after.cores[static_cast<std::size_t>(core)].chiplet, chiplet.id);
      EXPECT_EQ(after.cores[static_cast<std::size_t>(core)].id, core);
    }
  }
  EXPECT_EQ(after.sockets[0].chiplets, (ChipletSet{0, 1, 2, 3}));
  EXPECT_GT(after.notes.size(), before.notes.size());
}

TEST(Profile, WhateverNumberStandsInItItIsRefusedOrDrawn) {
  const auto flat = nlohmann::json::parse(profile_json(measured(guest()))).flatten();
  const std::regex later("/([2-9]|[0-9]{2,})(/|$)");  // the first two of each list will do
  int refused = 0;
  for (const auto& [where, value] : flat.items()) {
    if (!value.is_number() || std::regex_search(where, later)) continue;
    for (const double number : {1e308, -1e308, 1e-308, 2e9}) {
      auto other = flat;
      other[where] = number;
      try {
        const Profile profile = parse_profile(other.unflatten().dump(), "p.json");
        EXPECT_FALSE(profile_html(profile).empty());
        EXPECT_FALSE(profile_text(profile, {}).empty());
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), Errc::bad_input);
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 0);
}

TEST(Profile, BadFilesAreRefusedInOneLine) {
  for (const std::string text : {"", "{", "[]", "{\"charm_profile\": 2}", "{\"charm_profile\": 1}",
                                 "{\"charm_profile\": 99}", "{\"charm_profile\": \"x\"}"}) {
    try {
      parse_profile(text, "p.json");
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::bad_input);
      const std::string what = error.what();
      EXPECT_EQ(what.find("p.json"), 0U) << what;
      EXPECT_EQ(what.find('\n'), std::string::npos);
    }
  }
}

TEST_F(Stored, ItIsKeptUnderTheXdgDirectoryByMachineAndCpuSet) {
  const Profile profile = measured(guest());
  const std::string path = profile_path(profile.key);
  EXPECT_EQ(path.find(folder_ + "/charm/profiles/"), 0U);
  store_profile(profile, path);
  EXPECT_EQ(profile_json(load_profile(path)), profile_json(profile));
  topology::ProfileKey other = profile.key;
  other.measured_cpus.erase(other.measured_cpus.back());
  EXPECT_NE(profile_path(other), path);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_ + "/charm/profiles"), {}), 1);
}

TEST_F(Stored, PlacementAndStealingSeeTheChipletsThatAGuestHides) {
  const std::string file = folder_ + "/guest.json";
  store_profile(measured(guest()), file);
  setenv("CHARM_TOPOLOGY", "pack:1 l3:1 core:16 pu:1", 1);
  setenv("CHARM_PROFILE", file.c_str(), 1);
  const Machine machine = Machine::discover();
  ASSERT_EQ(machine.chiplets.size(), 4U);
  EXPECT_EQ(machine.chiplet_source, ChipletSource::measured);
  EXPECT_EQ(machine.measured.profile, file);
  EXPECT_EQ(machine.measured.core_latency_ns, 26);
  EXPECT_EQ(machine.measured.chiplet_latency_ns, 102);

  placement::Request request;
  request.workers = 4;
  std::set<int> together, apart;
  const auto local = placement::policy("local").place(machine, request);
  const auto distributed = placement::policy("distributed").place(machine, request);
  for (const WorkerCore& worker_core : local.start()) together.insert(worker_core.cpu % 4);
  for (const WorkerCore& worker_core : distributed.start()) apart.insert(worker_core.cpu % 4);
  EXPECT_EQ(together.size(), 1U);  // a measured chiplet is every fourth cpu
  EXPECT_EQ(apart.size(), 4U);
  const Core* zero = machine.core_of_cpu(0);
  EXPECT_EQ(machine.distance(zero->id, machine.core_of_cpu(4)->id), 1);
  EXPECT_EQ(machine.distance(zero->id, machine.core_of_cpu(1)->id), 2);

  setenv("CHARM_PROFILE", "off", 1);
  EXPECT_EQ(Machine::discover().chiplets.size(), 1U);
}

TEST_F(Stored, ANamedProfileOfAnotherMachineIsRefusedWithTheReason) {
  const std::string file = folder_ + "/guest.json";
  store_profile(measured(guest()), file);
  const auto found = topology::discover_quietly({"pack:1 l3:1 core:8 pu:1", file, {}});
  EXPECT_EQ(found.machine.chiplets.size(), 1U);
  EXPECT_TRUE(found.machine.measured.profile.empty());
  EXPECT_TRUE(noted(found.machine, "16"));
  ASSERT_EQ(found.notices.size(), 1U);
  EXPECT_EQ(found.notices[0].first, "profile");
  EXPECT_NE(found.notices[0].second.find(file), std::string::npos);
  EXPECT_THROW(topology::discover_quietly({"pack:1 l3:1 core:8 pu:1", folder_ + "/nowhere.json", {}}), Error);
}

TEST_F(Stored, ThisMachinesProfileIsPickedUpAndOneOfOtherCpusIsNot) {
  const Machine bare = topology::discover_quietly({"", "off", {}}).machine;
  if (!bare.is_live()) GTEST_SKIP() << "hwloc shows another machine";
  Profile profile;
  profile.key = topology::key_of(bare);
  profile.date = "2026-01-01T00:00:00Z";
  profile.cpus = bare.allowed_cpus.values();
  profile.latency = profile.bandwidth = LatencyMatrix(static_cast<int>(profile.cpus.size()));
  profile.seen = cluster(profile.latency);
  profile.system = bare;
  profile.summary.memory_gb_per_s = 12.5;
  summarise_profile(profile, bare);
  const std::string path = profile_path(profile.key);
  store_profile(profile, path);
  const Machine machine = topology::discover_quietly({"", "auto", {}}).machine;
  EXPECT_EQ(machine.measured.profile, path);
  EXPECT_EQ(machine.measured.memory_gb_per_s, 12.5);

  std::filesystem::remove(path);
  profile.key.measured_cpus.insert(4095);
  store_profile(profile, profile_path(profile.key));
  const auto other = topology::discover_quietly({"", "auto", {}});
  EXPECT_TRUE(other.machine.measured.profile.empty());
  EXPECT_TRUE(noted(other.machine, "4095"));
  EXPECT_FALSE(other.notices.empty());
}

TEST_F(Stored, AProfileIsAMachineThatIsNotHere) {
  const std::string file = folder_ + "/guest.json";
  store_profile(measured(guest()), file);
  const Machine machine = Machine::from(file);
  EXPECT_EQ(machine.origin, "profile:" + file);
  EXPECT_EQ(machine.chiplets.size(), 4U);
  EXPECT_EQ(machine.cores.size(), 16U);
  EXPECT_FALSE(machine.is_live());
}

TEST(Profile, DistancesAndBandwidthsBetweenNodesComeFromTheMeasurement) {
  Machine machine = Machine::from("pack:2 numa:1 l3:1 core:8 pu:1");
  machine.node_distance.clear();
  Profile profile = measured(machine);
  for (int i = 0; i < 16; ++i) {
    for (int j = 0; j < i; ++j) profile.latency.set(i, j, i / 8 == j / 8 ? 50 : 150);
  }
  profile.seen = cluster(profile.latency);
  profile.summary.node_gb_per_s = {{20, 9}, {8, 21}};
  summarise_profile(profile, machine);
  const Machine after = applied(machine, profile);
  ASSERT_EQ(after.node_distance.size(), 2U);
  EXPECT_EQ(after.node_distance[0][1], 30);
  EXPECT_EQ(after.measured.node_gb_per_s[1][0], 8);
}

/// Two sockets with 16 MiB of L3 and 512 KiB of L2 each.
TEST(Profile, LatenciesOfCachesAndMemoriesComeFromTheCurve) {
  const Machine machine = Machine::from("pack:2 numa:1 l3:1(size=16777216) l2:8(size=524288) core:1 pu:1");
  const double mib = 1 << 20;
  Profile profile = measured(machine);
  profile.curves = {
      {"Latency by working set",
       "working set",
       "B",
       "latency",
       "ns",
       {{"node 0 (own)",
         {{mib / 2, 9, 0}, {mib, 13, 0}, {4 * mib, 14, 0}, {8 * mib, 16, 0}, {16 * mib, 60, 0}, {64 * mib, 101, 0}}},
        {"node 1", {{mib, 13, 0}, {64 * mib, 190, 0}}}}}};
  summarise_profile(profile, machine);
  const Measured& numbers = applied(machine, profile).measured;
  EXPECT_EQ(numbers.l3_latency_ns, 14);
  EXPECT_EQ(numbers.memory_latency_ns, (std::vector<std::vector<double>>{{101, 190}, {0, 0}}));
  // A measurement that was cut off within the caches says nothing about memory.
  for (Series& series : profile.curves[0].series) series.points.back().x = 31 * mib;
  summarise_profile(profile, machine);
  EXPECT_EQ(applied(machine, profile).measured.memory_latency_ns[0], (std::vector<double>{0, 0}));
}

TEST(Profile, WithoutTheLatenciesOfMemoryIsStillRead) {
  const Machine machine = guest();
  std::string text = profile_json(measured(machine));
  for (const std::string key : {"\"l3_latency_ns\"", "\"memory_latency_ns\""}) {
    ASSERT_NE(text.find(key), std::string::npos);
    text.replace(text.find(key), key.size(), "\"unknown\"");
  }
  const auto picture = topology::parse_profile_picture(text, "p.json");
  EXPECT_EQ(topology::apply_profile(machine, picture).measured.memory_latency_ns.size(), 0U);
}

TEST(Measure, AMachineOnPaperCannotBeMeasured) {
  const std::atomic<bool> stop{false};
  EXPECT_THROW(measure(guest(), {}, [](const charm::probe::Progress&) {}, stop), Error);
}

TEST(Measure, StoppedBeforeItBeganItIsPartial) {
  const std::atomic<bool> stop{true};
  const Profile profile = measure(Machine::discover(), {}, [](const charm::probe::Progress&) {}, stop);
  EXPECT_TRUE(profile.partial);
  EXPECT_TRUE(profile.curves.empty());
  EXPECT_TRUE(parse_profile(profile_json(profile), "p").partial);
}

TEST(Measure, ProgressGrowsToTheWhole) {
  const std::atomic<bool> stop{false};
  MeasureOptions options;
  options.stream = options.working_set = options.writes = options.bandwidth = false;
  options.budget_s = 1;
  double last = 0;
  const Machine machine = Machine::discover();
  const Profile profile = measure(
      machine, options,
      [&](const charm::probe::Progress& now) {
        EXPECT_GE(now.share, last - 1e-9);
        EXPECT_GE(now.left_s, 0);
        last = now.share;
      },
      stop);
  EXPECT_NEAR(last, 1, 1e-6);
  EXPECT_FALSE(profile.partial);
  EXPECT_EQ(profile.cpus, machine.allowed_cpus.values());
  // A pair whose cpus were taken by others for all of its time is left blank, and that is said.
  if (profile.cpus.size() > 1 && !profile.latency.measured(0, 1)) {
    EXPECT_TRUE(std::any_of(profile.notes.begin(), profile.notes.end(),
                            [](const std::string& note) { return note.find("too long") != std::string::npos; }));
  }
}

}  // namespace
