// Schedules of recorded task graphs: what has to be true of every schedule, and what tells them apart.
#include "tools/sim/dag_schedule.hpp"

#include <charm/error.hpp>

#include <algorithm>

#include <gtest/gtest.h>

#include "base/random.hpp"

using namespace charm::sim;

namespace {

constexpr DagSchedule all_schedules[] = {DagSchedule::one_queue, DagSchedule::random_deques,
                                         DagSchedule::chiplet_queues, DagSchedule::batch};

Model kunpeng() { return model("kunpeng-920-128"); }

TaskDag random_dag(std::uint64_t seed) {
  charm::base::Random random(seed);
  TaskDag dag{"random", 0, {}};
  const std::size_t size = 1 + random.index(400);
  for (std::size_t t = 0; t < size; ++t) {
    DagTask task{100 + 1e5 * random.unit(), 1e5 * random.unit(), {}};
    for (std::size_t e = random.index(4); e > 0 && t + 1 < size; --e)
      task.after.push_back(static_cast<int>(t + 1 + random.index(size - t - 1)));
    std::sort(task.after.begin(), task.after.end());
    task.after.erase(std::unique(task.after.begin(), task.after.end()), task.after.end());
    dag.tasks.push_back(std::move(task));
  }
  return dag;
}

double longest_path(const TaskDag& dag) {
  std::vector<double> end(dag.tasks.size(), 0);
  double longest = 0;
  for (std::size_t t = 0; t < dag.tasks.size(); ++t) {
    end[t] += dag.tasks[t].run_ns;
    longest = std::max(longest, end[t]);
    for (const int after : dag.tasks[t].after)
      end[static_cast<std::size_t>(after)] = std::max(end[static_cast<std::size_t>(after)], end[t]);
  }
  return longest;
}

TEST(DagSchedules, RunEveryTaskOnceAndNoFasterThanTheGraphAllows) {
  const Model machine = kunpeng();
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const TaskDag dag = random_dag(seed);
    for (const DagSchedule schedule : all_schedules) {
      for (const int workers : {1, 3, 40, 128}) {
        const DagRunResult run = run_dag(machine, workers, dag, schedule, {}, seed);
        ASSERT_EQ(run.ran, dag.tasks.size()) << "seed " << seed << ", " << workers << " workers";
        EXPECT_GE(run.makespan_ns * workers, dag.run_ns() * 0.999999);
        EXPECT_GE(run.makespan_ns, longest_path(dag) * 0.999999);
        EXPECT_GE(run.busy_ns, dag.run_ns() * 0.999999);
      }
    }
  }
}

TEST(DagSchedules, GiveTheSameForTheSameSeed) {
  const TaskDag dag = random_dag(3);
  for (const DagSchedule schedule : all_schedules) {
    const double once = run_dag(kunpeng(), 128, dag, schedule, {}, 5).makespan_ns;
    EXPECT_EQ(run_dag(kunpeng(), 128, dag, schedule, {}, 5).makespan_ns, once);
  }
}

/// Twelve pairs of tasks after one: the second of a pair reads what the first has written.
TaskDag pairs(double run_ns, double bytes) {
  TaskDag dag{"pairs", 0, {{1000, 0, {}}}};
  for (int i = 0; i < 12; ++i) {
    const auto first = static_cast<int>(dag.tasks.size());
    dag.tasks.front().after.push_back(first);
    dag.tasks.push_back({run_ns, bytes, {first + 1}});
    dag.tasks.push_back({run_ns, 0, {}});
  }
  return dag;
}

TEST(DagSchedules, OfChipletQueuesFillAChipletBeforeTheNext) {
  const Model machine = kunpeng();  // of 32 cores a chiplet
  const DagRunResult near = run_dag(machine, 128, pairs(1e6, 1e6), DagSchedule::chiplet_queues);
  EXPECT_EQ(near.from_far, 0U);
  EXPECT_EQ(near.data_ns, 0);
  std::uint64_t far = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed)
    far += run_dag(machine, 128, pairs(1e6, 1e6), DagSchedule::random_deques, {}, seed).from_far;
  EXPECT_GT(far, 0U);
}

