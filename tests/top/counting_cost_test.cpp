// How much is counted where counting is cheap and where a hypervisor makes it dear.
#include "tools/top/counting_cost.hpp"

#include <string>

#include <gtest/gtest.h>

namespace {

using charm::counters::SwitchCost;
using charm::top::Counted;
using charm::top::CountingCost;

constexpr SwitchCost native{1.5e-6, 1.8e-6, 6};
constexpr SwitchCost emulated{2e-6, 24e-6, 6};

TEST(CountingCost, OfRealCountersDoesNotMatterHoweverOftenAProgramSwitches) {
  const CountingCost cost(native, 4);
  EXPECT_FALSE(cost.matters());
  EXPECT_EQ(cost.affordable(1e6, 64), Counted::all);
  EXPECT_FALSE(CountingCost().matters()) << "it is not known";
  EXPECT_EQ(CountingCost().affordable(1e6, 1), Counted::all);
}

TEST(CountingCost, OfEmulatedCountersIsKeptBelowAHundredth) {
  const CountingCost cost(emulated, 2);
  ASSERT_TRUE(cost.matters());
  EXPECT_EQ(cost.affordable(400, 1), Counted::all) << "22 us, 400 times";
  EXPECT_EQ(cost.affordable(1000, 1), Counted::fills) << "a third of the events";
  EXPECT_EQ(cost.affordable(50000, 1), Counted::nothing);
  EXPECT_EQ(cost.affordable(50000, 0), Counted::nothing);
  EXPECT_EQ(cost.affordable(20000, 48), Counted::all) << "the program uses 48 cpus";
  EXPECT_EQ(CountingCost(emulated, 0).affordable(1000, 1), Counted::nothing) << "there are no fills to keep";
  EXPECT_EQ(CountingCost(emulated, 6).affordable(1000, 1), Counted::nothing) << "there are only fills";
}

TEST(CountingCost, IsSaidInNumbers) {
  const CountingCost cost(emulated, 2);
  EXPECT_EQ(cost.why(Counted::all, 400), "");
  const std::string nothing = cost.why(Counted::nothing, 50000);
  for (const char* part : {"nothing is counted", "50000 switches", "1.10 cpus", "22.0 us", "--events"})
    EXPECT_NE(nothing.find(part), std::string::npos) << part << " in " << nothing;
  EXPECT_NE(cost.why(Counted::fills, 1000).find("instructions and cycles"), std::string::npos);
}

}  // namespace
