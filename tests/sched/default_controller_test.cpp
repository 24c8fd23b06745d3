// The default controller in the running runtime, driven by counters and work that follow from where the workers are: a
// machine that is not there, played by the clock. Every decision is checked against what is true of that machine.
#include <charm/charm.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "counters/source.hpp"
#include "sched/fake_cpus.hpp"
#include "sched/run/runtime.hpp"

namespace {

using charm::counters::FillSource;
using Seconds = std::chrono::duration<double>;

constexpr int played_workers = 4;

/// How fast the workers are on 1, 2 and 4 chiplets, and what they wait for. Where they hardly wait (some 2 %), nobody
/// would try to spread them further.
struct Truth {
  std::array<double, 5> rate{};                    // work per second, by spread
  std::array<double, 5> on_memory{}, on_others{};  // shares of time
};

/// What has happened on that machine until now.
class Played {
 public:
  explicit Played(const Truth& truth) : truth_(truth) {}

  charm::counters::Reading until_now() {
    const auto now = std::chrono::steady_clock::now();
    const std::lock_guard lock(mutex_);
    const double seconds = Seconds(now - last_).count();
    last_ = now;
    std::set<int> chiplets;
    for (const charm::WorkerCore& core : charm::worker_cores()) chiplets.insert(core.chiplet);
    const std::size_t spread = std::min<std::size_t>(chiplets.size(), 4);
    charm::add_work(truth_.rate[spread] * seconds);
    constexpr double lines_a_second = 40e6;  // of a worker that does nothing else: 200 ns, eight at a time
    instructions_ += truth_.rate[spread] * seconds * 1e7;  // the work stays the same wherever it is done
    memory_ += seconds * truth_.on_memory[spread] * lines_a_second;
    others_ += seconds * truth_.on_others[spread] * lines_a_second;
    charm::counters::Reading reading;
    reading.instructions = static_cast<std::uint64_t>(instructions_);
    reading.fills[index(FillSource::local_dram)] = static_cast<std::uint64_t>(memory_);
    reading.fills[index(FillSource::other_chiplet)] = static_cast<std::uint64_t>(others_);
    reading.has.instructions = true;
    reading.has.fills = {FillSource::local_dram, FillSource::other_chiplet};
    return reading;
  }

 private:
  Truth truth_;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  double instructions_ = 0, memory_ = 0, others_ = 0;
};

class PlayedCounters final : public charm::counters::Source {
 public:
  explicit PlayedCounters(const Truth& truth) : played_(std::make_shared<Played>(truth)) {}
  std::unique_ptr<charm::counters::ThreadCounters> open_for_this_thread(int /*worker*/) override {
    struct Thread final : charm::counters::ThreadCounters {
      explicit Thread(std::shared_ptr<Played> of) : played(std::move(of)) {}
      charm::counters::Reading read() noexcept override { return played->until_now(); }
      std::shared_ptr<Played> played;
    };
    return std::make_unique<Thread>(played_);
  }
  [[nodiscard]] charm::counters::Description describe() const override { return {}; }

 private:
  std::shared_ptr<Played> played_;
};

/// Works until `enough` says so or for far too long.
bool play_until(const std::function<bool()>& enough) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(200);
  while (std::chrono::steady_clock::now() < end) {
    charm::run([] {
      charm::task_group group;
      for (int i = 0; i < 200; ++i) {
        group.run([] {
          volatile unsigned sink = 0;
          for (unsigned k = 0; k < 200000; ++k) sink = sink + k;
        });
      }
      group.wait();
    });
    if (enough()) return true;
  }
  return false;
}

int spread_now() {
  std::set<int> chiplets;
  for (const charm::WorkerCore& core : charm::worker_cores()) chiplets.insert(core.chiplet);
  return static_cast<int>(chiplets.size());
}

std::string told(const std::vector<charm::Decision>& decisions) {
  std::string text;
  for (const auto& d : decisions) text += to_string(d) + "\n";
  return text;
}

/// Each decision begins where the one before it left the workers, says why, and was concluded as the truth is.
void check(const std::vector<charm::Decision>& decisions, const Truth& truth, int start) {
  int at = start;
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    const charm::Decision& d = decisions[i];
    SCOPED_TRACE(to_string(d));
    EXPECT_EQ(d.from, at);
    EXPECT_NE(d.to, d.from);
    EXPECT_FALSE(d.reason.empty());
    const auto rate = [&](int spread) { return truth.rate[static_cast<std::size_t>(spread)]; };
    if (d.outcome.starts_with("kept")) {
      EXPECT_GT(rate(d.to), rate(d.from));
      at = d.to;
    } else if (d.outcome.starts_with("rolled back")) {
      EXPECT_LT(rate(d.to), rate(d.from));
    } else if (d.outcome == "moved") {
      at = d.to;
    } else if (d.outcome.empty()) {
      EXPECT_EQ(i + 1, decisions.size()) << "only the latest may be open";
    } else {
      EXPECT_NE(d.outcome.find("broken off"), std::string::npos);
      at = i + 1 < decisions.size() ? decisions[i + 1].from : at;
    }
  }
}

void expect_best(const Truth& truth, int start, int best, const char* first_reason) {
  charm::Config config;
  config.workers = played_workers;
  config.topology = "pack:1 l3:4 core:4 pu:1";
  config.policy = "adaptive:tick=0.1";
  config.spread = start;
  config.counters = "none";
  charm::test::FakeKernel kernel(16);
  std::thread([&] {
    new charm::sched::Runtime(config, kernel.watch(), std::make_unique<PlayedCounters>(truth));
  }).join();
  const auto concluded = [&] {
    const auto decisions = charm::decisions();
    // At the best level, and at least two trials of others have come back.
    const auto back = std::count_if(decisions.begin(), decisions.end(), [&](const charm::Decision& d) {
      return d.from == best && d.outcome.starts_with("rolled back");
    });
    return back >= 2 && spread_now() == best;
  };
  EXPECT_TRUE(play_until(concluded)) << told(charm::decisions());
  const auto decisions = charm::decisions();
  ASSERT_FALSE(decisions.empty());
  EXPECT_NE(decisions.front().reason.find(first_reason), std::string::npos) << told(decisions);
  check(decisions, truth, start);
  EXPECT_EQ(kernel.collisions(), 0) << "nobody twice on a core";
  charm::finalize();
}

TEST(DefaultController, SpreadsWhatWaitsForMemoryAndKeepsWhatIsFaster) {
  expect_best({{0, 100, 200, 0, 400}, {0, .9, .8, 0, .4}, {}}, 1, 4, "on memory");
}

TEST(DefaultController, BringsTogetherWhatWaitsForOtherChiplets) {
  expect_best({{0, 400, 200, 0, 100}, {}, {0, .3, .5, 0, .9}}, 4, 1, "on other chiplets");
}

TEST(DefaultController, FindsTheLevelInBetween) {
  expect_best({{0, 100, 400, 0, 150}, {0, .8, .3, 0, .1}, {0, 0, .1, 0, .7}}, 1, 2, "on memory");
}

}  // namespace
