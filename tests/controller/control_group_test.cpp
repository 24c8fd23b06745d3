// The control group: one decision per tick whoever comes by, from sums that lose nothing.
#include "controller/control_group.hpp"

#include <cmath>
#include <span>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

using namespace charm::controller;

namespace {

/// Counts what it is told; alternates between two levels.
class Recorder final : public Controller {
 public:
  struct Told {
    int ticks = 0;
    double tasks = 0, elapsed = 0, instructions = 0, fills = 0;
    bool counters = true;
  };
  explicit Recorder(Told& told) : told_(told) {}
  int tick(const Signals& s) override {
    ++told_.ticks;
    told_.tasks += s.tasks;
    told_.elapsed += s.elapsed;
    told_.counters = s.counters;
    told_.instructions += s.instructions;
    told_.fills += s.fills[0];
    log_.record({s.time, 0, 1, 2, 0, 0, 0, "tick", "moved"});
    return spread_ = 3 - spread_;
  }
  [[nodiscard]] int spread() const override { return spread_; }
  [[nodiscard]] double period() const override { return 1; }

 private:
  Told& told_;
  int spread_ = 1;
};

TEST(ControlGroup, DecidesOncePerPeriodAndAllSeeTheSpread) {
  Recorder::Told told;
  ControlGroup control_group(2, std::make_unique<Recorder>(told), 100);
  WorkerTotals counts;
  EXPECT_EQ(control_group.poll(0, counts, 100.5), 1);
  EXPECT_EQ(told.ticks, 0);
  counts.tasks = 5;
  EXPECT_EQ(control_group.poll(0, counts, 101), 2);
  EXPECT_EQ(control_group.poll(1, counts, 101.2), 2);
  EXPECT_EQ(told.ticks, 1);
  EXPECT_EQ(control_group.poll(1, counts, 102.1), 1);
  EXPECT_EQ(told.ticks, 2);
  EXPECT_DOUBLE_EQ(told.tasks, 10);
  EXPECT_NEAR(told.elapsed, 2.1, 1e-9);
  EXPECT_EQ(control_group.decisions().size(), 2U);
}

/// Four workers that are busy all the time and execute 100 instructions a second; some have no counters.
struct PartlyCounted {
  Recorder::Told told;
  ControlGroup group{4, std::make_unique<Recorder>(told), 0};
  WorkerTotals totals;

