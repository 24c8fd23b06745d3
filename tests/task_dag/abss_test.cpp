// The C interface of batch and stream scheduling: every task once, barriers that wait for what they should, in both
// schedules, on machines of several chiplets and of one worker.
#include <charm/abss.h>
#include <charm/charm.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "sched/held_poster.hpp"
#include "sched/run/runtime.hpp"
#include "task_dag/chiplet_queues.hpp"
#include "task_dag/graphs.hpp"

namespace {

struct AbssShape {
  int workers;
  const char* topology;
  const char* bind;
};

class Abss : public testing::TestWithParam<AbssShape> {
 protected:
  Abss() : runtime_(GetParam().workers, config()) { EXPECT_EQ(ABSS_init(nullptr), CHARM_OK) << ABSS_error(); }
  ~Abss() override { EXPECT_EQ(ABSS_finalize(ABSS_SHUTDOWN_WAIT), CHARM_OK) << ABSS_error(); }
  static charm::Config config() {
    charm::Config config;
    if (*GetParam().topology != 0) config.topology = GetParam().topology;
    config.bind = GetParam().bind;
    config.policy = "distributed";
    return config;
  }
  Running runtime_;
};
INSTANTIATE_TEST_SUITE_P(Shapes, Abss,
                         testing::Values(AbssShape{1, "", "chiplet"}, AbssShape{2, "", "core"},
                                         AbssShape{2, "", "chiplet"},
                                         AbssShape{4, "pack:2 l3:2 core:1 pu:1", "chiplet"}));

constexpr ABSS_Schedule both[] = {ABSS_STREAM, ABSS_BATCH};

int add(ABSS_Schedule schedule, ABSS_Function function, void* params, int tag) {
  return schedule == ABSS_BATCH ? ABSS_BatchAddTask(function, params, tag) : ABSS_StreamAddTask(function, params, tag);
}

/// A task of a tree: it counts itself, and adds `width` tasks below.
struct Tree {
  ABSS_Schedule schedule;
  int depth, width;
  bool waits;
  std::atomic<int>* ran;
  std::vector<Tree> below;
};
int size_of(int depth, int width) { return depth < 0 ? 0 : 1 + width * size_of(depth - 1, width); }

void run_tree(void* params) {
  Tree& tree = *static_cast<Tree*>(params);
  ++*tree.ran;
  if (tree.depth == 0) return;
  std::atomic<int> within{0};
  std::atomic<int>* counts = tree.waits ? &within : tree.ran;
  tree.below.assign(static_cast<std::size_t>(tree.width),
                    Tree{tree.schedule, tree.depth - 1, tree.width, tree.waits, counts, {}});
  for (Tree& child : tree.below) ASSERT_EQ(add(tree.schedule, run_tree, &child, tree.depth), CHARM_OK);
  if (!tree.waits) return;
  ASSERT_EQ(ABSS_barrier(tree.depth), CHARM_OK);
  ASSERT_EQ(within, tree.width * size_of(tree.depth - 1, tree.width));
  *tree.ran += within;
}

TEST_P(Abss, TreesRunWholeWithAndWithoutBarriersWithin) {
  for (const ABSS_Schedule schedule : both) {
    for (const bool waits : {false, true}) {
      for (const int width : {1, 2, 7}) {
        std::atomic<int> ran{0};
        Tree tree{schedule, 4, width, waits, &ran, {}};
        ASSERT_EQ(add(schedule, run_tree, &tree, 99), CHARM_OK);
        ASSERT_EQ(ABSS_barrier(99), CHARM_OK);
        EXPECT_EQ(ran, size_of(4, width));
      }
    }
  }
}

TEST_P(Abss, EveryTaskRunsOnce) {
#if defined(__SANITIZE_THREAD__)
  constexpr int many = 3'000;
#else
  constexpr int many = 30'000;
#endif
  struct Root {
    ABSS_Schedule schedule;
    std::vector<std::atomic<int>> counts = std::vector<std::atomic<int>>(many);
  };
  for (const ABSS_Schedule schedule : both) {
    Root root{schedule};
    for (auto& count : root.counts)
      ASSERT_EQ(add(schedule, [](void* c) { ++*static_cast<std::atomic<int>*>(c); }, &count, 1), CHARM_OK);
    ASSERT_EQ(ABSS_barrier(1), CHARM_OK);
    for (auto& count : root.counts) ASSERT_EQ(count.exchange(0), 1);
    // The same from within a task, which does not wait for them.
    ASSERT_EQ(ABSS_addtask(
                  [](void* params) {
                    Root& all = *static_cast<Root*>(params);
                    for (auto& count : all.counts)
                      add(all.schedule, [](void* c) { ++*static_cast<std::atomic<int>*>(c); }, &count, 5);
                  },
                  &root, 1),
              CHARM_OK);
    ASSERT_EQ(ABSS_barrier(1), CHARM_OK);
    for (auto& count : root.counts) ASSERT_EQ(count, 1);
  }
}

TEST_P(Abss, ABarrierWaitsForItsTagOnly) {
  std::atomic<bool> held{true};
  std::atomic<int> ran{0};
  ASSERT_EQ(ABSS_StreamAddTask(
                [](void* h) {
                  while (*static_cast<std::atomic<bool>*>(h)) charm::yield();
                },
                &held, 1),
            0);
  for (int i = 0; i < 10; ++i)
    ASSERT_EQ(ABSS_StreamAddTask([](void* r) { ++*static_cast<std::atomic<int>*>(r); }, &ran, 2), CHARM_OK);
  EXPECT_EQ(ABSS_barrier(2), CHARM_OK);
  EXPECT_EQ(ran, 10);
  EXPECT_EQ(ABSS_barrier(3), CHARM_OK);  // nothing has that tag
  held = false;
  EXPECT_EQ(ABSS_Barrier(1), CHARM_OK);
}

TEST_P(Abss, SeveralThreadsAddAndWait) {
  std::vector<std::thread> threads;
  std::atomic<int> ran{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        add(both[i % 2], [](void* r) { ++*static_cast<std::atomic<int>*>(r); }, &ran, i);
        if (i % 3 != 0) continue;
        EXPECT_EQ(ABSS_barrier(t % 2 == 0 ? i : i - 1), CHARM_OK);
      }
      for (int i = 0; i < 200; ++i) EXPECT_EQ(ABSS_barrier(i), CHARM_OK);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ran, 800);
}

