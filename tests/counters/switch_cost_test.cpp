// What counting adds to a switch, with counters that are real, emulated, refused, or not there.
#include "counters/switch_cost.hpp"

#include <array>
#include <cerrno>
#include <filesystem>
#include <string>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "os/threads/thread_switches.hpp"

namespace {

using namespace charm;
using counters::measure_switch_cost;

class FakeEvents final : public os::AttachedEvents {
 public:
  int open(const os::PerfEvent& /*event*/, int /*tid*/, int /*cpu*/) override {
    if (++opened_ever == refused_at) return -ENOSPC;
    return 100 + open_now++;
  }
  void close(int /*descriptor*/) override { --open_now; }
  bool read(int /*descriptor*/, Count& /*count*/) override { return true; }
  [[nodiscard]] std::size_t room() const override { return 1000; }
  int open_now = 0, opened_ever = 0, refused_at = -1;
};

/// A switch takes what the events of its two threads cost; some rounds are disturbed.
class FakeHandover final : public os::Handover {
 public:
  FakeHandover(const FakeEvents& events, double of_an_event_s) : events_(events), of_an_event_s_(of_an_event_s) {}
  [[nodiscard]] std::array<int, 2> threads() const override { return {7, 8}; }
  double seconds(int /*switches*/) override {
    if (broken) return 0;
    const double disturbed = ++rounds_ % 3 == 0 ? 5e-6 : 0;
    return 2e-6 + events_.open_now / 2.0 * of_an_event_s_ + disturbed;
  }
  bool broken = false;

 private:
  const FakeEvents& events_;
  double of_an_event_s_;
  int rounds_ = 0;
};

const std::vector<os::PerfEvent> six(6);

TEST(SwitchCost, IsWhatTheEventsOfAThreadAdd) {
  for (const double of_an_event_s : {50e-9, 5e-6}) {
    FakeEvents events;
    FakeHandover handover(events, of_an_event_s);
    const auto cost = measure_switch_cost(events, six, handover);
    ASSERT_TRUE(cost);
    EXPECT_NEAR(cost->plain_s, 2e-6, 1e-12);
    EXPECT_NEAR(cost->added_s(), 6 * of_an_event_s, 1e-12);
    EXPECT_EQ(cost->events, 6U);
    EXPECT_EQ(events.open_now, 0) << "nothing stays counted";
  }
}

TEST(SwitchCost, IsNotKnownWhereAnEventIsRefusedOrNothingCanBeMeasured) {
  FakeEvents events;
  FakeHandover handover(events, 1e-7);
  EXPECT_FALSE(measure_switch_cost(events, {}, handover));
  events.refused_at = 4;
  EXPECT_FALSE(measure_switch_cost(events, six, handover));
  EXPECT_EQ(events.open_now, 0);
  events.refused_at = -1;
  handover.broken = true;
  EXPECT_FALSE(measure_switch_cost(events, six, handover));
}

TEST(SwitchCost, IsNothingWhereNoiseIsLargerThanIt) {
  const counters::SwitchCost cost{3e-6, 2.9e-6, 6};
  EXPECT_EQ(cost.added_s(), 0);
}

TEST(Handover, MakesSwitchesBetweenTwoThreadsOfThisProcess) {
  const auto before = os::switches_of(getpid());
  const auto handover = os::start_handover();
  ASSERT_NE(handover, nullptr);
  const auto threads = handover->threads();
  EXPECT_NE(threads[0], threads[1]);
  for (const int thread : threads) {
    EXPECT_TRUE(std::filesystem::exists("/proc/self/task/" + std::to_string(thread))) << thread;
  }
  EXPECT_GT(handover->seconds(200), 0);
  EXPECT_EQ(handover->seconds(0), 0);
  const auto after = os::switches_of(getpid());
  if (!before || !after) GTEST_SKIP() << "the kernel does not say how often threads were given a cpu";
  EXPECT_GE(*after, *before + 200) << "each turn is a switch";
}

TEST(Switches, OfAProcessThatIsNotThereAreNotKnown) { EXPECT_FALSE(os::switches_of(1 << 30)); }

}  // namespace
