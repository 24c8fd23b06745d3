// A group's readings: differences that never go down, whatever the counters do.
#include <array>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "counters/event_group.hpp"
#include "counters/fake_perf.hpp"

namespace charm::counters {
namespace {

std::vector<Planned> events(std::size_t count) {
  std::vector<Planned> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i].event = {4, 0x100 + i, 0, false};
  return all;
}

struct GroupRig {
  std::shared_ptr<FakePerf> perf = std::make_shared<FakePerf>();
  std::unique_ptr<EventGroup> group;
  std::array<double, 4> totals{};

  explicit GroupRig(std::size_t count = 1, bool rdpmc = false) {
    perf->maps = perf->rdpmc = rdpmc;
    EventGroup::Failure failure;
    group = EventGroup::open(perf, events(count), failure);
  }
  FakePerf::Counter& counter(std::size_t i = 0) { return *perf->counter(4, 0x100 + i); }
  EventGroup::Outcome read() { return group->read({totals.data(), group->events().size()}); }
  /// Puts the event on core counter `index` with a value in it and an offset beside it.
  void worker_core(std::uint32_t index, std::uint64_t raw, std::int64_t offset, std::size_t i = 0) {
    counter(i).page.index = index + 1;
    counter(i).page.offset = offset;
    perf->core[index] = raw;
  }
};

TEST(SignExtension, ContinuesACounterThatHasWrapped) {
  EXPECT_EQ(sign_extend(5, 48), 5);
  EXPECT_EQ(sign_extend(0xffffffffffff, 48), -1);
  EXPECT_EQ(sign_extend(0x800000000000, 48), -0x800000000000);
  EXPECT_EQ(sign_extend(0x7fffffffffff, 48), 0x7fffffffffff);
  EXPECT_EQ(sign_extend(~0ULL, 64), -1);
  EXPECT_EQ(sign_extend(7, 0), 7);
}

TEST(Group, AddsWhatWasCountedSinceTheLastReading) {
  GroupRig rig(2);
  rig.perf->run(100);
  rig.counter(0).value = 10;
  rig.counter(1).value = 3;
  EXPECT_EQ(rig.read().share, 1);
  rig.perf->run(100);
  rig.counter(0).value = 25;
  rig.read();
  EXPECT_EQ(rig.totals[0], 25);
  EXPECT_EQ(rig.totals[1], 3);
}

TEST(Group, ScalesByTheTimeItHadACounter) {
  GroupRig rig;
  rig.perf->enabled = 100, rig.perf->running = 100;
  rig.counter().value = 10;
  rig.read();
  rig.perf->enabled = 500, rig.perf->running = 200;  // a quarter of the interval
  rig.counter().value = 20;
  EXPECT_DOUBLE_EQ(rig.read().share, .25);
  EXPECT_DOUBLE_EQ(rig.totals[0], 10 + 10 * 4);
}

TEST(Group, WithoutACounterStandsStillAndMakesUpForItLater) {
  GroupRig rig;
  rig.perf->run(100);
  rig.counter().value = 10;
  rig.read();
  rig.perf->enabled += 300;
  EXPECT_EQ(rig.read().share, 0);
  EXPECT_EQ(rig.totals[0], 10);
  rig.perf->run(100);
  rig.counter().value = 20;
  EXPECT_DOUBLE_EQ(rig.read().share, .25);
  EXPECT_DOUBLE_EQ(rig.totals[0], 50);
}

TEST(Group, OfAThreadThatSleptLacksNothing) {
  GroupRig rig;
  rig.perf->run(100);
  rig.read();
  EXPECT_EQ(rig.read().share, 1);
}

TEST(Group, ContinuesAtTheEndOf48Bits) {
  GroupRig rig;
  rig.perf->run(100);
  rig.counter().value = (1ULL << 48U) - 5;
  rig.read();
  rig.totals[0] = 0;
  rig.perf->run(100);
  rig.counter().value = 7;
  EXPECT_FALSE(rig.read().backwards);
  EXPECT_EQ(rig.totals[0], 12);
}

TEST(Group, TellsOfACounterThatMovesBackwardsAndAddsNothing) {
  GroupRig rig;
  rig.perf->run(100);
  rig.counter().value = 1000;
  rig.read();
  rig.perf->run(100);
  rig.counter().value = 900;
  EXPECT_TRUE(rig.read().backwards);
  EXPECT_EQ(rig.totals[0], 1000);
  rig.perf->run(100);
  rig.counter().value = 950;
  EXPECT_FALSE(rig.read().backwards);
  EXPECT_EQ(rig.totals[0], 1050);
}

TEST(Group, TellsWhereTheKernelGivesNothing) {
  GroupRig rig;
  rig.perf->gives_nothing = true;
  const auto outcome = rig.read();
  EXPECT_TRUE(outcome.failed);
  EXPECT_EQ(outcome.share, 0);
}

TEST(MappedGroup, IsReadWithoutASystemCall) {
  GroupRig rig(2, true);
  rig.worker_core(3, 40, 2, 0);
  rig.worker_core(5, 7, 0, 1);
  EXPECT_TRUE(rig.group->mapped());
  EXPECT_FALSE(rig.read().by_call);
  EXPECT_EQ(rig.perf->reads, 0);
  EXPECT_EQ(rig.totals[0], 42);
  EXPECT_EQ(rig.totals[1], 7);
}

TEST(MappedGroup, TakesTheCounterAsASignedNumberOfItsWidth) {
  GroupRig rig(1, true);
  rig.worker_core(0, 0xfffffffffffe, 100);  // the kernel starts counters at -2^47 and keeps the rest in the offset
  rig.read();
  EXPECT_EQ(rig.totals[0], 98);
}

TEST(MappedGroup, ReadsAgainWhereTheKernelInterfered) {
  GroupRig rig(1, true);
  rig.worker_core(0, 10, 0);
  int interferences = 3;
  rig.perf->on_read_counter = [&](std::uint32_t) {
    if (interferences-- <= 0) return;
    rig.counter().page.lock += 2;
    rig.counter().page.offset += 100;  // half an update: the raw counter has not been taken back yet
  };
  rig.read();
  EXPECT_EQ(rig.totals[0], 310);
}

TEST(MappedGroup, AsksTheKernelWhileAnEventHasNoCounter) {
  GroupRig rig(2, true);
  rig.worker_core(0, 10, 0, 0);
  rig.perf->run(100);
  rig.counter(0).value = 11;
  rig.counter(1).value = 5;
  EXPECT_TRUE(rig.read().by_call);
  EXPECT_EQ(rig.totals[0], 11);
  EXPECT_EQ(rig.totals[1], 5);
}

TEST(MappedGroup, AsksTheKernelWhenReadingIsForbiddenAtRunTime) {
  GroupRig rig(1, true);
  rig.worker_core(0, 10, 0);
  EXPECT_FALSE(rig.read().by_call);
  rig.counter().page.cap_user_rdpmc = 0;
  rig.perf->run(100);
  rig.counter().value = 17;
  EXPECT_TRUE(rig.read().by_call);
  EXPECT_EQ(rig.totals[0], 17);
  EXPECT_FALSE(rig.group->mapped());
}

TEST(MappedGroup, AsksTheKernelForTheTimesOnceItWasMultiplexed) {
  GroupRig rig(1, true);
  rig.worker_core(0, 10, 0);
  rig.read();
  rig.counter().page.time_enabled = 200;
  rig.counter().page.time_running = 100;
  rig.perf->enabled = 200, rig.perf->running = 100;
  rig.counter().value = 20;
  EXPECT_TRUE(rig.read().by_call);
  EXPECT_DOUBLE_EQ(rig.totals[0], 10 + 2 * 10);
}

TEST(OpeningAGroup, SaysWhichEventWasRefusedAndLeavesNothingOpen) {
  auto perf = std::make_shared<FakePerf>();
  perf->room = 2;
  EventGroup::Failure failure;
  EXPECT_EQ(EventGroup::open(perf, events(4), failure), nullptr);
  EXPECT_EQ(failure.event, 2U);
  EXPECT_EQ(failure.error, EINVAL);
  EXPECT_TRUE(perf->open_counters.empty());
}

RC_GTEST_PROP(Group, NeverGoesDownAndIsExactWithoutMultiplexing, ()) {
  GroupRig rig;
  std::uint64_t value = 0;
  std::uint64_t counted = 0;
  const auto steps = *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::arbitrary<std::uint32_t>());
  double before = 0;
  for (const std::uint64_t step : steps) {
    value = (value + step * 1000) & ((1ULL << 48U) - 1);
    counted += step * 1000;
    rig.perf->run(10);
    rig.counter().value = value;
    rig.read();
    RC_ASSERT(rig.totals[0] >= before);
    before = rig.totals[0];
  }
  RC_ASSERT(rig.totals[0] == static_cast<double>(counted));
}

RC_GTEST_PROP(Group, ExtrapolatesASteadyRateWhateverItMisses, ()) {
  GroupRig rig;
  const auto pairs = *rc::gen::container<std::vector<std::pair<std::uint16_t, std::uint16_t>>>(
      rc::gen::arbitrary<std::pair<std::uint16_t, std::uint16_t>>());
  for (const auto& [on, off] : pairs) {
    rig.perf->enabled += on + off;
    rig.perf->running += on;
    rig.counter().value += 3ULL * on;  // three a nanosecond
    rig.read();
  }
  rig.perf->run(1);
  rig.counter().value += 3;
  rig.read();
  const double expected = 3.0 * static_cast<double>(rig.perf->enabled);
  RC_ASSERT(std::abs(rig.totals[0] - expected) <= 1e-6 * expected + 1e-3);
}

}  // namespace
}  // namespace charm::counters
