// Machines that never were: nearly all are recognised exactly, and no wrong answer is given with confidence.
#include <string>

#include <gtest/gtest.h>

#include "synthetic_machine.hpp"
#include "thorough.hpp"
#include "tools/probe/measuring/pair_plan.hpp"
#include "tools/probe/structure/landmarks.hpp"

using namespace charm::probe;
using namespace charm::probe::testing;

namespace {

struct Score {
  int machines = 0, wrong_chiplets = 0, wrong_smt = 0;
  std::string misses;
  std::string boasts;  // wrong answers with a confidence above 0.9
  void add(const Synthetic& machine) {
    const auto seen = cluster(machine.matrix);
    ++machines;
    wrong_chiplets += seen.chiplets != machine.chiplets;
    if (seen.chiplets != machine.chiplets) misses += machine.description + "\n";
    wrong_smt += seen.smt != machine.smt;
    const auto check = [&](const char* level, const Partition& got, const Partition& want, double confidence) {
      if (got != want && confidence > 0.9) boasts += std::string(level) + ": " + machine.description + "\n";
    };
    check("smt", seen.smt, machine.smt, seen.confidence.smt);
    check("chiplets", seen.chiplets, machine.chiplets, seen.confidence.chiplets);
    check("nodes", seen.nodes, machine.nodes, seen.confidence.nodes);
    check("sockets", seen.sockets, machine.sockets, seen.confidence.sockets);
  }
};

/// Other shapes than those that the clustering was developed on.
Choice unseen() {
  Choice choice;
  choice.sockets = {1, 1, 2, 2, 3, 4, 6, 8};
  choice.nodes = {1, 1, 1, 2, 3, 4};
  choice.chiplets = {1, 2, 3, 4, 5, 6, 8, 9};
  choice.cores = {3, 4, 4, 5, 6, 7, 8, 8, 11, 14, 16, 20, 28};
  return choice;
}

TEST(SyntheticMachines, ChipletsAreExactOn99OfAHundredNoisyMachines) {
  Score score;
  for (unsigned seed = 0; seed < (charm::tests::thorough() ? 200U : 100U); ++seed) {
    std::mt19937_64 random(2000 + seed);
    Choice choice = unseen();
    if (seed % 5 != 0) choice.most_cpus = 224;  // of hundreds of cpus a few: they take a second each
    score.add(any_machine(random, choice));
  }
  EXPECT_LE(score.wrong_chiplets, score.machines / 100) << score.misses;
  EXPECT_LE(score.wrong_smt, score.machines / 50);
  EXPECT_EQ(score.boasts, "");
}

TEST(SyntheticMachines, MeshesWithoutChipletsAreLeftWhole) {
  Score score;
  for (unsigned seed = 0; seed < 100; ++seed) {
    std::mt19937_64 random(9000 + seed);
    score.add(any_monolith(random));
  }
  EXPECT_LE(score.wrong_chiplets, 3);
  EXPECT_EQ(score.boasts, "");
}

TEST(SyntheticMachines, WithoutNoiseEveryLevelIsFound) {
  Shape shape;
  shape.sockets = 2;
  shape.nodes = 2;
  shape.chiplets = 3;
  shape.cores = 4;
  shape.threads = 2;
  Trouble none;
  none.noise = 0.01;
  none.spikes = 0;
  std::mt19937_64 random(1);
  const auto machine = make_machine(shape, none, random);
  const auto seen = cluster(machine.matrix);
  EXPECT_EQ(seen.smt, machine.smt);
  EXPECT_EQ(seen.chiplets, machine.chiplets);
  EXPECT_EQ(seen.nodes, machine.nodes);
  EXPECT_EQ(seen.sockets, machine.sockets);
}

/// What the sampled mode of the probe measures of it.
Clustering seen_by_sample(const Synthetic& machine) {
  LatencyMatrix sample(machine.matrix.rows());
  for (const auto& [i, j] : plan_pairs(machine.matrix.rows(), machine.smt, {.sampled = true, .seconds = 70}).pairs)
    sample.set(i, j, machine.matrix.at(i, j));
  return cluster(completed(sample));
}

TEST(SyntheticMachines, ASampleOfThePairsShowsTheChipletsOfALargeMachine) {
  struct Large {
    int sockets, chiplets, cores, threads;
  };
  for (const auto& large :
       {Large{2, 12, 12, 2}, Large{2, 12, 8, 2}, Large{4, 2, 36, 1}, Large{8, 1, 28, 2}, Large{1, 16, 16, 1}}) {
    Shape shape;
    shape.sockets = large.sockets;
    shape.chiplets = large.chiplets;
    shape.cores = large.cores;
    shape.threads = large.threads;
    shape.socket_ns = large.chiplets > 1 ? shape.node_ns : shape.chiplet_ns;
    Trouble some;
    some.noise = 0.04;
    some.shuffled = false;  // as Linux numbers: a landmark in every chiplet of eight threads
    std::mt19937_64 random(3);
    const auto machine = make_machine(shape, some, random);
    const auto seen = seen_by_sample(machine);
    EXPECT_EQ(seen.smt, machine.smt) << machine.description;
    EXPECT_EQ(seen.chiplets, machine.chiplets) << machine.description;
    // Whether eight meshes are chiplets or sockets is not in the latencies.
    if (large.chiplets > 1) {
      EXPECT_EQ(seen.sockets, machine.sockets) << machine.description;
    }
  }
}

/// Of all that is said with at least `sure`, how much is wrong.
struct Claims {
  double sure;
  int made = 0, wrong = 0;
  void add(const Synthetic& machine, const Clustering& seen) {
    const auto check = [&](const Partition& got, const Partition& want, double confidence) {
      made += confidence >= sure;
      wrong += confidence >= sure && got != want;
    };
    check(seen.smt, machine.smt, seen.confidence.smt);
    check(seen.chiplets, machine.chiplets, seen.confidence.chiplets);
    check(seen.nodes, machine.nodes, seen.confidence.nodes);
    check(seen.sockets, machine.sockets, seen.confidence.sockets);
  }
};

TEST(SyntheticMachines, WhatIsSaidWithConfidenceIsRightAlsoOnMachinesThatAreHardToRead) {
  Claims likely{0.8}, sure{0.95};
  int machines = 0;
  for (Hardship kind : all_hardships) {
    for (unsigned seed = 0; seed < 40; ++seed, ++machines) {
      std::mt19937_64 random(90000 + 1000 * static_cast<unsigned>(kind) + seed);
      const Synthetic machine = hard_machine(random, kind);
      const Clustering seen = cluster(machine.matrix);
      likely.add(machine, seen);
      sure.add(machine, seen);
    }
  }
  EXPECT_LE(likely.wrong, likely.made / 50);
  EXPECT_LE(sure.wrong, sure.made / 200);
  EXPECT_GE(4 * likely.made, 3 * machines);  // a clustering that always abstains is calibrated and useless
}

TEST(SyntheticMachines, FourThreadsOfACoreAreNoSureChiplet) {
  int sure = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937_64 random(96000 + seed);
    Shape shape;
    shape.chiplets = 1 + static_cast<int>(seed % 4);
    shape.cores = 4;
    shape.threads = 4;
    shape.chiplet_ns = 50;
    shape.smt_ns = 20 + 0.5 * seed;  // slower than threads of a core usually are
    shape.node_ns = 150;
    Trouble trouble;
    trouble.noise = 0.02;
    trouble.spikes = 0;
    const Synthetic machine = make_machine(shape, trouble, random);
    const Clustering seen = cluster(machine.matrix);
    sure += seen.chiplets != machine.chiplets && seen.confidence.chiplets >= 0.8;
  }
  EXPECT_EQ(sure, 0);
}

TEST(SyntheticMachines, ASlowCoreIsNoChiplet) {
  int wrong = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937_64 random(95000 + seed);
    Shape shape;
    shape.chiplets = 2;
    shape.cores = 4 + static_cast<int>(seed % 5);
    Trouble trouble;
    trouble.noise = 0.03;
    trouble.spikes = 0;
    trouble.slow_cores = 1;
    trouble.slow_factor = 1.2 + 0.02 * seed;
    const Synthetic machine = make_machine(shape, trouble, random);
    wrong += cluster(machine.matrix).chiplets != machine.chiplets;
  }
  EXPECT_LE(wrong, 1);
}

}  // namespace
