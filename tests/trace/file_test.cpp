// The file of a recorded run, read back: it has the structure that viewers and the simulator rely on.
#include <charm/charm.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "sched/running.hpp"
#include "trace/recorder.hpp"

using nlohmann::json;

namespace {

/// A place for a recording, removed afterwards.
class Traced : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  charm::Config config() const {
    charm::Config config;
    config.trace = path_.string();
    return config;
  }
  json read() const { return json::parse(std::ifstream(path_)); }

  std::filesystem::path path_ = std::filesystem::temp_directory_path() /
                                ("charm-trace-" + std::to_string(getpid()) + "-" +
                                 testing::UnitTest::GetInstance()->current_test_info()->name() + ".json");
};

std::int64_t fib(int n) {
  if (n < 2) return n;
  std::int64_t a = 0;
  std::int64_t b = 0;
  charm::invoke([&] { a = fib(n - 1); }, [&] { b = fib(n - 2); });
  return a + b;
}

void some_of_everything() {
  charm::run([] {
    fib(18);
    charm::parallel_for(0, 1000, [](int) {});
    std::vector<charm::future<int>> futures;
    for (int i = 0; i < 40; ++i) {
      futures.push_back(charm::async([i] {
        charm::yield();
        return charm::async([i] { return i; }).get();
      }));
    }
    for (auto& future : futures) future.get();
    charm::all_do([] { charm::barrier(); });
    charm::call(charm::num_workers() - 1, [] {});
  });
}

std::vector<json> of_phase(const json& file, const std::string& phase) {
  std::vector<json> found;
  for (const json& event : file.at("traceEvents")) {
    if (event.at("ph") == phase) found.push_back(event);
  }
  return found;
}

TEST_F(Traced, ArenasAreLeftOutAndANoticeSaysSo) {
  {
    Running runtime(2, config());
    charm::arena arena({.workers = 1, .name = "aside"});
    for (int i = 0; i < 50; ++i) arena.execute([] {});
    charm::run([] {});
    const auto notices = charm::stats().notices;
    EXPECT_TRUE(std::any_of(notices.begin(), notices.end(), [](const std::string& notice) {
      return notice.find("lacks what runs in arenas; arena 'aside' is the first") != std::string::npos;
    }));
  }
  EXPECT_EQ(read().at("charm").at("tasks").size(), 1U);
}

TEST_F(Traced, EveryEventHasWhatTheViewersWant) {
  {
    Running runtime(3, config());
    some_of_everything();
  }
  const json file = read();
  std::map<std::string, int> phases;
  for (const json& event : file.at("traceEvents")) {
    const std::string phase = event.at("ph");
    ++phases[phase];
    EXPECT_TRUE(event.at("name").is_string());
    EXPECT_EQ(event.at("pid"), 1);
    if (phase != "M") {
      EXPECT_GE(event.at("ts").get<double>(), 0);
    }
    if (phase == "X") {
      EXPECT_GE(event.at("dur").get<double>(), 0);
    }
    if (phase != "C" && event.at("name") != "process_name") {
      EXPECT_TRUE(event.at("tid").is_number_integer()) << event;
    }
  }
  EXPECT_EQ(phases["M"], 1 + 2 * 4) << "the process, and name and place of three workers and of the decisions";
  EXPECT_GT(phases["X"], 80);
  EXPECT_EQ(phases["s"], phases["f"]);
  EXPECT_GT(phases["s"], 0) << "tasks waited";
  for (const json& event : of_phase(file, "M")) {
    if (event.at("name") == "thread_name" && event.at("tid") == 1) {
      EXPECT_EQ(event.at("args").at("name").get<std::string>().rfind("worker 0", 0), 0U);
    }
  }
}

TEST_F(Traced, SlicesOfAWorkerDoNotOverlap) {
  {
    Running runtime(4, config());
    some_of_everything();
  }
  std::map<int, std::vector<std::pair<double, double>>> tracks;
  const std::vector<json> all = of_phase(read(), "X");
  for (const json& slice : all) {
    double from = slice.at("ts");
    tracks[slice.at("tid")].emplace_back(from, from + slice.at("dur").get<double>());
  }
  EXPECT_FALSE(tracks.empty());
  for (auto& [track, slices] : tracks) {
    std::sort(slices.begin(), slices.end());
    for (std::size_t i = 1; i < slices.size(); ++i) {
      EXPECT_GE(slices[i].first, slices[i - 1].second - 0.002) << "track " << track << ", slice " << i;
    }
  }
}

