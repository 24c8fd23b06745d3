// Machines that never were: nearly all are recognised exactly, and no wrong answer is given with confidence.
#include <string>

#include <gtest/gtest.h>

#include "probe/landmarks.hpp"
#include "synthetic_machine.hpp"

using namespace charm::probe;
using namespace charm::probe::testing;

namespace {

struct Score {
  int machines = 0, wrong_chiplets = 0, wrong_smt = 0;
  std::string boasts;  // wrong answers with a confidence above 0.9
  void add(const Synthetic& machine) {
    const auto seen = cluster(machine.matrix);
    ++machines;
    wrong_chiplets += seen.chiplets != machine.chiplets;
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

TEST(SyntheticMachines, ChipletsAreExactOn99OfAHundredNoisyMachines) {
  Score score;
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(2000 + seed);
    score.add(any_machine(random));
  }
  EXPECT_LE(score.wrong_chiplets, score.machines / 100);
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

TEST(SyntheticMachines, ASampleOfThePairsShowsTheChipletsOfALargeMachine) {
  Shape shape;
  shape.sockets = 2;
  shape.chiplets = 12;
  shape.cores = 12;
  shape.threads = 2;
  Trouble some;
  some.noise = 0.04;
  some.shuffled = false;
  std::mt19937_64 random(3);
  const auto machine = make_machine(shape, some, random);
  LatencyMatrix sample(machine.matrix.rows());
  for (const auto& [i, j] : pairs_to_measure(machine.matrix.rows(), true)) sample.set(i, j, machine.matrix.at(i, j));
  for (const auto& core : machine.smt) sample.set(core[0], core[1], machine.matrix.at(core[0], core[1]));
  const auto seen = cluster(completed(sample));
  EXPECT_EQ(seen.smt, machine.smt);
  EXPECT_EQ(seen.chiplets, machine.chiplets);
  EXPECT_EQ(seen.sockets, machine.sockets);
}

}  // namespace