TEST(DagSchedules, TakeTurnsAtALinkBetweenSockets) {
  // More wide tasks than a socket has cores, all after one that has written 33 MB: a link of 33 GB/s takes 1 ms for
  // each.
  const Model machine = kunpeng();
  ASSERT_EQ(machine.costs.socket_link.value, 33);
  TaskDag dag{"wide", 0, {{1000, 33e6, {}}}};
  for (int i = 1; i <= 128; ++i) {
    dag.tasks.front().after.push_back(i);
    dag.tasks.push_back({1e9, 0, {}});
  }
  // 64 tasks run on the other socket.
  EXPECT_GE(run_dag(machine, 128, dag, DagSchedule::batch).makespan_ns, 1e9 + 64 * 1e6);
  EXPECT_LT(run_dag(machine, 64, dag, DagSchedule::batch).makespan_ns, 2e9 + 64 * 1e6);
}

TEST(DagSchedules, OfABatchWaitForTheWholeLevel) {
  // A long task and a short one, and one after the short one: a stream runs it beside the long one.
  const TaskDag dag{"levels", 0, {{1e6, 0, {}}, {1e3, 0, {2}}, {1e6, 0, {}}}};
  EXPECT_GE(run_dag(kunpeng(), 2, dag, DagSchedule::batch).makespan_ns, 2e6);
  EXPECT_LT(run_dag(kunpeng(), 2, dag, DagSchedule::chiplet_queues).makespan_ns, 1.1e6);
}

TEST(DagSchedules, TakeTurnsAtTheLockOfOneQueue) {
  // 128 idle threads want the lock for every task that comes, so short tasks wait for it.
  TaskDag dag{"short", 0, {{100, 0, {}}}};
  for (int i = 1; i <= 1000; ++i) {
    dag.tasks.front().after.push_back(i);
    dag.tasks.push_back({100, 0, {}});
  }
  DagCosts slow;
  slow.lock_ns = 1000;
  // Each task is published and fetched: two turns.
  EXPECT_GE(run_dag(kunpeng(), 128, dag, DagSchedule::one_queue, slow).makespan_ns, 2 * 999 * 1000.0);
}

TEST(DagSchedules, SlowDownTasksThatWereRecordedOnAFasterCore) {
  const TaskDag dag{"fast", 1e-3, {{50e3, 0, {}}}};  // 20 Gflop/s
  EXPECT_NEAR(run_dag(kunpeng(), 1, dag, DagSchedule::batch).makespan_ns, 1e6 / 10.4, 1);
}

TEST(DagSchedules, RefuseMoreWorkersThanCores) {
  EXPECT_THROW(run_dag(kunpeng(), 129, random_dag(1), DagSchedule::batch), charm::Error);
  EXPECT_THROW(run_dag(kunpeng(), 0, random_dag(1), DagSchedule::batch), charm::Error);
}

TEST(TaskDags, AreReadAsTheyWereWritten) {
  const std::string text =
      task_dags_json({"here", {{"a", 0.5, {{10, 20, {1, 2}}, {1, 2, {2}}, {3, 4, {}}}}, {"b", 1, {}}}});
  const TaskDagRecord read = parse_task_dags(text, "test");
  EXPECT_EQ(task_dags_json(read), text);
  ASSERT_EQ(read.dags.size(), 2U);
  EXPECT_EQ(read.dags[0].tasks[0].after, (std::vector<int>{1, 2}));
  EXPECT_EQ(read.dags[0].tasks[1].bytes, 2);
  EXPECT_EQ(read.dags[0].run_ns(), 14);
}

TEST(TaskDags, ThatAreWrongAreErrors) {
  const auto refused = [](const std::string& tasks) {
    try {
      parse_task_dags(R"({"made_by": "", "graphs": [{"name": "a", "gflop": 1, "tasks": )" + tasks + "}]}", "test");
    } catch (const charm::Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refused("[[1,2,[1]],[1,2,[]]]"), "");
  EXPECT_NE(refused("[[1,2,[0]]]").find("does not lead to a later task"), std::string::npos);
  EXPECT_NE(refused("[[1,2,[1]]]").find("does not lead to a later task"), std::string::npos);
  EXPECT_NE(refused("[[1,2]]").find("task graphs test"), std::string::npos);
  EXPECT_NE(refused("7").find("task graphs test"), std::string::npos);
}

TEST(TaskDags, OfTheFactorisationsAreBuiltIn) {
  std::vector<std::string> names;
  for (const TaskDag& dag : recorded_factorisations().dags) {
    names.push_back(dag.name);
    EXPECT_GT(dag.tasks.size(), 100U);
    EXPECT_GT(dag.gflop, 0);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"qr", "lu", "cholesky"}));
}

}  // namespace