TEST_P(Abss, AnExceptionComesToTheBarrierAlsoFromBelow) {
  for (const ABSS_Schedule schedule : both) {
    struct Below {
      ABSS_Schedule schedule;
    } below{schedule};
    ASSERT_EQ(add(schedule, [](void*) { throw std::runtime_error("went wrong"); }, nullptr, 1), CHARM_OK);
    EXPECT_EQ(ABSS_barrier(1), CHARM_UNKNOWN);
    EXPECT_STREQ(ABSS_error(), "went wrong");
    EXPECT_EQ(ABSS_barrier(1), CHARM_OK);  // it was returned
    ASSERT_EQ(add(
                  schedule,
                  [](void* params) {
                    add(
                        static_cast<Below*>(params)->schedule,
                        [](void*) { throw charm::Error(charm::Errc::bad_input, "deep", "up"); }, nullptr, 7);
                  },
                  &below, 1),
              CHARM_OK);
    EXPECT_EQ(ABSS_barrier(1), CHARM_BAD_INPUT);
    EXPECT_STREQ(ABSS_error(), "deep; up");
  }
}

TEST_P(Abss, TasksMayUseTheRest) {
  std::atomic<long> sum{0};
  ASSERT_EQ(
      ABSS_StreamAddTask(
          [](void* params) {
            auto& all = *static_cast<std::atomic<long>*>(params);
            charm::parallel_for(0, 1000, [&](int i) { all += i; });
            charm::task_group group;
            for (int i = 0; i < 10; ++i)
              group.run([&] { ABSS_StreamAddTask([](void* s) { ++*static_cast<std::atomic<long>*>(s); }, &all, 2); });
            group.wait();
            EXPECT_EQ(ABSS_barrier(2), CHARM_OK);  // those of the group's tasks are of this branch
            EXPECT_EQ(all, 499510);
          },
          &sum, 1),
      CHARM_OK);
  EXPECT_EQ(ABSS_barrier(1), CHARM_OK);
  EXPECT_EQ(sum, 499510);
}

// Tasks that each add the next one run one after the other and not within each other.
namespace {
struct Chain {
  int left;
  std::mutex mutex;
  std::set<std::uintptr_t> stack_pages;  // of 64 KiB
};
void run_link(void* params) {
  auto& chain = *static_cast<Chain*>(params);
  {
    const std::lock_guard lock(chain.mutex);
    // The frame and not a variable, which AddressSanitizer may keep elsewhere.
    chain.stack_pages.insert(reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) >> 16U);
  }
  if (--chain.left > 0) {
    EXPECT_EQ(ABSS_BatchAddTask(run_link, params, 1), CHARM_OK);
  }
}
}  // namespace

