// The task layer: nothing is lost, time adds up, near work is found first, and recorded graphs run on any machine.
#include "tools/sim/tasks.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "placement/placement_policy.hpp"
#include "tools/sim/replay.hpp"

using namespace charm::sim;

namespace {

std::vector<charm::WorkerCore> worker_cores(const Model& m, int workers) {
  return charm::placement::policy("local").place(m.machine, {.workers = workers}).start();
}

TEST(Tasks, OfALoopAllRunAndTheTimeAddsUp) {
  const Model m = model("7713");
  for (const char* way : {"random", "nearest", "weighted", "nearest-half", "bounded", "bitmap"}) {
    const auto s = worker_cores(m, 64);
    const TaskRun run = run_tasks(m, s, flat_loop(4096, 1000), {way});
    EXPECT_EQ(run.ran, 4096U) << way;
    EXPECT_NEAR(run.busy_ns, 4096e3, 1) << way;
    EXPECT_GE(run.makespan_ns, 64e3) << way;
  }
}

TEST(Tasks, StolenInHalvesByDistanceAreFasterThanOneByOneFromAnybody) {
  const Model m = model("7713");
  const auto s = worker_cores(m, 64);
  const auto chance = run_tasks(m, s, flat_loop(4096, 1000), by_chance),
             distance = run_tasks(m, s, flat_loop(4096, 1000), by_distance);
  EXPECT_GT(distance.efficiency(64), 2 * chance.efficiency(64));
  EXPECT_GT(distance.efficiency(64), 0.7);
}

TEST(Tasks, AreTheSameForTheSameSeed) {
  const Model m = model("2x7713");
  const auto s = worker_cores(m, 100);
  const auto a = run_tasks(m, s, flat_loop(1000, 500), by_distance),
             b = run_tasks(m, s, flat_loop(1000, 500), by_distance);
  EXPECT_EQ(a.makespan_ns, b.makespan_ns);
  EXPECT_EQ(a.steals, b.steals);
}

TEST(Tasks, WaitForTheirForksAndForOthers) {
  const Model m = model("7713");
  TaskGraph graph{"diamond", std::vector<Task>(4)};
  graph.tasks[0] = {1000, -1, 0, false, -1, {{900, 3, 5000}}};
  graph.tasks[1] = {10000, 0, 100, true, -1, {}};
  graph.tasks[2] = {10000, 0, 200, true, -1, {}};
  graph.tasks[3] = {5000, 0, 300, false, -1, {}};
  const TaskRun one = run_tasks(m, worker_cores(m, 1), graph, by_distance),
                four = run_tasks(m, worker_cores(m, 4), graph, by_distance);
  EXPECT_EQ(one.ran, 4U);
  EXPECT_GE(one.makespan_ns, 26000);
  EXPECT_GE(four.makespan_ns, 10100);
  EXPECT_LT(four.makespan_ns, 16000);
}

TEST(Tasks, ThatAreCallsRunWhereTheyAreCalledTo) {
  const Model m = model("7713");
  TaskGraph graph{"calls", std::vector<Task>(8)};
  for (int w = 0; w < 8; ++w) graph.tasks[static_cast<std::size_t>(w)] = {1000, -1, 0, false, w, {}};
  const TaskRun run = run_tasks(m, worker_cores(m, 8), graph, no_stealing);
  EXPECT_EQ(run.ran, 8U);
  EXPECT_LT(run.makespan_ns, 2000);
}

TEST(Tasks, ThatWaitForEachOtherInACircleAreReported) {
  const Model m = model("7713");
  TaskGraph graph{"circle", std::vector<Task>(2)};
  graph.tasks[0] = {1000, -1, 0, false, -1, {{500, 1, 800}}};
  graph.tasks[1] = {1000, -1, 0, false, -1, {{500, 0, 800}}};
  EXPECT_THROW(run_tasks(m, worker_cores(m, 4), graph, by_distance), charm::Error);
}

constexpr const char* recorded = R"({"traceEvents": [], "charm": {"version": 1, "dropped": 0,
 "workers": [{"id": 0, "cpu": 0, "chiplet": 0, "node": 0}],
 "tasks": [
  {"id": 1, "name": "main", "parent": 0, "edge": "root", "parent_after_ns": 0, "run_ns": 5300, "ended": true,
   "parts": [{"worker": 0, "start_ns": 100, "run_ns": 5000}, {"worker": 1, "start_ns": 9000, "run_ns": 300}],
   "waits": [{"after_ns": 5000, "wait_ns": 3900, "by": 2, "by_after_ns": 2500}]},
  {"id": 2, "name": "child", "parent": 1, "edge": "spawn", "parent_after_ns": 1000, "run_ns": 2500, "ended": true,
   "parts": [], "waits": []}]}})";

TEST(Replay, RunsARecordedGraphOnAnyMachine) {
  const TaskGraph graph = parse_trace(recorded, "run.json");
  ASSERT_EQ(graph.tasks.size(), 2U);
  for (const Model& m : models()) {
    const TaskRun one = run_tasks(m, worker_cores(m, 1), graph, by_distance),
                  two = run_tasks(m, worker_cores(m, 2), graph, by_distance);
    EXPECT_NEAR(one.busy_ns, 7800, 1e-6) << m.name;
    EXPECT_LE(two.makespan_ns, one.makespan_ns + 1) << m.name;
  }
}

TEST(Replay, OfARealRunTakesAllItsTimeWithOneWorkerAndLessWithMore) {
  std::ifstream in(CHARM_TEST_DATA "/traces/bfs.json", std::ios::binary);
  const TaskGraph graph = parse_trace({std::istreambuf_iterator<char>(in), {}}, "bfs.json");
  ASSERT_GT(graph.tasks.size(), 10U);
  double work = 0, longest = 0;
  for (const Task& task : graph.tasks) {
    work += task.run_ns;
    longest = std::max(longest, task.run_ns);
  }
  for (const char* machine : {"7713", "2x7713", "graviton-3", "cxl"}) {
    const Model m = model(machine);
    double last = 2 * work;
    for (const int workers : {1, 2, 4, 16}) {
      const TaskRun run = run_tasks(m, worker_cores(m, workers), graph, by_distance);
      EXPECT_EQ(run.ran, graph.tasks.size()) << machine;
      EXPECT_NEAR(run.busy_ns, work, work * 1e-9) << machine;
      EXPECT_GE(run.makespan_ns, std::max(longest, work / workers)) << machine;
      EXPECT_LE(run.makespan_ns, last * 1.02) << machine << ", " << workers << " workers";
      last = run.makespan_ns;
    }
    EXPECT_LT(last, 0.8 * work) << machine << ": recorded with sixteen workers, it has parallelism";
  }
}

TEST(Replay, RefusesWhatIsNoTrace) {
  EXPECT_THROW(parse_trace("{}", "x"), charm::Error);
  EXPECT_THROW(parse_trace("[", "x"), charm::Error);
  EXPECT_THROW(parse_trace(R"({"charm": {"version": 2, "tasks": []}})", "x"), charm::Error);
}

}  // namespace
