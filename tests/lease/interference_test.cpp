// What is called busy: loads that stay, and not what comes and goes or is one's own.
#include "lease/interference.hpp"

#include <rapidcheck.h>

#include <gtest/gtest.h>

namespace {

using charm::lease::Interference;
using charm::lease::OwnTime;
using charm::os::CpuTime;

/// Two cpus; time goes on window by window, or in smaller steps.
struct Listener {
  Interference interference;
  std::map<int, CpuTime> cpus{{0, {}}, {1, {}}};
  OwnTime own;
  double now = 0;
  int changes = 0;

  Listener() { interference.sample(now, cpus, own); }
  [[nodiscard]] bool busy() const { return !interference.busy().empty(); }
  /// \param used share of cpu 0 that is used. \param mine of it by threads of our own, bound there or anywhere.
  void pass(double seconds, double used, double mine = 0, bool bound = true, const charm::CpuSet& leased = {}) {
    for (double left = seconds; left > 1e-9; left -= 0.125) {
      now += 0.125;
      for (auto& [cpu, time] : cpus) time.total += 125000;
      cpus[0].busy += static_cast<std::uint64_t>(125000 * used);
      if (bound) own.bound[0] += 0.125 * mine;
      own.all += 0.125 * mine;
      if (!interference.due(now)) continue;
      const bool before = busy();
      interference.sample(now, cpus, own, leased);
      changes += before != busy() ? 1 : 0;
    }
  }
};

TEST(Interference, IsALoadThatStays) {
  Listener whole;
  whole.pass(1, 1);
  EXPECT_FALSE(whole.busy());
  whole.pass(1, 1);
  EXPECT_EQ(whole.interference.busy(), charm::CpuSet{0});
  whole.pass(30, 0.2);
  EXPECT_TRUE(whole.busy()) << "not quiet enough to be believed";
  whole.pass(30, 0);
  EXPECT_FALSE(whole.busy());

  Listener half;
  half.pass(4, 0.5);
  EXPECT_FALSE(half.busy());
  half.pass(1, 0.5);
  EXPECT_TRUE(half.busy());
  half.pass(5, 0);
  EXPECT_TRUE(half.busy());
}

TEST(Interference, IsNotWhatOneDoesOneself) {
  Listener listener;
  listener.pass(30, 1, 1);
  EXPECT_FALSE(listener.busy());
  listener.pass(30, 0.9, 0.9, false);
  EXPECT_FALSE(listener.busy()) << "nobody knows where that was";
  listener.pass(10, 1, 0.4);
  EXPECT_TRUE(listener.busy());
}

TEST(Interference, IsForgottenOfACpuThatAnotherLeases) {
  Listener listener;
  listener.pass(5, 1);
  ASSERT_TRUE(listener.busy());
  listener.pass(1, 1, 0, true, {0});
  EXPECT_FALSE(listener.busy());
  listener.pass(1, 1);
  EXPECT_FALSE(listener.busy()) << "given back a moment ago";
}

TEST(Interference, TimeThatAHypervisorTakesAndCpusThatComeAndGoAreNone) {
  Interference interference;
  std::map<int, CpuTime> cpus;
  for (int second = 0; second < 20; ++second) {
    cpus[0].total += 100;
    cpus[0].busy += 100;
    cpus[0].stolen += 100;
    std::map<int, CpuTime> seen = cpus;
    if (second % 2 == 0) seen[1] = {500, 500, 0};
    interference.sample(second, seen, {});
    EXPECT_TRUE(interference.busy().empty());
  }
}

TEST(Interference, NothingShortIsBusyWhereverItFallsBetweenTheSamples) {
  EXPECT_TRUE(rc::check([] {
    Listener listener;
    for (int burst = 0; burst < 10; ++burst) {
      listener.pass(15 + 0.125 * *rc::gen::inRange(0, 8), 0);
      listener.pass(0.125 * *rc::gen::inRange(1, 13), 1);  // a second and a half at most
    }
    listener.pass(1, 0);
    RC_ASSERT(listener.changes == 0);
  }));
}

TEST(Interference, NoLoadChangesACpuOftenerThanTwiceInSixSeconds) {
  EXPECT_TRUE(rc::check([] {
    Listener listener;
    while (listener.now < 120) listener.pass(0.125 * *rc::gen::inRange(1, 60), *rc::gen::element(0.0, 0.15, 0.5, 1.0));
    RC_ASSERT(listener.changes <= 2 * (listener.now / 6 + 1));
  }));
}

}  // namespace
