// From whom a worker of the running runtime steals, on a machine of paper (tests/vm has a real kernel's).
#include <charm/charm.hpp>

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "os/threads/membarrier.hpp"
#include "sched/run/runtime.hpp"
#include "sched/running.hpp"
#include "sched/stealing_round.hpp"

namespace {

using charm::sched::Tally;
using stealing_round::Jobs;
using stealing_round::jobs_each;
using stealing_round::Round;
using stealing_round::told;

constexpr int all_workers = 8;

charm::Config two_sockets_of_two_chiplets() {
  charm::Config config;
  config.topology = "pack:2 numa:1 l3:2 core:2 pu:1";
  config.policy = "local";
  config.counters = "none";
  config.deadlock = "off";  // it looks around after a second
  config.lend_caller = false;
  return config;
}

/// Its own chiplet comes first, always. Farther chiplets are drawn, nearer ones more often: a chiplet of the own socket
/// is at distance 2 and those of the other at 4 or more, so it is drawn in four of five cases or more.
TEST(StealingOrder, AThiefEmptiesItsChipletThenPrefersItsSocketAndLeavesNobodyOut) {
  const Running runtime(all_workers, two_sockets_of_two_chiplets());
  const auto cores = charm::worker_cores();
  const auto core = [&](int worker) { return cores[static_cast<std::size_t>(worker)]; };
  int draws = 0, own_socket = 0;
  for (int round = 0; round < 32 && !HasFailure(); ++round) {
    const int thief = round % all_workers;
    const Tally& tally = charm::sched::Runtime::get().workers[static_cast<std::size_t>(thief)]->tally;
    const auto chiplet_before = tally.steals_chiplet.load();
    const auto node_before = tally.steals_node.load();
    const auto far_before = tally.steals_far.load();
    const Round stolen(all_workers, thief, [](int) { return Jobs::all_public; });
    SCOPED_TRACE("thief " + std::to_string(thief) + ": " + told(stolen.order()));
    EXPECT_EQ(stolen.not_stolen(), 0);
    int left_on_chiplet = jobs_each, left_on_socket = 2 * jobs_each, left_beyond = 4 * jobs_each;
    for (const int owner : stolen.order()) {
      if (core(owner).chiplet == core(thief).chiplet) {
        --left_on_chiplet;
        continue;
      }
      EXPECT_EQ(left_on_chiplet, 0) << "it looked further while its neighbour had jobs";
      const bool on_socket = core(owner).socket == core(thief).socket;
      if (left_on_socket > 0 && left_beyond > 0) {
        ++draws;
        own_socket += on_socket ? 1 : 0;
      }
      --(on_socket ? left_on_socket : left_beyond);
    }
    EXPECT_EQ(left_on_chiplet, 0);
    EXPECT_EQ(left_on_socket, 0);
    EXPECT_EQ(left_beyond, 0);
    // The runtime counts the same distances.
    EXPECT_EQ(tally.steals_chiplet - chiplet_before, jobs_each);
    EXPECT_EQ(tally.steals_node - node_before, 2 * jobs_each);
    EXPECT_EQ(tally.steals_far - far_before, 4 * jobs_each);
  }
  if (HasFailure()) return;
  EXPECT_GE(draws, 32 * 2 * jobs_each);
  // With .8 to .9 for each draw, less than two in three would come in one of 10^9 runs, and all of them never.
  EXPECT_GT(own_socket * 3, draws * 2) << own_socket << " of " << draws;
  EXPECT_LT(own_socket, draws);
}

/// To compare with: a thief that knows no chiplets finds its own one as often as any, and still leaves nobody out.
TEST(StealingOrder, IsByChanceIfAskedFor) {
  charm::Config config = two_sockets_of_two_chiplets();
  config.named = {{"stealing", "random"}};
  const Running runtime(all_workers, config);
  const auto cores = charm::worker_cores();
  constexpr int rounds = 64;
  int near_first = 0;
  for (int round = 0; round < rounds; ++round) {
    const int thief = round % all_workers;
    const Round stolen(all_workers, thief, [](int) { return Jobs::all_public; });
    EXPECT_EQ(stolen.not_stolen(), 0);
    ASSERT_FALSE(stolen.order().empty());
    const int first = stolen.order().front();
    near_first += cores[static_cast<std::size_t>(first)].chiplet == cores[static_cast<std::size_t>(thief)].chiplet;
  }
  // One of seven others is a neighbour: 9 of 64 on average. A half would come in less than one of 10^10 runs.
  EXPECT_LT(near_first, rounds / 2);
}

/// A thief takes what somebody shows before it waits for anybody's answer. What a blocked neighbour keeps private is
/// exposed when nobody shows anything any more.
TEST(StealingOrder, PrivateJobsOfABlockedNeighbourComeLast) {
  if (!charm::os::has_heavy_barrier()) GTEST_SKIP() << "without membarrier(2) all jobs are public";
  const Running runtime(all_workers, two_sockets_of_two_chiplets());
  const auto cores = charm::worker_cores();
  for (int thief = 0; thief < all_workers && !HasFailure(); ++thief) {
    const auto& its = cores[static_cast<std::size_t>(thief)];
    const auto is_near = [&](int worker) { return cores[static_cast<std::size_t>(worker)].chiplet == its.chiplet; };
    const auto is_far = [&](int worker) { return cores[static_cast<std::size_t>(worker)].socket != its.socket; };
    const Round stolen(all_workers, thief, [&](int worker) {
      return is_near(worker) ? Jobs::kept_private : is_far(worker) ? Jobs::all_public : Jobs::none;
    });
    SCOPED_TRACE("thief " + std::to_string(thief) + ": " + told(stolen.order()));
    EXPECT_EQ(stolen.not_stolen(), 0);
    ASSERT_EQ(stolen.order().size(), std::size_t{5 * jobs_each});
    EXPECT_TRUE(std::all_of(stolen.order().begin(), stolen.order().begin() + 4 * jobs_each, is_far));
    EXPECT_TRUE(std::all_of(stolen.order().begin() + 4 * jobs_each, stolen.order().end(), is_near));
  }
}

}  // namespace
