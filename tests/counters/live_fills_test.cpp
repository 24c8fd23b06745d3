// Whether this machine's counters name the right sources: walks over memory of known size, a line that two workers
// write in turn, and a worker that moves. Only where there are counters; elsewhere these tests are left out, and what
// they conclude is tested with numbers that are made up.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/settings.hpp"
#include "counters/expected_fills.hpp"
#include "os/memory/memory.hpp"
#include "os/threads/affinity.hpp"

namespace charm::counters {
namespace {

constexpr FillSet chiplet{FillSource::own_l2, FillSource::own_chiplet};
constexpr FillSet elsewhere{FillSource::other_chiplet, FillSource::remote_cache};
constexpr FillSet memory{FillSource::local_dram, FillSource::remote_dram, FillSource::other};
constexpr FillSet beyond{FillSource::other_chiplet, FillSource::remote_cache, FillSource::local_dram,
                         FillSource::remote_dram, FillSource::other};

struct alignas(64) Line {
  Line* next = nullptr;
};

/// Lines in a circle that visits them in no order that a prefetcher could follow.
class Walk {
 public:
  explicit Walk(std::size_t bytes) : lines_(std::max<std::size_t>(2, bytes / sizeof(Line))) {
    std::vector<std::size_t> order(lines_.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
    for (std::size_t i = 0; i < order.size(); ++i) lines_[order[i]].next = &lines_[order[(i + 1) % order.size()]];
    at_ = &lines_[order.front()];
  }
  /// \returns the number of lines visited: all of them so many times.
  double go_round(int times) {
    for (std::size_t left = lines_.size() * static_cast<std::size_t>(times); left > 0; --left) at_ = at_->next;
    seen_.store(at_, std::memory_order_relaxed);
    return static_cast<double>(lines_.size()) * times;
  }

 private:
  std::vector<Line> lines_;
  Line* at_;
  std::atomic<Line*> seen_{};
};

class LiveFills : public testing::Test {
 protected:
  void SetUp() override {
    machine_ = Machine::discover();
    source_ = Source::choose(base::resolve({}), machine_);
    const Description description = source_->describe();
    if (description.kind != Description::Kind::hardware)
      GTEST_SKIP() << "no hardware counters: " << description.why_not;
    classes_ = description.classes;
    l3_ = static_cast<double>(machine_.chiplets.front().l3_bytes);
    if (l3_ <= 0) GTEST_SKIP() << "the size of the last-level cache is not known";
  }

  /// Whether all of these are counted, as far as this machine has them, so that too few fills mean something.
  [[nodiscard]] bool tells(FillSet sources) const {
    FillSet here;
    for (const FillSource each : all_fill_sources) {
      const bool remote = each == FillSource::remote_cache || each == FillSource::remote_dram;
      if (sources.has(each) && each != FillSource::other && each != FillSource::own_l2 &&
          (!remote || machine_.nodes.size() > 1))
        here.add(each);
    }
    return is_within(here, counted(classes_));
  }

  /// Fills by access of a walk, after one round that brings what fits into the caches.
  Bounds share(FillSet sources, double bytes) {
    Bounds all;
    std::thread([&] {
      os::bind_this_thread(CpuSet{machine_.cores.front().cpu});
      const auto counters = source_->open_for_this_thread(0);
      Walk walk(static_cast<std::size_t>(bytes));
      walk.go_round(2);
      const Reading before = counters->read();
      const double lines = walk.go_round(std::max(1, static_cast<int>(64e6 / bytes)));
      all = fills_from(sources, before, counters->read(), classes_);
      all.least /= lines;
      all.most /= lines;
    }).join();
    return all;
  }

  /// The cpu of a core that lies so, seen from the first core.
  std::optional<int> cpu_of(bool same_chiplet) {
    const Core& first = machine_.cores.front();
    for (const Core& core : machine_.cores) {
      if (core.id != first.id && (core.chiplet == first.chiplet) == same_chiplet) return core.cpu;
    }
    return std::nullopt;
  }

  /// Fills of the first core by turn, while it and another write one line in turn.
  Bounds share_of_turns(FillSet sources, int other_cpu) {
    constexpr int turns = 200000;
    alignas(64) std::atomic<int> turn{0};
    Bounds all;
    std::thread other([&] {
      os::bind_this_thread(CpuSet{other_cpu});
      for (int i = 0; i < turns; ++i) {
        while (turn.load(std::memory_order_acquire) != 1) {
        }
        turn.store(0, std::memory_order_release);
      }
    });
    std::thread([&] {
      os::bind_this_thread(CpuSet{machine_.cores.front().cpu});
      const auto counters = source_->open_for_this_thread(0);
      const Reading before = counters->read();
      for (int i = 0; i < turns; ++i) {
        turn.store(1, std::memory_order_release);
        while (turn.load(std::memory_order_acquire) != 0) {
        }
      }
      all = fills_from(sources, before, counters->read(), classes_);
      all.least /= turns;
      all.most /= turns;
    }).join();
    other.join();
    return all;
  }

