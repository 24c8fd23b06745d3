// Workers that change cores while they work: no job is lost, wherever it lies.
#include <atomic>
#include <random>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sched/run/runtime.hpp"
#include "sched/running.hpp"

namespace {

using charm::sched::Runtime;
using charm::sched::this_worker;
using charm::stealing::Flag;

charm::Config on(const char* topology, const char* policy) {
  charm::Config config;
  config.topology = topology;
  config.policy = policy;
  return config;
}

TEST(WorkerCores, AreSpreadOverTheDomainsOfACache) {
  charm::Config config = on("pack:1 l3:1 core:8", "distributed");
  config.workers = 4;
  config.domains = "4";
  Runtime runtime(config);
  EXPECT_EQ(runtime.machine.chiplets.size(), 4U);
  std::set<int> chiplets;
  for (const auto& place : runtime.placement.worker_cores.back()) chiplets.insert(place.chiplet);
  EXPECT_EQ(chiplets.size(), 4U);
  EXPECT_EQ(runtime.places.distances.groups(), 4);
}

/// Moves the worker that runs the caller to a random core of the placement.
void move_at_random(std::uint64_t random) {
  charm::sched::Worker* worker = this_worker();
  const auto& levels = worker->runtime->placement.worker_cores;
  const auto& level = levels[random % levels.size()];
  worker->move_to(level[(random >> 20) % level.size()]);
}

std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// Counts the nodes of a random tree of forks, groups, loops, futures and calls; every few nodes somebody moves.
std::int64_t tree(std::uint64_t seed, int depth) {
  if (mix(seed) % 4 == 0) move_at_random(mix(seed + 1));
  if (depth == 0) return 1;
  std::int64_t a = 0;
  std::int64_t b = 0;
  switch (mix(seed + 2) % 6) {
    case 0:
      charm::invoke([&] { a = tree(seed * 3 + 1, depth - 1); }, [&] { b = tree(seed * 3 + 2, depth - 1); });
      break;
    case 1: {
      charm::task_group group;
      group.run([&] { a = tree(seed * 3 + 1, depth - 1); });
      group.run([&] { b = tree(seed * 3 + 2, depth - 1); });
      group.wait();
      break;
    }
    case 2: {
      auto future = charm::async([&] { return tree(seed * 3 + 1, depth - 1); });
      b = tree(seed * 3 + 2, depth - 1);
      a = future.get();
      break;
    }
    case 3:
      charm::yield();
      a = charm::call(static_cast<int>(mix(seed) % static_cast<unsigned>(charm::num_workers())),
                      [&] { return tree(seed * 3 + 1, depth - 1); });
      b = tree(seed * 3 + 2, depth - 1);
      break;
    case 4: {
      // To a chiplet that may be empty by now: then the call says so and the work is done here.
      const auto& chiplets = charm::machine().chiplets;
      try {
        a = charm::call(charm::on_chiplet{static_cast<int>(mix(seed + 5) % chiplets.size())},
                        [&] { return tree(seed * 3 + 1, depth - 1); });
      } catch (const charm::Error&) {
        a = tree(seed * 3 + 1, depth - 1);
      }
      b = tree(seed * 3 + 2, depth - 1);
      break;
    }
    default: {
      const auto& nodes = charm::machine().nodes;
      try {
        a = charm::call(charm::on_node{static_cast<int>(mix(seed + 5) % nodes.size())},
                        [&] { return tree(seed * 3 + 1, depth - 1); });
      } catch (const charm::Error&) {
        a = tree(seed * 3 + 1, depth - 1);
      }
      b = tree(seed * 3 + 2, depth - 1);
    }
  }
  return a + b;
}

void expect_books_in_order() {
  Runtime& runtime = Runtime::get();
  std::size_t members = 0;
  for (int g = 0; g < runtime.places.flags.groups(); ++g) {
    members += static_cast<std::size_t>(runtime.places.flags.count(Flag::member, g));
    if (runtime.places.flags.count(Flag::member, g) == 0) {
      EXPECT_TRUE(runtime.places.group(g).inbox.empty());
    }
  }
  EXPECT_EQ(members, runtime.workers.size());
  std::size_t on_nodes = 0;
  for (const auto& node : runtime.places.nodes) on_nodes += static_cast<std::size_t>(node->members());
  EXPECT_EQ(on_nodes, runtime.workers.size());
}

class WorkerCores : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Machines, WorkerCores,
                         testing::Values("pack:1 l3:4 core:2 pu:1", "pack:2 numa:2 l3:2 core:2 pu:1",
                                         "l3:1 core:4 pu:1"));

