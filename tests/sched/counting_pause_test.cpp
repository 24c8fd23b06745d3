// What counting takes from the workers: readings that are dear are rare, those that are too dear are not made, and what
// nobody decides by is not read at all.
#include <charm/charm.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "counters/source.hpp"
#include "sched/fake_cpus.hpp"
#include "sched/run/runtime.hpp"
#include "sched/work_until.hpp"

namespace {

using charm::counters::Description;
using Clock = std::chrono::steady_clock;

constexpr double pause_s = 0.008;

struct Seen {
  std::atomic<int> readings{0};
  std::atomic<int> too_many{0};  // of a thread, for the time since its counters were opened
};

/// A source that says what it costs.
class Priced final : public charm::counters::Source {
 public:
  Priced(Seen& seen, Description description) : seen_(seen), description_(std::move(description)) {}
  std::unique_ptr<charm::counters::ThreadCounters> open_for_this_thread(int /*worker*/) override {
    struct Thread final : charm::counters::ThreadCounters {
      explicit Thread(Seen& by) : seen(by) {}
      charm::counters::Reading read() noexcept override {
        ++seen.readings;
        const double seconds = std::chrono::duration<double>(Clock::now() - opened).count();
        if (++mine > seconds / pause_s + 1) ++seen.too_many;
        charm::counters::Reading reading;
        reading.has.instructions = true;
        reading.has.fills = {charm::counters::FillSource::other_chiplet};
        return reading;
      }
      Seen& seen;
      const Clock::time_point opened = Clock::now();
      int mine = 0;
    };
    return std::make_unique<Thread>(seen_);
  }
  [[nodiscard]] Description describe() const override { return description_; }

 private:
  Seen& seen_;
  Description description_;
};

void run_with(Seen& seen, Description::Kind kind, double reading_s) {
  charm::Config config;
  config.workers = 2;
  config.topology = "pack:1 l3:4 core:4 pu:1";
  config.policy = "charm-alg1-group:period=0.04";
  config.counters = "none";
  Description description;
  description.kind = kind;
  description.reading_s = reading_s;
  charm::test::FakeKernel kernel(16);
  std::thread([&] {
    new charm::sched::Runtime(config, kernel.watch(), std::make_unique<Priced>(seen, description));
  }).join();
  EXPECT_TRUE(charm::test::work_until([] { return charm::timeline().size() > 20; }));
  charm::finalize();
}

bool noticed(const std::string& words) {
  for (const auto& notice : charm::stats().notices) {
    if (notice.find(words) != std::string::npos) return true;
  }
  return false;
}

TEST(CountingPause, KeepsReadingsToTheirShareOfTheTime) {
  Seen seen;
  run_with(seen, Description::Kind::hardware, 3e-3 * pause_s);  // three thousandths of the time
  EXPECT_GT(seen.readings, 20);
  EXPECT_EQ(seen.too_many, 0);
}

TEST(CountingPause, GivesUpReadingsThatAreTooDear) {
  Seen seen;
  run_with(seen, Description::Kind::hardware, 300e-6);  // one in 100 ms, and ticks of 40 ms
  EXPECT_EQ(seen.readings, 0);
}

TEST(CountingPause, ReadsNoSignalsOfTheSystemThatNobodyDecidesBy) {
  Seen seen;
  run_with(seen, Description::Kind::software, 0);
  EXPECT_EQ(seen.readings, 0);
}

TEST(CountingPause, SaysThatAlgorithm1CannotSeeOtherChiplets) {
  charm::Config config;
  config.workers = 2;
  config.topology = "pack:1 l3:4 core:4 pu:1";
  config.policy = "charm-alg1:period=0.02,threshold=1";
  config.spread = 2;
  config.counters = "none";
  struct Blind final : charm::counters::Source {
    std::unique_ptr<charm::counters::ThreadCounters> open_for_this_thread(int /*worker*/) override {
      struct Thread final : charm::counters::ThreadCounters {
        charm::counters::Reading read() noexcept override {
          total.instructions += 1000000;
          total.has = what();
          return total;
        }
        charm::counters::Reading total;
      };
      return std::make_unique<Thread>();
    }
    static charm::counters::Measured what() {
      charm::counters::Measured has;
      has.instructions = true;
      has.fills = {charm::counters::FillSource::own_chiplet, charm::counters::FillSource::local_dram};
      return has;
    }
    [[nodiscard]] Description describe() const override {
      Description description;
      description.kind = Description::Kind::hardware;
      description.has = what();
      return description;
    }
  };
  charm::test::FakeKernel kernel(16);
  std::thread([&] { new charm::sched::Runtime(config, kernel.watch(), std::make_unique<Blind>()); }).join();
  EXPECT_TRUE(charm::test::work_until([] { return charm::timeline().size() > 20; }));
  EXPECT_TRUE(charm::decisions().empty()) << "zeros of a counter that cannot see were taken for the truth";
  EXPECT_TRUE(noticed("cannot tell the lines of other chiplets apart"));
  charm::finalize();
}

}  // namespace
