// Profiling a machine under load whose buses are formulas: the model gets the fits, and the weights use them.
#include "tools/memory_traffic/load_profiling.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "memory_traffic/machines.hpp"
#include "tools/memory_traffic/model_json.hpp"

namespace charm::memory_traffic::test {
namespace {

/// What a bus that carries `used` of its capacity still gives: less than the difference at first, a third at the end.
double really_left(double capacity, double used) {
  const double u = std::min(1.0, used / capacity);
  return capacity * (1 - u + u * u / 3);
}

struct LoadedMachine {
  Model model = kunpeng(30);
  double core_gb_per_s = 8;
  int cores = 16;
  std::vector<BusLoad> asked = {};

  LoadedMachine() {
    for (Domain& domain : model.domains) {
      if (domain.bus == "die") domain.out_gb_per_s = unlimited;  // as measured_model() finds it
    }
    for (Memory& memory : model.memories) memory.controller = "memory";
    model.memories.push_back({4, 1, 12, 250, "far memory"});
  }

  LoadProber prober() {
    return [this](const BusLoad& load) -> std::optional<LoadPoint> {
      asked.push_back(load);
      const int all = cores * static_cast<int>(load.readers.size());
      const int loading = static_cast<int>(load.cores * all);
      if (loading == 0 || loading == all) return std::nullopt;
      const double capacity = load.domain >= 0 ? model.domains[static_cast<std::size_t>(load.domain)].out_gb_per_s
                                               : model.memories[static_cast<std::size_t>(load.memory)].gb_per_s;
      const double traffic = std::min(capacity, loading * core_gb_per_s) * load.part;
      return LoadPoint{traffic, std::min(really_left(capacity, traffic), (all - loading) * core_gb_per_s)};
    };
  }