TEST_P(Abss, AChainOfBatchesNeedsTheStackOfOneTask) {
  Chain chain{50'000, {}, {}};
  ASSERT_EQ(ABSS_BatchAddTask(run_link, &chain, 1), CHARM_OK);
  ASSERT_EQ(ABSS_barrier(1), CHARM_OK);
  EXPECT_EQ(chain.left, 0);
  EXPECT_LE(chain.stack_pages.size(), 16U);  // of workers, and where a barrier waits; nested, they were 569
}

TEST(AbssSelector, ChoosesForAFunctionAndItsTasksInherit) {
  const std::string file = testing::TempDir() + "charm-abss-tree.json";
  std::ofstream(file) << R"({"model": "tree", "version": 1, "nodes": [
    {"feature": "log_nodes", "threshold": 1.5, "below": 1, "above": 2}, {"batch": 0}, {"batch": 1}]})";
  const std::string selector = "tree:" + file;
  const Running runtime(2);
  const ABSS_System_info info{2, nullptr, selector.c_str()};
  ASSERT_EQ(ABSS_init(&info), CHARM_OK) << ABSS_error();
  ABSS_DAG dag = ABSS_DAG_create();
  auto outer = [](void* params) {
    // A batch runs when this has returned or waits, a stream perhaps at once; so of a batch nothing has run here.
    auto& seen = *static_cast<std::atomic<int>*>(params);
    ABSS_addtask([](void* s) { *static_cast<std::atomic<int>*>(s) += 1; }, params, 1);
    for (int i = 0; i < 1000; ++i) charm::yield();
    if (seen == 0) seen += 100;
  };
  ABSS_Schedule chosen{};
  std::atomic<int> seen{0};
  ASSERT_EQ(ABSS_DAG_node(dag, outer), 0);
  ASSERT_EQ(ABSS_selector(outer, dag, &chosen), CHARM_OK) << ABSS_error();
  EXPECT_EQ(chosen, ABSS_STREAM);
  ASSERT_EQ(ABSS_addtask(outer, &seen, 1), CHARM_OK);
  ASSERT_EQ(ABSS_barrier(1), CHARM_OK);
  EXPECT_EQ(seen, 1);
  for (int i = 1; i < 5; ++i) {
    ASSERT_EQ(ABSS_DAG_node(dag, outer), i);
    ASSERT_EQ(ABSS_DAG_edge(dag, 0, i, 0), CHARM_OK);
  }
  seen = 0;
  ASSERT_EQ(ABSS_selector(outer, dag, &chosen), CHARM_OK);
  EXPECT_EQ(chosen, ABSS_BATCH);
  ASSERT_EQ(ABSS_addtask(outer, &seen, 1), CHARM_OK);
  ASSERT_EQ(ABSS_barrier(1), CHARM_OK);
  EXPECT_EQ(seen, 101);
  EXPECT_EQ(ABSS_DAG_edge(dag, 4, 0, 0), CHARM_OK);
  EXPECT_EQ(ABSS_selector(outer, dag, nullptr), CHARM_BAD_INPUT);
  EXPECT_NE(std::string(ABSS_error()).find("has a cycle: #0 -> #4 -> #0"), std::string::npos) << ABSS_error();
  EXPECT_EQ(ABSS_DAG_edge(dag, 0, 9, 0), CHARM_BAD_INPUT);
  EXPECT_EQ(ABSS_DAG_edge(dag, 0, 1, 1), CHARM_BAD_INPUT);
  EXPECT_NE(std::string(ABSS_error()).find("task 0 has edges that are conditional and others that are not"),
            std::string::npos);
  EXPECT_EQ(ABSS_DAG_edge(nullptr, 0, 1, 1), CHARM_BAD_INPUT);
  EXPECT_EQ(ABSS_selector(outer, nullptr, nullptr), CHARM_BAD_INPUT);
  EXPECT_EQ(ABSS_addtask(nullptr, nullptr, 1), CHARM_BAD_INPUT);
  ABSS_DAG_destroy(dag);
  EXPECT_EQ(ABSS_finalize(ABSS_SHUTDOWN_WAIT), CHARM_OK);
}

