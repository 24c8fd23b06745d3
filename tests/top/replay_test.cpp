// What charm top records and what a running program tells: a runtime that is watched, and one that replays what was
// seen.
#include <charm/charm.hpp>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/folder.hpp"
#include "counters/recording.hpp"
#include "tools/top/controller_state.hpp"
#include "tools/top/replay_writer.hpp"
#include "top/machines.hpp"

namespace {

using namespace charm;
using namespace charm::top;
using counters::FillSource;
using namespace std::chrono_literals;

using charm::test::Folder;

bool until(const std::function<bool()>& enough) {
  for (const auto end = std::chrono::steady_clock::now() + 100s; std::chrono::steady_clock::now() < end;) {
    charm::run([] {
      charm::parallel_for(0, 64, [](int) {
        for (volatile int k = 0; k < 20000;) k = k + 1;
        charm::add_work(1);
      });
    });
    if (enough()) return true;
  }
  return false;
}

constexpr int recorded_s = 300;

/// What top records of four workers that share lines all the time.
void record(const std::string& path) {
  ReplayWriter writer(path, {});
  for (int second = 0; second <= recorded_s; ++second) {
    Sample sample;
    sample.at_s = 1000 + second;
    sample.threads.push_back(top::test::thread(4242, "program", 0, second));
    for (int worker = 0; worker < 4; ++worker) {
      sample.threads.push_back(top::test::thread(4250 + worker, "charm-" + std::to_string(worker), worker, second));
      sample.by_thread[4250 + worker] =
          top::test::reading(sample.at_s, static_cast<std::uint64_t>(second) * 10000000U, 0);
    }
    sample.by_thread[4242] = top::test::reading(sample.at_s, 0, 0);
    writer.write(sample);
  }
}

/// A runtime that the recording makes decide at once, whatever its own speed.
Config replaying(const std::string& path) {
  Config config;
  config.workers = 4;
  config.topology = "pack:1 l3:4 core:4 pu:1";
  config.policy = "charm-alg1-group:period=0.02";
  config.counters = "replay:" + path;
  return config;
}

TEST(Replay, OfWhatTopRecordedDrivesTheController) {
  Folder folder;
  record(folder.path("seen.csv"));
  std::ifstream in(folder.path("seen.csv"));
  const auto recording = counters::read_recording(in, "seen.csv");
  EXPECT_EQ(recording.workers.size(), 4U) << "the workers, and not the program's other threads";
  EXPECT_EQ(recording.workers.at(3).size(), recorded_s + 1U);
  EXPECT_EQ(recording.workers.at(3).back().fill(FillSource::other_chiplet), recorded_s * 10000000U);

  charm::init(replaying(folder.path("seen.csv")));
  EXPECT_TRUE(until([] { return !charm::decisions().empty(); }));
  ASSERT_FALSE(charm::decisions().empty());
  EXPECT_NE(charm::decisions().front().reason.find("events >="), std::string::npos)
      << charm::decisions().front().reason;
  charm::finalize();
}

TEST(ReplayWriter, ARuntimeThatReplaysWritesItsDecisionFile) {
  Folder folder;
  setenv("XDG_RUNTIME_DIR", folder.path().c_str(), 1);
  record(folder.path("seen.csv"));
  Config config = replaying(folder.path("seen.csv"));
  config.decision_file = true;
  charm::init(config);
  const auto self = os::process(getpid());
  EXPECT_TRUE(until([&] {
    const auto controller = read_controller_state(*self);
    return controller && !controller->latest.empty();
  }));
  const auto controller = read_controller_state(*self);
  ASSERT_TRUE(controller);
  EXPECT_EQ(controller->workers, 4);
  EXPECT_TRUE(controller->policy.starts_with("charm-alg1"));
  ASSERT_FALSE(controller->latest.empty());
  EXPECT_FALSE(controller->latest.front().reason.empty());
  charm::finalize();
  EXPECT_FALSE(read_controller_state(*self)) << "it goes with the runtime";
  config.decision_file = false;
  charm::init(config);
  EXPECT_FALSE(read_controller_state(*self)) << "nothing is told that nobody asked for";
  charm::finalize();
  unsetenv("XDG_RUNTIME_DIR");
}

TEST(ReplayWriter, NumbersThreadsThatAreNoWorkersAsTheyAreMet) {
  Folder folder;
  {
    ReplayWriter writer(folder.path("seen.csv"), {});
    Sample sample;
    sample.at_s = 1;
    sample.threads = {top::test::thread(10, "a", 0, 5), top::test::thread(11, "b", 1, 5)};
    writer.write(sample);
    sample.at_s = 2;
    sample.threads = {top::test::thread(11, "b", 2, 6), top::test::thread(10, "reborn", 0, 1)};
    writer.write(sample);
  }
  std::ifstream in(folder.path("seen.csv"));
  const auto recording = counters::read_recording(in, "seen.csv");
  EXPECT_EQ(recording.workers.at(0).size(), 1U);
  EXPECT_EQ(recording.workers.at(1).size(), 2U);
  EXPECT_EQ(recording.workers.at(1).back().migrations, 1U);
  EXPECT_EQ(recording.workers.at(2).size(), 1U) << "another thread that was given the number of the first";
  EXPECT_THROW(ReplayWriter("/nowhere/at/all", {}), Error);
}

TEST(ReplayWriter, TellsAThreadThatIsBornAgainByItsTimeAlone) {
  const Folder folder;
  {
    ReplayWriter writer(folder.path("seen.csv"), {});
    Sample sample;
    for (const double cpu_s : {5.0, 4.99, 1.0}) {  // as much less as the kernel's two accounts of it may differ; less
      sample.at_s += 1;
      sample.threads = {top::test::thread(10, "a", 0, cpu_s)};
      sample.threads.front().page_faults = 50;
      writer.write(sample);
    }
  }
  std::ifstream in(folder.path("seen.csv"));
  const auto recording = counters::read_recording(in, "seen.csv");
  ASSERT_EQ(recording.workers.size(), 2U);
  EXPECT_EQ(recording.workers.at(0).size(), 2U);
  EXPECT_EQ(recording.workers.at(1).size(), 1U);
}

TEST(ReplayWriter, KnowsWorkersByTheirNames) {
  EXPECT_EQ(worker_number("charm-0"), 0);
  EXPECT_EQ(worker_number("charm-123"), 123);
  for (const char* name : {"charm", "charm-", "charm-x", "charm-1x", "charm--1", "charm-99999", "xcharm-1"})
    EXPECT_EQ(worker_number(name), -1) << name;
}

}  // namespace