TEST_F(Traced, TheTaskGraphIsWhole) {
  {
    Running runtime(2, config());
    some_of_everything();
  }
  const json graph = read().at("charm");
  EXPECT_EQ(graph.at("version"), 1);
  EXPECT_EQ(graph.at("dropped"), 0);
  EXPECT_EQ(graph.at("workers").size(), 2U);
  const json& tasks = graph.at("tasks");
  ASSERT_GE(tasks.size(), 82U) << "the root, 40 tasks and the one that each of them makes, calls";
  std::size_t spawned = 0;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const json& task = tasks[i];
    EXPECT_EQ(task.at("id"), i + 1);
    EXPECT_LT(task.at("parent"), i + 1) << "parents begin before their children";
    EXPECT_TRUE(task.at("ended"));
    EXPECT_EQ(task.at("parts").size(), task.at("waits").size() + 1) << "between two parts lies a wait";
    std::int64_t ran = 0;
    for (const json& part : task.at("parts")) ran += part.at("run_ns").get<std::int64_t>();
    EXPECT_NEAR(static_cast<double>(ran), task.at("run_ns").get<double>(),
                static_cast<double>(task.at("parts").size()));
    if (task.at("edge") == "spawn") {
      ++spawned;
      EXPECT_LE(task.at("parent_after_ns"), tasks[task.at("parent").get<std::size_t>() - 1].at("run_ns"));
    }
    for (const json& wait : task.at("waits")) {
      EXPECT_LE(wait.at("by"), tasks.size());
      EXPECT_LE(wait.at("after_ns"), task.at("run_ns"));
    }
  }
  EXPECT_GE(spawned, 80U);
}

TEST_F(Traced, AWaitNamesTheTaskThatEndedIt) {
  {
    Running runtime(1, config());
    charm::run([] { charm::async([] {}).get(); });
  }
  const json tasks = read().at("charm").at("tasks");
  ASSERT_EQ(tasks.size(), 2U);
  EXPECT_EQ(tasks[0].at("edge"), "root");
  EXPECT_EQ(tasks[1].at("parent"), 1);
  ASSERT_EQ(tasks[0].at("waits").size(), 1U);
  EXPECT_EQ(tasks[0].at("waits")[0].at("by"), 2);
}

TEST_F(Traced, DecisionsAndCountersAreThere) {
  {
    Running runtime(1, config());
    EXPECT_TRUE(charm::trace::recording());
    charm::trace::decision("spread 1 -> 2", R"({"control_group":0,"reason":"say \"memory\""})");
    charm::trace::counter("spread", 2);
    charm::trace::counter("not a number", 0.0 / 0.0);
  }
  EXPECT_FALSE(charm::trace::recording());
  charm::trace::decision("late", "{}");
  int decisions = 0;
  int counters = 0;
  const json file = read();
  for (const json& event : file.at("traceEvents")) {
    EXPECT_NE(event.at("name"), "not a number");
    if (event.at("name") == "spread 1 -> 2") {
      ++decisions;
      EXPECT_EQ(event.at("args").at("reason"), "say \"memory\"");
    }
    if (event.at("name") == "spread") {
      ++counters;
      EXPECT_EQ(event.at("args").at("value"), 2);
    }
  }
  EXPECT_EQ(decisions, 1);
  EXPECT_EQ(counters, 1);
}

TEST_F(Traced, AFullBufferIsToldInTheFile) {
  charm::Config small = config();
  small.trace_bytes = 4096;
  {
    Running runtime(1, small);
    some_of_everything();
  }
  const json file = read();
  EXPECT_GT(file.at("charm").at("dropped").get<int>(), 0);
  EXPECT_NE(file.at("otherData").at("dropped"), "0");
}

TEST_F(Traced, TheFileCanBeWrittenWhileTasksRun) {
  Running runtime(2, config());
  for (int i = 0; i < 5; ++i) {
    some_of_everything();
    charm::run([] { charm::trace_flush(); });
    EXPECT_GT(read().at("charm").at("tasks").size(), 80U * static_cast<unsigned>(i));
  }
}

TEST_F(Traced, WithoutTheSettingNothingIsRecorded) {
  Running runtime(2);
  EXPECT_FALSE(charm::trace::recording());
  some_of_everything();
  charm::trace_flush();
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(Traced, AFileThatCannotBeWrittenIsSaidAtTheStart) {
  charm::Config wrong;
  wrong.trace = "/nowhere/at/all.json";
  try {
    Running runtime(1, wrong);
    FAIL();
  } catch (const charm::Error& error) {
    EXPECT_EQ(error.code(), charm::Errc::bad_config);
    EXPECT_NE(std::string(error.what()).find("/nowhere/at/all.json"), std::string::npos);
  }
  EXPECT_FALSE(charm::initialized());
}

}  // namespace
