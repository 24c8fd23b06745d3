// How many cores a program can use, by what was seen of it.
#include "tools/attach/demand.hpp"

#include <algorithm>
#include <rapidcheck.h>
#include <vector>

#include <gtest/gtest.h>

namespace {

using charm::attach::cores_for;
using charm::attach::Demand;

TEST(Demand, IsOneCoreAtLeastAndCountsWhatRunsWhatQueuesAndWhatHasEnded) {
  EXPECT_EQ(cores_for({}), 1);
  EXPECT_EQ(cores_for({.wanted = 0.3, .ran = 0.2}), 1);
  EXPECT_EQ(cores_for({.wanted = 3}), 3) << "threads that run or queue";
  EXPECT_EQ(cores_for({.wanted = 3.05}), 3) << "a helper that wakes now and then";
  EXPECT_EQ(cores_for({.wanted = 3.4}), 4);
  EXPECT_EQ(cores_for({.wanted = 0.1, .ran = 2.9}), 3) << "threads that have begun and ended in between";
  EXPECT_EQ(cores_for({.wanted = 2, .ran = 2.2}), 2) << "the error of the kernel's ticks";
  EXPECT_EQ(cores_for({.wanted = 1.2, .workers = 2}), 2) << "two workers that pause at times";
}

TEST(Demand, IsTheLargestOfTheLastSeconds) {
  Demand demand;
  EXPECT_EQ(demand.cores(), 1);
  demand.sample(1, {.wanted = 6});
  demand.sample(2, {.wanted = 2});
  EXPECT_EQ(demand.cores(), 6);
  demand.sample(1 + Demand::memory_s, {.wanted = 0});
  EXPECT_EQ(demand.cores(), 6);
  demand.sample(1.1 + Demand::memory_s, {.wanted = 0});
  EXPECT_EQ(demand.cores(), 2) << "the larger one is too old";
  demand.sample(1.2 + Demand::memory_s, {.wanted = 9});
  EXPECT_EQ(demand.cores(), 9) << "more is wanted at once";
}

TEST(Demand, IsTheLargestOfTheLastSecondsWhateverComes) {
  EXPECT_TRUE(rc::check([] {
    Demand demand;
    std::vector<std::pair<double, int>> all;
    double now = 0;
    for (int i = 0; i < 60; ++i) {
      now += *rc::gen::element(0.1, 0.25, 1.0, 7.0);
      const int wanted = *rc::gen::inRange(1, 9);
      demand.sample(now, {.wanted = static_cast<double>(wanted)});
      all.emplace_back(now, wanted);
      int most = 1;
      for (const auto& [at, cores] : all) {
        if (at >= now - Demand::memory_s) most = std::max(most, cores);
      }
      RC_ASSERT(demand.cores() == most);
    }
  }));
}

}  // namespace
