#include "sched/run/stack_pools.hpp"

#include <vector>

#include "assertion.hpp"

namespace {

using charm::fiber::Fiber;
using charm::sched::StackPools;

/// The pools never look at the stack of a fiber that they keep.
Fiber& made_for(Fiber& fiber, int node) {
  fiber.home = node;
  return fiber;
}

TEST(StackPools, AFiberComesBackToTheNodeThatItWasMadeFor) {
  StackPools pools(2);
  Fiber near;
  Fiber far;
  EXPECT_EQ(pools.take_idle(0), nullptr);
  EXPECT_EQ(pools.add(made_for(near, 0)), 1U);
  EXPECT_EQ(pools.add(made_for(far, 1)), 1U);
  pools.give(far);
  EXPECT_EQ(pools.take_idle(0), nullptr) << "the other node's is not taken";
  EXPECT_EQ(pools.take_idle(1), &far);
  EXPECT_EQ(pools.take_idle(1), nullptr);
}

TEST(StackPools, CountsWhatExists) {
  StackPools pools(1);
  Fiber unbound;
  pools.add(made_for(unbound, -1));
  pools.give(unbound);
  ASSERT_EQ(pools.all(), std::vector<Fiber*>{&unbound});
  const auto stats = pools.stats(4096);
  ASSERT_EQ(stats.size(), 1U) << "pools that never had a fiber are left out";
  EXPECT_EQ(stats[0].node, -1);
  EXPECT_EQ(stats[0].stacks, 1U);
  EXPECT_EQ(stats[0].idle, 1U);
}

TEST(StackPoolsDeathTest, AFiberComesBackOnceAndToItsOwnPool) {
  NEEDS_ASSERTIONS();
  StackPools pools(2);
  Fiber fiber;
  EXPECT_ASSERTION(pools.give(made_for(fiber, 0)), "a fiber comes back to the pool that it was made for");
  pools.add(made_for(fiber, 0));
  EXPECT_ASSERTION(pools.add(fiber), "a fiber is added to its pool once");
  pools.give(fiber);
  EXPECT_ASSERTION(pools.give(fiber), "a fiber comes back once");
  EXPECT_ASSERTION(pools.take_idle(2), "every node has a pool");
}

}  // namespace