  [[nodiscard]] const Fit* fit_of(const std::string& type) const {
    for (const LoadFit& load : model.loads) {
      if (load.type == type) return &load.fit;
    }
    return nullptr;
  }
};

}  // namespace

TEST(LoadProfiling, EveryTypeIsLoadedOnceAndFitted) {
  LoadedMachine machine;
  measure_under_load(machine.model, machine.prober(), 0.01);
  check(machine.model, "profiled");
  ASSERT_EQ(machine.model.loads.size(), 3U);  // not the buses of the dies, which limit nothing
  const std::pair<const char*, double> types[] = {{"hydra", 30}, {"memory", 40}, {"far memory", 12}};
  for (const auto& [type, capacity] : types) {
    const Fit* found = machine.fit_of(type);
    ASSERT_NE(found, nullptr) << type;
    EXPECT_EQ(found->coefficients.size(), 3U) << type << ": a line is 2 % off, a parabola is exact";
    for (double used = 0; used <= capacity; used += 1)
      EXPECT_NEAR((*found)(used), really_left(capacity, used), 0.01 * capacity) << type << " at " << used;
  }
  EXPECT_TRUE(machine.model.notes.empty());
  for (const BusLoad& load : machine.asked) {
    if (load.domain < 0) continue;
    // The bus of socket 0: read by the other socket, from the memories behind it.
    EXPECT_EQ(load.readers, (std::vector<int>{2, 3}));
    EXPECT_EQ(load.memories, (std::vector<int>{0, 1, 4}));
  }
}

TEST(LoadProfiling, ACoarserThresholdTakesALowerDegree) {
  LoadedMachine machine;
  measure_under_load(machine.model, machine.prober(), 0.05);
  EXPECT_EQ(machine.fit_of("memory")->coefficients.size(), 2U);
}

TEST(LoadProfiling, TheModelIsWrittenAsTheGoldenFileHasIt) {
  LoadedMachine machine;
  measure_under_load(machine.model, machine.prober(), 0.01);
  const std::string text = model_to_json(machine.model);
  std::ifstream file(CHARM_TEST_DATA "/traffic/profiled.json");
  const std::string golden((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_EQ(text, golden);
  const Model read = model_from_json(golden, "golden");
  ASSERT_EQ(read.loads.size(), 3U);
  EXPECT_EQ(model_to_json(read), golden);
}

TEST(LoadProfiling, WhatIsLeftFollowsTheFitAndScalesWithTheBandwidth) {
  LoadedMachine machine;
  measure_under_load(machine.model, machine.prober(), 0.01);
  machine.model.memories[1].gb_per_s = 80;
  Bandwidths used = capacities(machine.model);
  for (auto* each : {&used.out, &used.in, &used.memory}) std::fill(each->begin(), each->end(), 0.0);
  EXPECT_EQ(remaining(machine.model, used).memory, capacities(machine.model).memory);
  used.memory = {20, 40, 100, 0, 6};
  used.out[1] = 15;
  const Bandwidths left = remaining(machine.model, used);
  EXPECT_NEAR(left.memory[0], really_left(40, 20), 0.1);
  EXPECT_NEAR(left.memory[1], really_left(80, 40), 0.2);
  EXPECT_NEAR(left.memory[2], 40.0 / 3, 0.1);  // a full one still gives a share
  EXPECT_NEAR(left.memory[4], really_left(12, 6), 0.1);
  EXPECT_NEAR(left.out[1], really_left(30, 15), 0.1);
  EXPECT_EQ(left.out[3], unlimited);
}

TEST(LoadProfiling, CoresThatCannotFillABusAreANote) {
  LoadedMachine machine;
  machine.core_gb_per_s = 0.5;
  machine.model.loads.push_back({"hydra", {{1}, 0, 0, 1}});  // of a profile before
  measure_under_load(machine.model, machine.prober());
  // All four nodes together fill the far memory, and 24 of the other socket's 32 cores do not fill its bus.
  EXPECT_EQ(machine.fit_of("hydra"), nullptr);
  EXPECT_NE(machine.fit_of("far memory"), nullptr);
  ASSERT_FALSE(machine.model.notes.empty());
  EXPECT_NE(machine.model.notes[0].find("the buses of type 'hydra' were not measured under load"), std::string::npos);
  EXPECT_EQ(left_of(machine.model, "hydra", 30, 12), 18);
}

TEST(LoadProfiling, AQuarterOfTheCoresIsTheLoadWhereTheOthersNeedTheRest) {
  LoadedMachine machine;
  machine.core_gb_per_s = 3.4;  // 12 of a die's 16 cores fill its controller
  measure_under_load(machine.model, machine.prober(), 0.01);
  EXPECT_TRUE(std::any_of(machine.asked.begin(), machine.asked.end(), [](const BusLoad& load) {
    return load.memory == 0 && load.cores == 0.25 && load.part == 1;
  }));
}

TEST(LoadProfiling, ACurveThatNoPolynomialFitsIsANote) {
  LoadedMachine machine;
  const LoadProber smooth = machine.prober();
  int calls = 0;
  measure_under_load(machine.model, [&](const BusLoad& load) {
    auto point = smooth(load);
    if (point && load.part > 0 && ++calls % 2 == 0) point->gb_per_s = 0;
    return point;
  });
  ASSERT_FALSE(machine.model.notes.empty());
  EXPECT_NE(machine.model.notes[0].find("no polynomial is closer than"), std::string::npos) << machine.model.notes[0];
}

TEST(LoadProfiling, OneMemoryIsNotLoaded) {
  Model model;
  model.domains = {{.name = "machine", .level = Level::machine}, {.name = "node0", .parent = 0, .os_node = 0}};
  model.memories = {{0, 1, 33, 88, "memory"}};
  measure_under_load(model, [](const BusLoad&) -> std::optional<LoadPoint> {
    ADD_FAILURE() << "measured";
    return std::nullopt;
  });
  EXPECT_TRUE(model.loads.empty());
  EXPECT_TRUE(model.notes.empty());
}

TEST(LoadProfiling, DamagedFitsAreRefusedWithTheirPlace) {
  LoadedMachine machine;
  measure_under_load(machine.model, machine.prober(), 0.01);
  const std::string good = model_to_json(machine.model);
  const auto expect = [&](const std::string& what, const std::string& with, const std::string& said) {
    std::string text = good;
    const std::size_t at = text.find(what);
    ASSERT_NE(at, std::string::npos) << what;
    text.replace(at, what.size(), with);
    try {
      model_from_json(text, "m.json");
      ADD_FAILURE() << with;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("m.json: " + said), std::string::npos) << error.what();
    }
  };
  expect("\"under_load\": [", "\"under_load\": 3, \"notes\": [", "'under_load' is no list");
  expect("\"coefficients\": [", "\"coefficients\": [null, ", "under_load[0]: a coefficient is no number");
  expect("\"most_traffic_gb_per_s\": 30.0", "\"most_traffic_gb_per_s\": -1",
         "the fit of 'hydra' has no usable traffic");
  expect("\"type\": \"memory\"", "\"type\": \"hydra\"", "the fit of 'hydra' is there twice");
  expect("\"most_traffic_gb_per_s\": 30.0", "\"most\": 30", "under_load[0]: 'most' is no key of it");
}

}  // namespace charm::memory_traffic::test
