#include "probe/profile.hpp"

#include <charm/error.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "probe/measure.hpp"

using namespace charm;
using namespace charm::probe;

namespace {

/// A guest of 16 cpus that is told of one last-level cache for all.
Machine guest() { return Machine::from("pack:1 l3:1 core:16 pu:1"); }

/// What a measurement of it finds: four chiplets of four cores.
Profile measured(const Machine& machine) {
  Profile profile;
  profile.key = key_of(machine);
  profile.date = "2026-01-01T00:00:00Z";
  profile.cpus = machine.allowed_cpus;
  profile.latency = LatencyMatrix(16);
  for (int i = 0; i < 16; ++i) {
    for (int j = 0; j < i; ++j) profile.latency.set(i, j, i % 4 == j % 4 ? 25 + i % 3 : 100 + j % 5);
  }
  profile.bandwidth = LatencyMatrix(16);
  profile.seen = cluster(profile.latency);
  profile.curves = {{"Latency by working set", "working set", "B", "latency", "ns", {{"own", {{4096, 1.5, 0.01}}}}}};
  profile.notes = {"a note"};
  return profile;
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
  const Machine after = apply_profile(before, measured(before));
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
  EXPECT_EQ(after.sockets[0].chiplets, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_GT(after.notes.size(), before.notes.size());
}

TEST(Profile, WhatIsPartialOrUnsureChangesNothing) {
  Profile partial = measured(guest());
  partial.partial = true;
  EXPECT_EQ(apply_profile(guest(), partial).chiplets.size(), 1U);
  Profile unsure = measured(guest());
  unsure.seen.confidence.chiplets = 0.5;
  EXPECT_EQ(apply_profile(guest(), unsure).chiplets.size(), 1U);
}

TEST(Profile, WhereTheSystemShowsChipletsTheyStand) {
  const Machine machine = Machine::from("pack:1 l3:2 core:8 pu:1");
  const Machine after = apply_profile(machine, measured(machine));
  EXPECT_EQ(after.chiplets.size(), 2U);
  EXPECT_GT(after.notes.size(), machine.notes.size());
}

std::string refusal(const Machine& machine, const Profile& profile) {
  try {
    apply_profile(machine, profile);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::refused);
    return error.what();
  }
  return "";
}

TEST(Profile, OneOfAnotherMachineOrCpuSetIsRefusedWithTheReason) {
  const Profile profile = measured(guest());
  EXPECT_EQ(mismatch(profile, guest()), "");
  EXPECT_NE(refusal(Machine::from("pack:1 l3:1 core:8 pu:1"), profile).find("cpus"), std::string::npos);
  Machine renamed = guest();
  renamed.name = "another";
  EXPECT_NE(refusal(renamed, profile).find("another"), std::string::npos);
  Machine fewer = guest();
  fewer.allowed_cpus.pop_back();
  EXPECT_NE(refusal(fewer, profile).find("15"), std::string::npos);
}

TEST(Profile, BadFilesAreRefusedInOneLine) {
  for (const std::string text :
       {"", "{", "[]", "{\"charm_profile\": 1}", "{\"charm_profile\": 99}", "{\"charm_profile\": \"x\"}"}) {
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

TEST(Profile, ItIsKeptUnderTheXdgDirectoryByMachineAndCpuSet) {
  const std::string folder = testing::TempDir() + "charm_profile_test";
  setenv("XDG_DATA_HOME", folder.c_str(), 1);
  const Profile profile = measured(guest());
  const std::string path = profile_path(profile.key);
  EXPECT_EQ(path.find(folder + "/charm/profiles/"), 0U);
  store_profile(profile, path);
  EXPECT_EQ(profile_json(load_profile(path)), profile_json(profile));
  MachineKey other = profile.key;
  other.measured_cpus.pop_back();
  EXPECT_NE(profile_path(other), path);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder + "/charm/profiles"), {}), 1);
  std::filesystem::remove_all(folder);
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
  EXPECT_EQ(profile.cpus, machine.allowed_cpus);
  if (profile.cpus.size() > 1) {
    EXPECT_TRUE(profile.latency.measured(0, 1));
    EXPECT_GT(profile.latency.at(0, 1), 0);
  }
}

}  // namespace