  void second(double now, int counted) {
    totals.busy = now;
    for (int worker = 3; worker >= 0; --worker) {  // the first decides
      totals.counters = worker < counted;
      totals.instructions = totals.counters ? 100 * now : 0;
      totals.fills[0] = totals.instructions / 10;
      group.poll(worker, totals, worker == 0 ? now : now - 0.5);
    }
  }
};

TEST(ControlGroup, WorkersWithCountersSpeakForThoseWithout) {
  for (int counted : {2, 3, 4}) {
    PartlyCounted some;
    some.second(1, counted);
    some.second(2, counted);
    EXPECT_EQ(some.told.ticks, 2);
    EXPECT_TRUE(some.told.counters) << counted;
    EXPECT_NEAR(some.told.instructions, 800, 1e-9) << counted;
    EXPECT_NEAR(some.told.fills, 80, 1e-9) << counted;
  }
}

TEST(ControlGroup, AFewWorkersDoNotSpeakForMostOthers) {
  PartlyCounted one;
  one.second(1, 1);
  EXPECT_FALSE(one.told.counters);
  PartlyCounted none;
  none.second(1, 0);
  EXPECT_FALSE(none.told.counters);
}

TEST(ControlGroup, AnIntervalInWhichAWorkerLosesItsCountersTellsNothing) {
  PartlyCounted all;
  all.second(1, 4);
  EXPECT_TRUE(all.told.counters);
  all.second(2, 3);
  EXPECT_FALSE(all.told.counters);
  all.second(3, 3);
  EXPECT_TRUE(all.told.counters);
}

TEST(ControlGroup, AWorkerInsideOfALongTaskIsBusyThoughItDoesNotComeBy) {
  struct Busy final : Controller {
    double busy = 0;
    int tick(const Signals& s) override {
      busy = s.busy;
      return 1;
    }
    [[nodiscard]] int spread() const override { return 1; }
    [[nodiscard]] double period() const override { return 1; }
  };
  auto made = std::make_unique<Busy>();
  Busy& told = *made;
  ControlGroup control_group(2, std::move(made), 0);
  WorkerTotals inside;
  inside.running_since = 0.25;
  control_group.poll(1, inside, 0.25);
  control_group.poll(0, {}, 1.25);
  EXPECT_DOUBLE_EQ(told.busy, 1);
  control_group.poll(0, {}, 2.25);
  EXPECT_DOUBLE_EQ(told.busy, 1);
  WorkerTotals after;
  after.busy = 2.5;  // it ended at 2.75
  control_group.poll(1, after, 3);
  control_group.poll(0, {}, 3.25);
  EXPECT_DOUBLE_EQ(told.busy, 0.5);
}

/// What one worker cannot tell, the sum of all does not tell either; each is told its own.
TEST(ControlGroup, ChipletsThatOneWorkerCannotTellApartAreNotToldOfAll) {
  struct Hides final : Controller {
    bool all = false;
    int tick(const Signals& s) override {
      all = s.hides_chiplets;
      return 1;
    }
    [[nodiscard]] int spread() const override { return 1; }
    [[nodiscard]] double period() const override { return 1; }
  };
  auto made = std::make_unique<Hides>();
  Hides& told = *made;
  ControlGroup control_group(2, std::move(made), 0);
  WorkerTotals plain, hides;
  plain.counters = hides.counters = hides.hides_chiplets = true;
  control_group.poll(1, plain, 0.5);
  control_group.poll(0, plain, 1);
  EXPECT_FALSE(told.all);
  control_group.poll(1, hides, 1.5);
  control_group.poll(0, plain, 2);
  EXPECT_TRUE(told.all);
  control_group.poll(1, plain, 2.5);
  control_group.poll(0, plain, 3);
  EXPECT_FALSE(told.all);
}

TEST(ControlGroup, EachRegionHasAControllerOfItsOwnThatKeepsWhatItLearned) {
  std::vector<Recorder::Told> told(3);
  std::size_t made = 0;
  ControlGroup control_group(1, [&] { return std::make_unique<Recorder>(told[made++]); }, 0);
  EXPECT_EQ(control_group.poll(0, {}, 1), 2);  // the program's
  long outer = control_group.enter("a");
  EXPECT_EQ(control_group.poll(0, {}, 2), 1) << "to the region's level, and nothing of the interval goes to either";
  EXPECT_EQ(control_group.poll(0, {}, 3), 2);
  long inner = control_group.enter("b");
  control_group.poll(0, {}, 4);
  control_group.poll(0, {}, 5);
  control_group.leave(outer);
  EXPECT_EQ(control_group.poll(0, {}, 6), 1) << "the latest one counts, whatever is left before it";
  control_group.leave(inner);
  EXPECT_EQ(control_group.poll(0, {}, 7), 2) << "back at the program's level";
  long again = control_group.enter("a");
  EXPECT_EQ(control_group.poll(0, {}, 8), 2) << "where that region was left";
  control_group.leave(again);
  EXPECT_EQ(made, 3U);
  EXPECT_EQ(told[0].ticks, 1);
  EXPECT_EQ(told[1].ticks, 1);
  EXPECT_EQ(told[2].ticks, 2);
  int entered = 0;
  for (const Decision& d : control_group.decisions()) entered += d.reason == "the region was entered" ? 1 : 0;
  EXPECT_EQ(entered, 2) << "where a change of region moved somebody";
}

// What is measured is what all threads do, so no region's controller may take it for its own.
TEST(ControlGroup, WhereThreadsAreInDifferentRegionsTheWholeProgramDecides) {
  std::vector<Recorder::Told> told(4);
  std::size_t made = 0;
  ControlGroup control_group(1, [&] { return std::make_unique<Recorder>(told[made++]); }, 0);
  const std::thread::id one = std::this_thread::get_id();
  std::thread::id other;
  std::thread([&] { other = std::this_thread::get_id(); }).join();
  double now = 0;
  const auto two_ticks = [&] {  // the first one is of both parts
    control_group.poll(0, {}, ++now);
    control_group.poll(0, {}, ++now);
  };
  const long a = control_group.enter("a", one);
  two_ticks();
  EXPECT_EQ(told[1].ticks, 1);
  const long b = control_group.enter("b", other);
  two_ticks();
  EXPECT_EQ(told[0].ticks, 1) << "they are in different ones";
  const long again = control_group.enter("a", other);
  two_ticks();
  EXPECT_EQ(told[1].ticks, 2) << "both are in the same one, one of them within another";
  const long task = control_group.enter("c");
  two_ticks();
  EXPECT_EQ(told[2].ticks, 1) << "a task is a part of what a thread does";
  control_group.leave(task);
  control_group.leave(again);
  two_ticks();
  EXPECT_EQ(told[0].ticks, 2);
  control_group.leave(a);
  two_ticks();
  EXPECT_EQ(told[3].ticks, 1) << "one thread is in one";
  control_group.leave(b);
  EXPECT_EQ(made, 4U);
}

TEST(ControlGroup, ObserverAndListenerAreToldOncePerTickAndDecision) {
  Recorder::Told told;
  ControlGroup control_group(1, std::make_unique<Recorder>(told), 0);
  int points = 0, decisions = 0;
  control_group.observe([&](const charm::TimelinePoint& p) {
    ++points;
    EXPECT_EQ(p.spread, points % 2 == 1 ? 1 : 2);
  });
  control_group.listen([&](const Decision&) { ++decisions; });
  for (int t = 1; t <= 10; ++t) control_group.poll(0, {}, t);
  EXPECT_EQ(points, 10);
  EXPECT_EQ(decisions, 10);
  EXPECT_EQ(control_group.timeline().size(), 10U);
}

TEST(Timeline, CoversTheWholeRunInBoundedMemory) {
  Timeline timeline;
  for (int t = 1; t <= 100000; ++t) {
    charm::TimelinePoint p;
    p.time = t;
    p.seconds = 1;
    p.throughput = t % 2;
    timeline.record(p);
    ASSERT_LE(timeline.points().size(), Timeline::most_points);
  }
  double seconds = 0, end = 0;
  for (const auto& p : timeline.points()) {
    EXPECT_DOUBLE_EQ(p.time - p.seconds, end) << "neither a hole nor an overlap";
    seconds += p.seconds;
    end = p.time;
  }
  EXPECT_DOUBLE_EQ(seconds, 100000);
  EXPECT_DOUBLE_EQ(end, 100000);
  EXPECT_NEAR(timeline.points().front().throughput, 0.5, 0.01);
}

TEST(Timeline, PointsAreOfTheSameLengthButTheLast) {
  Timeline timeline;
  for (int t = 1; t <= 20000; ++t) {
    charm::TimelinePoint p;
    p.time = t;
    p.seconds = 1;
    p.spread = p.workers = t;
    p.idle = t;
    p.stall_dram = p.stall_other_chiplet = t % 1000 == 0 ? -1 : t;
    timeline.record(p);
    if (t % 500 != 0) continue;
    const auto& points = timeline.points();
    const double length = points.front().seconds;
    double first = 1;  // tick of the point
    for (const auto& point : points) {
      if (&point != &points.back()) {
        ASSERT_DOUBLE_EQ(point.seconds, length) << "after " << t;
      }
      ASSERT_LE(point.seconds, length);
      const double last = first + point.seconds - 1;
      ASSERT_DOUBLE_EQ(point.time, last);
      ASSERT_NEAR(point.idle, (first + last) / 2, 1e-6) << "the mean of its ticks";
      ASSERT_EQ(point.spread, point.workers);
      ASSERT_TRUE(point.spread >= first && point.spread <= last);
      const bool unknown = std::floor(last / 1000) > std::floor((first - 1) / 1000);
      ASSERT_NEAR(point.stall_dram, unknown ? -1 : point.idle, 1e-6);
      ASSERT_NEAR(point.stall_other_chiplet, unknown ? -1 : point.idle, 1e-6);
      first = last + 1;
    }
  }
}

/// Of the interval, and only of workers that were to rest in it.
TEST(ControlGroup, TellsWhatThoseDoWhoAreToRest) {
  struct Resting final : Controller {
    double busy = 0;
    std::vector<char> rests;
    int tick(const Signals& s) override {
      busy = s.resting_busy;
      rests = {0, 1};
      return 1;
    }
    [[nodiscard]] int spread() const override { return 1; }
    [[nodiscard]] std::span<const char> resting() const override { return rests; }
    [[nodiscard]] double period() const override { return 1; }
  };
  auto made = std::make_unique<Resting>();
  Resting& told = *made;
  ControlGroup control_group(2, std::move(made), 0);
  WorkerTotals totals;
  for (int second = 1; second <= 4; ++second) {
    totals.busy = 0.5 * second;
    control_group.poll(1, totals, second - 0.5);
    control_group.poll(0, totals, second);
    EXPECT_DOUBLE_EQ(told.busy, second == 1 ? 0 : 0.5) << second;
    EXPECT_TRUE(control_group.rests(1));
    EXPECT_FALSE(control_group.rests(0));
    EXPECT_FALSE(control_group.rests(2)) << "there is none";
  }
  EXPECT_EQ(control_group.timeline().back().workers, 1);
}

TEST(ControlGroupStress, NoTaskIsLostAndNoTickTakenTwice) {
  constexpr int kWorkers = 4;
  constexpr int kPolls = 20000;
  Recorder::Told told;
  ControlGroup control_group(kWorkers, std::make_unique<Recorder>(told), 0);
  std::atomic<int> clock{0};
  std::vector<std::thread> threads;
  for (int w = 0; w < kWorkers; ++w) {
    threads.emplace_back([&, w] {
      WorkerTotals counts;
      for (int i = 0; i < kPolls; ++i) {
        counts.tasks += 1;
        int spread = control_group.poll(w, counts, clock.fetch_add(1) * 0.01);
        ASSERT_TRUE(spread == 1 || spread == 2);
        if (i % 1000 == 0) control_group.decisions();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  WorkerTotals last;
  last.tasks = kPolls;
  double end = clock.load() * 0.01;
  control_group.poll(0, last, end + 10);
  EXPECT_DOUBLE_EQ(told.tasks, static_cast<double>(kWorkers) * kPolls);
  EXPECT_LE(told.ticks, static_cast<int>(end) + 2);
  EXPECT_GT(told.ticks, 0);
}

}  // namespace
