#include "sched/run/worker_slot.hpp"

#include <chrono>

#include "assertion.hpp"
#include "sched/run/sleepers_role.hpp"

namespace {

using namespace std::chrono_literals;
using charm::sched::SleepersRole;
using charm::sched::WorkerSlot;
using charm::stealing::Place;
using Is = WorkerSlot::Is;
using Who = WorkerSlot::Who;

TEST(WorkerSlot, AWakerGivesTheWorkerToTheThreadThatSleepsInIt) {
  WorkerSlot slot;
  slot.park(Place{3, 1});
  EXPECT_TRUE(slot.asleep(Who::own_thread));
  EXPECT_FALSE(slot.woken(Who::own_thread));
  WorkerSlot::State seen = slot.state();
  EXPECT_EQ(seen.group(), 3);
  EXPECT_TRUE(slot.wake(seen));
  EXPECT_TRUE(slot.woken(Who::own_thread));
}

TEST(WorkerSlot, OfTwoWakersOneSucceeds) {
  WorkerSlot slot;
  slot.park(Place{0, 0});
  WorkerSlot::State first = slot.state();
  WorkerSlot::State late = slot.state();
  EXPECT_TRUE(slot.wake(first));
  EXPECT_FALSE(slot.wake(late));
}

TEST(WorkerSlot, TheGuestSleepsAtABellOfItsOwn) {
  WorkerSlot slot;
  EXPECT_FALSE(slot.borrow()) << "its own thread is awake";
  slot.park(Place{0, 0});
  ASSERT_TRUE(slot.borrow());
  EXPECT_EQ(slot.who(), Who::guest);
  EXPECT_FALSE(slot.asleep(Who::own_thread)) << "the worker is lent";
  slot.park(Place{2, 0});
  EXPECT_TRUE(slot.asleep(Who::guest));
  EXPECT_FALSE(slot.asleep(Who::own_thread));
  slot.ring(slot.state().who());
  EXPECT_TRUE(slot.wait(Who::guest, 1h)) << "it was rung for";
  EXPECT_FALSE(slot.wait(Who::own_thread, 0ns)) << "and nobody else was";
  slot.silence(Who::guest);
  EXPECT_FALSE(slot.wait(Who::guest, 0ns));
  WorkerSlot::State seen = slot.state();
  ASSERT_TRUE(slot.wake(seen));
  EXPECT_TRUE(slot.woken(Who::guest));
  slot.give_back(Place{0, 0});
  EXPECT_TRUE(slot.asleep(Who::own_thread));
}

TEST(WorkerSlotDeathTest, OnlyWhoHasTheWorkerParksOrReturnsIt) {
  NEEDS_ASSERTIONS();
  WorkerSlot slot;
  WorkerSlot::State seen = slot.state();
  EXPECT_ASSERTION(slot.wake(seen), "only a parked worker is woken");
  EXPECT_ASSERTION(slot.give_back({0, 0}), "only the guest gives the worker back");
  slot.park({0, 0});
  EXPECT_ASSERTION(slot.park({0, 0}), "only a worker that is awake parks");
}

TEST(SleepersRole, OneSleepHasIt) {
  SleepersRole role;
  const int one = 1;
  const int other = 2;
  EXPECT_TRUE(role.vacant());
  EXPECT_TRUE(role.take(&one));
  EXPECT_FALSE(role.take(&other));
  EXPECT_TRUE(role.take_or_keep(&one));
  EXPECT_FALSE(role.take_or_keep(&other));
  EXPECT_FALSE(role.leave(&other));
  EXPECT_TRUE(role.held_by(&one));
  EXPECT_TRUE(role.leave(&one));
  EXPECT_TRUE(role.vacant());
  EXPECT_TRUE(role.take_or_keep(&other));
}

TEST(SleepersRoleDeathTest, ASleepTakesItOnce) {
  NEEDS_ASSERTIONS();
  SleepersRole role;
  const int sleep = 1;
  EXPECT_ASSERTION(role.take(nullptr), "a sleep takes the role");
  EXPECT_ASSERTION(role.leave(nullptr), "a sleep leaves the role");
  role.take(&sleep);
  EXPECT_ASSERTION(role.take(&sleep), "a sleep that has the role does not take it again");
}

}  // namespace