  Machine machine_;
  std::unique_ptr<Source> source_;
  std::vector<FillClass> classes_;
  double l3_ = 0;
};

TEST_F(LiveFills, OfAWalkWithinTheChipletsCacheComeFromThere) {
  // An eighth, since other cores use it, too. What lies in L2 need not be counted, so there is no least share.
  const Bounds from_beyond = share(beyond, l3_ / 8);
  EXPECT_LE(from_beyond.least, 0.2) << "a quarter of the cache was read again and again";
}

TEST_F(LiveFills, OfAWalkFarBeyondTheCachesComeFromMemory) {
  const double bytes = std::min(8 * l3_, 1e9);
  if (os::available_bytes().value_or(0) < 2 * bytes) GTEST_SKIP() << "too little memory is free";
  const Bounds from_memory = share(memory, bytes), from_others = share(elsewhere, bytes);
  if (tells(memory)) {
    EXPECT_GE(from_memory.most, 0.5) << "most of it fits into no cache";
  }
  EXPECT_LE(from_others.least, 0.2) << "nobody else has these lines";
}

TEST_F(LiveFills, OfALineThatANeighbourWritesComeFromTheOwnChiplet) {
  const auto neighbour = cpu_of(true);
  if (!neighbour) GTEST_SKIP() << "the chiplet has one core";
  const Bounds own = share_of_turns(chiplet, *neighbour);
  if (own.most < 0.05 && share_of_turns(beyond, *neighbour).most < 0.05)
    GTEST_SKIP() << "no line moves: the two cpus seem to be threads of one core";
  if (tells(chiplet)) {
    EXPECT_GE(own.most, 0.5);
  }
  EXPECT_LE(share_of_turns(memory, *neighbour).least, 0.2);
}

TEST_F(LiveFills, OfALineThatAnotherChipletWritesComeFromThere) {
  const auto other = cpu_of(false);
  if (!other) GTEST_SKIP() << "there is one chiplet";
  const Bounds others = share_of_turns(elsewhere, *other);
  if (tells(elsewhere)) {
    EXPECT_GE(others.most, 0.5);
  }
}

TEST_F(LiveFills, AfterAMoveComeFromElsewhereOnce) {
  const auto other = cpu_of(false);
  if (!other) GTEST_SKIP() << "there is one chiplet";
  Bounds first, second;
  std::thread([&] {
    os::bind_this_thread(CpuSet{machine_.cores.front().cpu});
    const auto counters = source_->open_for_this_thread(0);
    Walk walk(static_cast<std::size_t>(l3_ / 8));
    walk.go_round(4);
    os::bind_this_thread(CpuSet{*other});
    const Reading moved = counters->read();
    const double lines = walk.go_round(1);
    const Reading once = counters->read();
    walk.go_round(2);
    const Reading warm = counters->read();
    walk.go_round(1);
    first = fills_from(beyond, moved, once, classes_);
    second = fills_from(beyond, warm, counters->read(), classes_);
    for (Bounds* each : {&first, &second}) each->least /= lines, each->most /= lines;
  }).join();
  if (tells(beyond)) {
    EXPECT_GE(first.most, 0.5) << "nothing of it was in the new chiplet's cache";
  }
  EXPECT_LE(second.least, 0.2) << "all of it has been fetched";
}

/// Readings as they would be; the rules that the tests above rest on.
TEST(ExpectedFills, OfSumsAreBoundsOfTheirParts) {
  Reading before, after;
  after.has.fills = {FillSource::own_chiplet, FillSource::local_dram};
  after.fills[index(FillSource::own_chiplet)] = 100;
  after.fills[index(FillSource::local_dram)] = 7;
  const std::vector<FillClass> zen2 = {
      {FillSource::own_chiplet, {FillSource::own_chiplet, FillSource::other_chiplet}, ""},
      {FillSource::local_dram, {FillSource::local_dram}, ""}};
  const Bounds others = fills_from({FillSource::other_chiplet}, before, after, zen2);
  EXPECT_EQ(others.least, 0) << "all of the sum may be the own chiplet's";
  EXPECT_EQ(others.most, 100);
  const Bounds memories = fills_from(memory, before, after, zen2);
  EXPECT_EQ(memories.least, 7);
  EXPECT_EQ(fills_from(beyond, before, after, zen2).least, 7);
}

}  // namespace
}  // namespace charm::counters
