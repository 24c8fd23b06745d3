// What is called loud: loads that stay, and not what comes and goes or is one's own.
#include "lease/noise.hpp"

#include <rapidcheck.h>

#include <gtest/gtest.h>

namespace {

using charm::lease::Noise;
using charm::lease::OwnTime;
using charm::os::CpuTime;

/// Two cpus; time goes on window by window, or in smaller steps.
struct Listener {
  Noise noise;
  std::map<int, CpuTime> cpus{{0, {}}, {1, {}}};
  OwnTime own;
  double now = 0;
  int changes = 0;

  Listener() { noise.look(now, cpus, own); }
  [[nodiscard]] bool loud() const { return !noise.loud().empty(); }
  /// \param busy share of cpu 0 that is used. \param mine of it by threads of our own, bound there or anywhere.
  void pass(double seconds, double busy, double mine = 0, bool bound = true, const std::vector<int>& leased = {}) {
    for (double left = seconds; left > 1e-9; left -= 0.125) {
      now += 0.125;
      for (auto& [cpu, time] : cpus) time.total += 125000;
      cpus[0].busy += static_cast<std::uint64_t>(125000 * busy);
      if (bound) own.bound[0] += 0.125 * mine;
      own.all += 0.125 * mine;
      if (!noise.due(now)) continue;
      const bool before = loud();
      noise.look(now, cpus, own, leased);
      changes += before != loud() ? 1 : 0;
    }
  }
};

TEST(Noise, IsALoadThatStays) {
  Listener whole;
  whole.pass(1, 1);
  EXPECT_FALSE(whole.loud());
  whole.pass(1, 1);
  EXPECT_EQ(whole.noise.loud(), std::vector{0});
  whole.pass(30, 0.2);
  EXPECT_TRUE(whole.loud()) << "not quiet enough to be believed";
  whole.pass(30, 0);
  EXPECT_FALSE(whole.loud());

  Listener half;
  half.pass(4, 0.5);
  EXPECT_FALSE(half.loud());
  half.pass(1, 0.5);
  EXPECT_TRUE(half.loud());
  half.pass(5, 0);
  EXPECT_TRUE(half.loud());
}

TEST(Noise, IsNotWhatOneDoesOneself) {
  Listener listener;
  listener.pass(30, 1, 1);
  EXPECT_FALSE(listener.loud());
  listener.pass(30, 0.9, 0.9, false);
  EXPECT_FALSE(listener.loud()) << "nobody knows where that was";
  listener.pass(10, 1, 0.4);
  EXPECT_TRUE(listener.loud());
}

TEST(Noise, IsForgottenOfACpuThatAnotherLeases) {
  Listener listener;
  listener.pass(5, 1);
  ASSERT_TRUE(listener.loud());
  listener.pass(1, 1, 0, true, {0});
  EXPECT_FALSE(listener.loud());
  listener.pass(1, 1);
  EXPECT_FALSE(listener.loud()) << "given back a moment ago";
}

TEST(Noise, TimeThatAHypervisorTakesAndCpusThatComeAndGoAreNone) {
  Noise noise;
  std::map<int, CpuTime> cpus;
  for (int second = 0; second < 20; ++second) {
    cpus[0].total += 100;
    cpus[0].busy += 100;
    cpus[0].stolen += 100;
    std::map<int, CpuTime> seen = cpus;
    if (second % 2 == 0) seen[1] = {500, 500, 0};
    noise.look(second, seen, {});
    EXPECT_TRUE(noise.loud().empty());
  }
}

TEST(Noise, NothingShortIsLoudWhereverItFallsBetweenTheLooks) {
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

TEST(Noise, NoLoadChangesACpuOftenerThanTwiceInSixSeconds) {
  EXPECT_TRUE(rc::check([] {
    Listener listener;
    while (listener.now < 120) listener.pass(0.125 * *rc::gen::inRange(1, 60), *rc::gen::element(0.0, 0.15, 0.5, 1.0));
    RC_ASSERT(listener.changes <= 2 * (listener.now / 6 + 1));
  }));
}

}  // namespace
