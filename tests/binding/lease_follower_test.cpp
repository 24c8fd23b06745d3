// Following a lease: cores are given back when the threads have left them, and to no one sooner.
#include "binding/lease_follower.hpp"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/folder.hpp"
#include "placement/machines.hpp"

namespace {

using charm::binding::LeaseFollower;
using charm::lease::Lease;

struct Threads final : charm::binding::LeasedThreads {
  void use_cores(const charm::CoreCpuSet& cores, double /*now*/) override {
    uses = cores;
    ++changes;
  }
  [[nodiscard]] bool has_left(const charm::CpuSet& cpus) const override {
    asked = cpus;
    return leave;
  }
  charm::CoreCpuSet uses;
  mutable charm::CpuSet asked;
  int changes = 0;
  bool leave = true;
};

class Follower : public testing::Test {
 protected:
  std::unique_ptr<Lease> join(int pid) {
    charm::lease::LeaseContext around;
    around.self = {pid, 1};
    around.name_space = 1;
    around.now_ms = [this] { return static_cast<std::int64_t>(now * 1000) + 1; };
    around.alive = [](const charm::os::ProcessIdentity&) { return true; };
    around.report = [](const std::string& text) { ADD_FAILURE() << text; };
    return std::make_unique<Lease>(folder_.path("shares"), machine, 100, 8, around);
  }
  double look(int wanted = 8) {
    now += 0.25;
    return follower.look(now, wanted, {}, threads);
  }

  charm::Machine machine = charm::test::uniform(1, 2, 4, 2);
  double now = 0;
  Threads threads;

 private:
  charm::test::Folder folder_;

 protected:
  LeaseFollower follower{join(100), machine};
};

TEST_F(Follower, AloneItHasAllAndNothingChanges) {
  EXPECT_EQ(follower.cores().size(), 8U);
  look();
  look();
  EXPECT_EQ(threads.changes, 0);
}

TEST_F(Follower, CoresAreGivenBackOnceTheThreadsHaveLeftThem) {
  const auto other = join(200);
  threads.leave = false;
  EXPECT_TRUE(follower.settled());
  EXPECT_EQ(look(), charm::lease::short_look_seconds);
  EXPECT_FALSE(follower.settled()) << "it has cores to give back";
  EXPECT_EQ(threads.uses.size(), 4U);
  EXPECT_EQ(threads.uses, follower.cores());
  EXPECT_EQ(threads.asked.size(), 8U) << "both hardware threads of each core";
  other->look(8);
  EXPECT_EQ(other->standing().holds.size(), 0U) << "somebody is still there";
  threads.leave = true;
  look();
  other->look(8);
  EXPECT_EQ(other->standing().holds.size(), 4U);
  EXPECT_EQ(threads.changes, 1);
  look();
  EXPECT_TRUE(follower.settled());
  EXPECT_EQ(follower.cpus_of_others().size(), 8U);
}

TEST_F(Follower, AThreadThatCannotLeaveIsNotWaitedForForEver) {
  while (now < 10) look();  // the time counts from when it is to leave
  const auto other = join(200);
  threads.leave = false;
  for (const double end = now + LeaseFollower::leave_s - 0.5; now < end;) {
    look();
    other->look(8);
    ASSERT_EQ(other->standing().holds.size(), 0U) << now;
  }
  for (const double end = now + LeaseFollower::leave_s + 0.5; now < end;) {
    look();
    other->look(8);
  }
  EXPECT_EQ(other->standing().holds.size(), 4U);
}

TEST_F(Follower, IsNotSettledWhileOthersHaveWhatItIsDue) {
  LeaseFollower late(join(200), machine);
  now += 0.25;
  Threads of_late;
  late.look(now, 8, {}, of_late);
  EXPECT_FALSE(late.settled()) << "the first has all cores still";
  look();
  late.look(now, 8, {}, of_late);
  EXPECT_TRUE(late.settled());
  EXPECT_EQ(late.cores().size(), 4U);
}

TEST_F(Follower, WhoWantsLessHasLessBesideAnother) {
  const auto other = join(200);
  look(2);
  EXPECT_EQ(follower.cores().size(), 2U);
  EXPECT_EQ(threads.uses, follower.cores());
}

}  // namespace
