// The gang: one decision per tick whoever comes by, from sums that lose nothing.
#include "controller/gang.hpp"

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
    double tasks = 0, elapsed = 0;
    bool counters = true;
  };
  explicit Recorder(Told& told) : told_(told) {}
  int tick(const Signals& s) override {
    ++told_.ticks;
    told_.tasks += s.tasks;
    told_.elapsed += s.elapsed;
    told_.counters = s.counters;
    log_.record({s.time, 0, 1, 2, 0, 0, 0, "tick", "moved"});
    return spread_ = 3 - spread_;
  }
  [[nodiscard]] int spread() const override { return spread_; }
  [[nodiscard]] double period() const override { return 1; }

 private:
  Told& told_;
  int spread_ = 1;
};

TEST(Gang, DecidesOncePerPeriodAndAllSeeTheSpread) {
  Recorder::Told told;
  Gang gang(2, std::make_unique<Recorder>(told), 100);
  Counts counts;
  EXPECT_EQ(gang.poll(0, counts, 100.5), 1);
  EXPECT_EQ(told.ticks, 0);
  counts.tasks = 5;
  EXPECT_EQ(gang.poll(0, counts, 101), 2);
  EXPECT_EQ(gang.poll(1, counts, 101.2), 2);
  EXPECT_EQ(told.ticks, 1);
  EXPECT_EQ(gang.poll(1, counts, 102.1), 1);
  EXPECT_EQ(told.ticks, 2);
  EXPECT_DOUBLE_EQ(told.tasks, 10);
  EXPECT_NEAR(told.elapsed, 2.1, 1e-9);
  EXPECT_EQ(gang.decisions().size(), 2U);
}

TEST(Gang, HasCountersOnlyWhereAllWorkersHave) {
  Recorder::Told told;
  Gang gang(2, std::make_unique<Recorder>(told), 0);
  Counts with;
  with.counters = true;
  gang.poll(0, with, 1);
  EXPECT_FALSE(told.counters);
  gang.poll(1, with, 1.5);
  gang.poll(1, with, 2.5);
  EXPECT_TRUE(told.counters);
}

TEST(GangStress, NoTaskIsLostAndNoTickTakenTwice) {
  constexpr int kWorkers = 4;
  constexpr int kPolls = 20000;
  Recorder::Told told;
  Gang gang(kWorkers, std::make_unique<Recorder>(told), 0);
  std::atomic<int> clock{0};
  std::vector<std::thread> threads;
  for (int w = 0; w < kWorkers; ++w) {
    threads.emplace_back([&, w] {
      Counts counts;
      for (int i = 0; i < kPolls; ++i) {
        counts.tasks += 1;
        int spread = gang.poll(w, counts, clock.fetch_add(1) * 0.01);
        ASSERT_TRUE(spread == 1 || spread == 2);
        if (i % 1000 == 0) gang.decisions();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  Counts last;
  last.tasks = kPolls;
  double end = clock.load() * 0.01;
  gang.poll(0, last, end + 10);
  EXPECT_DOUBLE_EQ(told.tasks, static_cast<double>(kWorkers) * kPolls);
  EXPECT_LE(told.ticks, static_cast<int>(end) + 2);
  EXPECT_GT(told.ticks, 0);
}

}  // namespace
