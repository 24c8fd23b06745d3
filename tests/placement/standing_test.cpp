// Where workers stand while nobody can tell how fast they are: by the memory that the program holds.
#include "placement/standing.hpp"

#include <gtest/gtest.h>

namespace {

using charm::Machine;
using charm::placement::SocketOrder;
using charm::placement::Standing;
using charm::placement::standing_for;

constexpr double mb = 1024 * 1024;
constexpr double endless = 1e12;

/// Two sockets of four chiplets of four cores; each chiplet caches 32 MiB.
Machine two_sockets() { return Machine::from("pack:2 [numa] l3:4(size=33554432) core:4 pu:2"); }

TEST(Standing, IsOnTheFewestChipletsThatHoldTheMemory) {
  const Machine machine = two_sockets();
  EXPECT_EQ(standing_for(machine, {.workers = 4}, 20 * mb), (Standing{SocketOrder::fill, 1}));
  EXPECT_EQ(standing_for(machine, {.workers = 4}, 50 * mb), (Standing{SocketOrder::fill, 2}));
  EXPECT_EQ(standing_for(machine, {.workers = 4}, 100 * mb), (Standing{SocketOrder::fill, 4}));
  EXPECT_EQ(standing_for(machine, {.workers = 8}, 200 * mb), (Standing{SocketOrder::balance, 8}))
      << "the caches of both sockets hold it";
}

TEST(Standing, HoldsWhatFitsToTheByte) {
  const Machine machine = two_sockets();
  EXPECT_EQ(standing_for(machine, {.workers = 4}, 32 * mb), (Standing{SocketOrder::fill, 1}));
  EXPECT_EQ(standing_for(machine, {.workers = 4}, 32 * mb + 1), (Standing{SocketOrder::fill, 2}));
  EXPECT_EQ(standing_for(machine, {.workers = 4}, 64 * mb), (Standing{SocketOrder::fill, 2}));
  EXPECT_EQ(standing_for(machine, {.workers = 4}, 64 * mb + 1), (Standing{SocketOrder::fill, 4}));
}

TEST(Standing, OfWorkThatNoCachesHoldIsOnAllChiplets) {
  EXPECT_EQ(standing_for(two_sockets(), {.workers = 12}, endless), (Standing{SocketOrder::balance, 8}));
  EXPECT_EQ(standing_for(two_sockets(), {.workers = 32}, endless), (Standing{SocketOrder::fill, 8}));
}

/// They would not get more from two memories, and what they share would be farther away.
TEST(Standing, OfFewWorkersStaysOnTheirSocketWhereNoCachesHoldTheWork) {
  EXPECT_EQ(standing_for(two_sockets(), {.workers = 7}, endless), (Standing{SocketOrder::fill, 4}));
  EXPECT_EQ(standing_for(two_sockets(), {.workers = 8}, endless), (Standing{SocketOrder::balance, 8}));
  EXPECT_EQ(standing_for(two_sockets(), {.workers = 15, .smt = true}, endless), (Standing{SocketOrder::fill, 4}))
      << "not half of the hardware threads";
}

TEST(Standing, KeepsToTheOrderOfSocketsThatWasAskedFor) {
  EXPECT_EQ(standing_for(two_sockets(), {.workers = 4, .sockets = SocketOrder::balance}, endless),
            (Standing{SocketOrder::balance, 4}));
}

}  // namespace