TEST_P(WorkerCores, NoJobIsLostWhileWorkersMoveAtRandom) {
  Running runtime(4, on(GetParam(), "distributed"));
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const std::int64_t nodes = charm::run([&] { return tree(seed * 7919, 7); });
    ASSERT_EQ(nodes, 128) << "seed " << seed;
  }
  charm::run([] {});
  expect_books_in_order();
}

TEST_P(WorkerCores, JobsFromOutsideReachWorkersThatMove) {
  Running runtime(3, on(GetParam(), "distributed"));
  std::atomic<int> done{0};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937_64 random(t + 1);
      for (int i = 0; i < 60; ++i) {
        const auto chiplet = static_cast<int>(random() % charm::machine().chiplets.size());
        auto job = [&, r = random()] {
          move_at_random(r);
          done.fetch_add(1);
        };
        try {
          charm::call(charm::on_chiplet{chiplet}, job);
        } catch (const charm::Error&) {
          charm::run(job);
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(done.load(), 180);
}

TEST(WorkerCore, TheRuntimeHasAGroupForEveryChipletOfEveryLevel) {
  Running runtime(2, on("pack:2 l3:4 core:2 pu:1", "distributed"));
  Runtime& r = Runtime::get();
  for (const auto& level : r.placement.worker_cores) {
    for (const charm::WorkerCore& worker_core : level) {
      const int group = r.places.group_of(worker_core.chiplet);
      ASSERT_GE(group, 0);
      EXPECT_EQ(r.places.group(group).chiplet, worker_core.chiplet);
    }
  }
  EXPECT_EQ(r.places.group_of(99), -1);
}

TEST(WorkerCore, AChipletWithoutAWorkersCoreIsRefused) {
  Running runtime(1, on("pack:2 l3:4 core:2 pu:1", "local"));
  charm::run([] {
    charm::WorkerCore nowhere;
    nowhere.chiplet = 77;
    EXPECT_THROW(this_worker()->move_to(nowhere), charm::Error);
  });
}

/// The job waits in the inbox of a chiplet whose only worker then leaves without having looked.
TEST(WorkerCore, TheLastToLeaveAChipletTakesItsJobsToWhereTheyAreFound) {
  Running runtime(2, on("l3:2 core:2 pu:1", "distributed"));
  Runtime& r = Runtime::get();
  charm::run([&] {
    charm::sched::Worker* worker = this_worker();
    std::atomic<bool> ran{false};
    const charm::WorkerCore here = worker->worker_core();
    charm::WorkerCore other;
    for (const auto& level : r.placement.worker_cores) {
      for (const charm::WorkerCore& worker_core : level) {
        if (worker_core.chiplet != here.chiplet) other = worker_core;
      }
    }
    ASSERT_GE(other.chiplet, 0);
    auto job = charm::call_async(charm::on_chiplet{here.chiplet}, [&] { ran = true; });
    this_worker()->move_to(other);
    job.get();
    EXPECT_TRUE(ran);
    this_worker()->move_to(here);
  });
}

/// After a sleep it has no job: whoever looks for a free worker finds it (sched/run/bound_limits.cpp).
TEST(WorkerCore, OneThatMovesIsAsBusyAsItWas) {
  Running runtime(1, on("l3:2 core:1 pu:1", "local"));
  Runtime& r = Runtime::get();
  charm::call(0, [&] {
    charm::WorkerCore to = this_worker()->worker_core();
    for (const bool busy : {true, false, true}) {
      if (busy)
        r.places.flags.set(Flag::busy, this_worker()->place());
      else
        r.places.flags.clear(Flag::busy, this_worker()->place());
      const int from = std::exchange(to.chiplet, 1 - to.chiplet);
      this_worker()->move_to(to);
      ASSERT_NE(r.places.group_of(from), this_worker()->place().group);
      EXPECT_EQ(r.places.flags.test(Flag::busy, this_worker()->place()), busy);
    }
    r.places.flags.set(Flag::busy, this_worker()->place());
  });
}

TEST(WorkerCore, HundredsOfWorkersStartMoveAndStop) {
  Running runtime(288, on("pack:2 numa:2 l3:18 core:8 pu:1", "distributed"));
  std::atomic<int> moved{0};
  charm::run([&] {
    charm::parallel_for(0, 2000, [&](int i) {
      if (i % 10 == 0) {
        move_at_random(mix(static_cast<std::uint64_t>(i)));
        moved.fetch_add(1);
      }
    });
  });
  EXPECT_EQ(moved.load(), 200);
}

}  // namespace
