// Counters of another program's threads, on a kernel that is not there: what they cost a thread that switches often.
#include "counters/other_threads.hpp"

#include <cerrno>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "base/settings.hpp"
#include "counters/fake_perf.hpp"
#include "placement/machines.hpp"

namespace charm::counters {
namespace {

constexpr std::uint64_t millisecond_ns = 1'000'000;
constexpr double each_s = 5e-6;  // what an event adds to a switch where it traps

/// One thread of another program, with six events of a Zen 4: 30 us for each switch.
struct Watched {
  explicit Watched(double reading_s = 0, std::size_t files = 0, int descriptors = 1000) {
    machine.perf->maps = machine.perf->rdpmc = true;
    machine.perf->own = false;
    machine.perf->open_file = [perf = machine.perf.get(), descriptors, next = 100]() mutable {
      return perf->files() < descriptors ? next++ : -EMFILE;
    };
    if (reading_s > 0)
      machine.perf->on_read = [time = machine.time, reading_s] {
        *time += static_cast<std::uint64_t>(reading_s * 1e9);
      };
    OtherContext context{machine.around(), [this](int) { return machine.perf; }, [this](int) { return switches; }};
    context.around.files = files;
    context.around.switch_cost = [](const std::vector<os::PerfEvent>& events) -> std::optional<double> {
      return each_s * static_cast<double>(events.size());
    };
    settings.counters = {base::Counters::automatic, ""};
    threads = std::make_unique<OtherThreads>(settings, test::uniform(2, 2, 4), std::move(context));
    thread = threads->open(1);
  }
  /// Two seconds in which the thread switches so often; read twenty times a second.
  Reading switching(std::uint64_t a_second) {
    Reading last;
    for (int i = 0; i < 40; ++i) {
      if (auto* counter = machine.perf->counter(0, PERF_COUNT_HW_INSTRUCTIONS)) counter->value += 1000;
      last = thread->read();
      switches = *switches + a_second / 20;
      machine.pass(50 * millisecond_ns);
    }
    return last;
  }
  [[nodiscard]] std::size_t open() const { return machine.perf->open_counters.size(); }

  FakeMachine machine;
  std::optional<std::uint64_t> switches = 0;
  base::Settings settings = base::resolve({}, [](const char*) { return nullptr; });
  std::unique_ptr<OtherThreads> threads;
  std::unique_ptr<ThreadCounters> thread;
};

TEST(OtherThreads, AreNotCountedWhereTheSettingSaysSo) {
  const FakeMachine machine;
  for (const auto asked : {base::Counters::none, base::Counters::software, base::Counters::automatic}) {
    base::Settings settings = base::resolve({}, [](const char*) { return nullptr; });
    settings.counters = {asked, ""};
    OtherContext context{machine.around(), [&](int) { return machine.perf; }, [](int) { return std::nullopt; }};
    const OtherThreads threads(settings, test::uniform(2, 2, 4), std::move(context));
    EXPECT_EQ(threads.open(1) != nullptr, asked == base::Counters::automatic);
    EXPECT_EQ(threads.why_not().empty(), asked == base::Counters::automatic) << threads.why_not();
  }
}

TEST(OtherThreads, AThreadThatSwitchesSeldomKeepsAllItsEvents) {
  Watched seldom;
  const std::size_t all = seldom.open();
  ASSERT_GE(all, 5U);
  EXPECT_TRUE(seldom.switching(40).has.instructions);
  EXPECT_EQ(seldom.open(), all);
}

/// 120 switches a second are more than two thousandths of the time for all events, and less for three of them.
TEST(OtherThreads, OneThatSwitchesMoreOftenIsCountedByFewerEvents) {
  Watched often;
  const std::size_t all = often.open();
  const Reading reading = often.switching(120);
  EXPECT_LT(often.open(), all);
  EXPECT_LE(120 * each_s * static_cast<double>(often.open()), switches_share);
  EXPECT_TRUE(reading.has.instructions);
  EXPECT_TRUE(reading.has.fills.has(FillSource::other_chiplet)) << "what a controller needs most is kept";
  EXPECT_GT(reading.instructions, 20'000U) << "what was counted before stays";
}

TEST(OtherThreads, OneThatCanAffordTooFewToDecideByIsNotCounted) {
  Watched always;
  const Reading reading = always.switching(2000);
  EXPECT_EQ(always.open(), 0U);
  EXPECT_FALSE(reading.has.instructions);
}

TEST(OtherThreads, WhoseSwitchesAreNotKnownKeepItsEvents) {
  Watched unknown;
  const std::size_t all = unknown.open();
  unknown.switches.reset();
  for (int i = 0; i < 40; ++i) {
    unknown.thread->read();
    unknown.machine.pass(50 * millisecond_ns);
  }
  EXPECT_EQ(unknown.open(), all);
}

/// On each of 16 cores a thread with six events. Pages take memory that perf of the same user may need.
TEST(OtherThreads, KeepOneFileEachWhereThereAreTooFewForAllEventsAndElseNoPages) {
  Watched many(0, 1024);
  EXPECT_EQ(many.machine.perf->files(), 6);
  EXPECT_EQ(many.machine.perf->pages, 0);
  Watched few(0, 64);
  EXPECT_EQ(few.machine.perf->files(), 1);
  EXPECT_EQ(few.machine.perf->pages, 6);
  EXPECT_GT(few.switching(40).instructions, 20'000U) << "read by the leader, although the pages allow rdpmc";
}

TEST(OtherThreads, SaveFilesFromTheFirstThatFindsNone) {
  Watched watched(0, 1024, 10);  // the program has more threads than there are cores, or the files are taken
  std::vector<std::unique_ptr<ThreadCounters>> more;
  for (int thread = 2; thread < 5; ++thread) {
    more.push_back(watched.threads->open(thread));
    ASSERT_NE(more.back(), nullptr) << thread;
    EXPECT_EQ(more.back()->read().has, watched.thread->read().has);
  }
  EXPECT_EQ(watched.machine.perf->files(), 6 + 3);
}

TEST(OtherThreads, AreReadNoMoreOftenThanReadingsMayCost) {
  Watched dear(100e-6);  // a reading of a group takes 100 us: one in 33 ms
  const int before = dear.machine.perf->reads;
  for (int i = 0; i < 1000; ++i) {
    dear.thread->read();
    dear.machine.pass(millisecond_ns);
  }
  EXPECT_LE(dear.machine.perf->reads - before, 31);
  EXPECT_GE(dear.machine.perf->reads - before, 20);
}

}  // namespace
}  // namespace charm::counters