TEST(AbssLife, ItStartsTheRuntimeAndEndsIt) {
  EXPECT_EQ(ABSS_addtask([](void*) {}, nullptr, 1), CHARM_NOT_RUNNING);
  EXPECT_EQ(ABSS_barrier(1), CHARM_NOT_RUNNING);
  EXPECT_EQ(ABSS_finalize(ABSS_SHUTDOWN_WAIT), CHARM_NOT_RUNNING);
  EXPECT_NE(std::string(ABSS_error()).find("call ABSS_init() first"), std::string::npos);
  ABSS_System_info wrong{1, nullptr, "forest"};
  EXPECT_EQ(ABSS_init(&wrong), CHARM_BAD_INPUT);
  wrong = {-1, nullptr, nullptr};
  EXPECT_EQ(ABSS_init(&wrong), CHARM_BAD_INPUT);
  wrong = {1, "shelf", nullptr};
  EXPECT_NE(ABSS_init(&wrong), CHARM_OK);
  EXPECT_FALSE(charm::initialized());
  for (int i = 0; i < 3; ++i) {
    const ABSS_System_info one{1, nullptr, nullptr};
    ASSERT_EQ(ABSS_init(&one), CHARM_OK) << ABSS_error();
    EXPECT_TRUE(charm::initialized());
    const ABSS_System_info two{2, nullptr, nullptr}, other{0, nullptr, "batch"};
    EXPECT_EQ(ABSS_init(&two), CHARM_BAD_CONFIG);
    EXPECT_EQ(ABSS_init(&other), CHARM_BAD_CONFIG);
    EXPECT_EQ(ABSS_init(nullptr), CHARM_OK);
    EXPECT_EQ(ABSS_finalize(ABSS_SHUTDOWN_WAIT), CHARM_OK);  // the first of two
    std::atomic<int> ran{0};
    ABSS_StreamAddTask([](void* r) { *static_cast<std::atomic<int>*>(r) += ABSS_finalize(ABSS_SHUTDOWN_WAIT); }, &ran,
                       1);
    ABSS_barrier(1);
    EXPECT_EQ(ran, CHARM_NOT_RUNNING);
    ran = 0;
    for (int k = 0; k < 10; ++k) ABSS_BatchAddTask([](void* r) { ++*static_cast<std::atomic<int>*>(r); }, &ran, k);
    const ABSS_Shutdown mode = i == 1 ? ABSS_SHUTDOWN_CANCEL : ABSS_SHUTDOWN_WAIT;
    EXPECT_EQ(ABSS_finalize(mode), CHARM_OK) << ABSS_error();
    EXPECT_EQ(ran, i == 1 ? 0 : 10);
    EXPECT_FALSE(charm::initialized());
  }
}

/// Whoever learns from a task that it has run may end the module, and with it the runtime, while the thread that added
/// the task has not returned from the call yet.
TEST(AbssLife, ItMayEndAsSoonAsItsLastTaskHasSaidSo) {
  for (int round = 0; round < 40; ++round) {
    charm::Config config;
    config.workers = 2;
    config.share_cores = true;
    config.bind = "chiplet";
    charm::init(config);
    ASSERT_EQ(ABSS_init(nullptr), CHARM_OK) << ABSS_error();
    charm::finalize();  // the module keeps the runtime
    std::atomic<bool> said{false};
    std::thread adder(
        [&] { ABSS_StreamAddTask([](void* it) { *static_cast<std::atomic<bool>*>(it) = true; }, &said, 1); });
    while (!said) std::this_thread::yield();
    EXPECT_EQ(ABSS_finalize(ABSS_SHUTDOWN_WAIT), CHARM_OK) << ABSS_error();
    adder.join();
  }
}

#if defined(CHARM_STEPPED_CALLS)
/// The same with an adder that is held in the middle of the call, where its task has run already: it may still look for
/// sleepers in the runtime.
TEST(AbssLife, ItStaysUntilTheAdderOfItsLastTaskHasLeft) {
  charm::Config config;
  config.workers = 2;
  config.share_cores = true;
  config.bind = "chiplet";
  charm::init(config);
  ASSERT_EQ(ABSS_init(nullptr), CHARM_OK) << ABSS_error();
  charm::finalize();  // the module keeps the runtime
  const charm::sched::LockedQueue& queue = charm::sched::Runtime::get().places.inbox;
  std::atomic<bool> said{false};
  std::atomic<bool> ended{false};
  std::atomic<bool> awake{false};
  charm::run_detached([&] {  // keeps a worker awake, which finds the task before the adder has woken another
    for (awake = true; !said;) charm::yield();
  });
  while (!awake) std::this_thread::yield();
  std::thread adder([&] {
    const bool ended_beside_it = charm::test::over_while_held(
        [&] { ABSS_StreamAddTask([](void* it) { *static_cast<std::atomic<bool>*>(it) = true; }, &said, 1); }, queue,
        said, ended);
    EXPECT_FALSE(ended_beside_it);
  });
  while (!said) std::this_thread::yield();
  EXPECT_EQ(ABSS_finalize(ABSS_SHUTDOWN_WAIT), CHARM_OK) << ABSS_error();
  ended = true;
  adder.join();
}
#endif

TEST(ChipletQueues, AreServedNearestFirstAndOldestFirst) {
  using charm::detail::ListedJob;
  charm::task_dag::ChipletQueues queues(3);
  ListedJob a(nullptr), b(nullptr), c(nullptr), d(nullptr);
  queues.push(1, a);
  queues.push(2, b);
  queues.push(2, c);
  queues.push(0, d);
  const int others[] = {2, 1};
  EXPECT_EQ(queues.take(0, others), &d);
  EXPECT_EQ(queues.take(0, others), &b);
  EXPECT_EQ(queues.take(0, others), &c);
  EXPECT_EQ(queues.take(0, others), &a);
  EXPECT_EQ(queues.take(0, others), nullptr);
}

}  // namespace
