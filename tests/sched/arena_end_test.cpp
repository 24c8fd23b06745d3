// The beginning and the end of arenas: what they wait for, finalize() beside them, and misuse.
#include <charm/charm.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <latch>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_code.hpp"
#include "sched/held_poster.hpp"
#include "sched/on_paper.hpp"
#include "sched/run/arenas.hpp"
#include "sched/running.hpp"

namespace {

using charm::ArenaOptions;
using charm::Priority;
using charm::test::code_of;
using charm::test::on_paper;
using namespace std::chrono_literals;

TEST(Arena, ItsDestructorWaitsForAllItsTasks) {
  Running runtime(2, on_paper());
  std::atomic<int> ended{0};
  charm::channel<int> channel;
  {
    charm::arena arena({.chiplets = {1}});
    for (int i = 0; i < 50; ++i) {
      arena.run_detached([&] {
        charm::run_detached([&] {
          charm::yield();
          ++ended;
        });
      });
    }
    arena.run_detached([&] {
      channel.recv();  // from one that comes later, and is no task of the arena
      charm::sleep_for(1ms);
      charm::blocking([] {});
      ++ended;
    });
    charm::run_detached([&] {
      charm::sleep_for(5ms);
      channel.send(1);
    });
  }
  EXPECT_EQ(ended, 51);
}

TEST(Arena, MayComeAndGoInTasksAndThreads) {
  Running runtime(2, on_paper());
  auto come_and_go = [] {
    for (int i = 0; i < 10; ++i) {
      charm::arena arena({.chiplets = {i % 2}});
      std::atomic<int> sum{0};
      arena.execute([&] { charm::parallel_for(0, 100, [&](int) { ++sum; }); });
      EXPECT_EQ(sum, 100);
    }
  };
  std::thread thread(come_and_go);
  charm::run([&] { charm::invoke(come_and_go, come_and_go); });
  thread.join();
  EXPECT_TRUE(charm::tasks().empty() || charm::tasks().size() < 3);
}

/// Whoever learns from a task of the arena that it has run may destroy the arena, while the one that posted that task
/// has not returned from the call yet.
TEST(Arena, MayBeDestroyedAsSoonAsItsLastTaskHasSaidSo) {
  Running runtime(2, on_paper());
  for (int round = 0; round < 40; ++round) {
    auto arena = std::make_unique<charm::arena>(ArenaOptions{.chiplets = {1}});
    std::atomic<bool> said{false};
    auto post = [&said, &there = *arena] { there.run_detached([&said] { said = true; }); };
    charm::future<void> poster;
    std::thread outside;
    if (round % 2 == 0)
      poster = charm::async(post);
    else
      outside = std::thread(post);
    while (!said) std::this_thread::yield();
    arena.reset();
    if (poster.valid()) poster.get();
    if (outside.joinable()) outside.join();
  }
}

#if defined(CHARM_STEPPED_CALLS)
/// The same with a poster that is held in the middle of its call, where the task has run already: it may still look for
/// sleepers in the arena.
TEST(Arena, StaysUntilThePosterOfItsLastTaskHasLeft) {
  Running runtime(2, on_paper());
  for (bool by_a_task : {true, false}) {
    auto arena = std::make_unique<charm::arena>(ArenaOptions{.chiplets = {1}});
    const charm::sched::LockedQueue& queue =
        charm::sched::Runtime::get().family.arenas.front()->runtime.load()->places.inbox;
    std::atomic<bool> said{false};
    std::atomic<bool> destroyed{false};
    std::atomic<bool> awake{false};
    arena->run_detached([&] {  // keeps a worker awake, which finds the task before the poster has woken another
      for (awake = true; !said;) charm::yield();
    });
    while (!awake) std::this_thread::yield();
    auto post = [&, &there = *arena] {
      const bool destroyed_beside_it =
          charm::test::over_while_held([&] { there.run_detached([&said] { said = true; }); }, queue, said, destroyed);
      EXPECT_FALSE(destroyed_beside_it);
    };
    charm::future<void> poster;
    std::thread outside;
    if (by_a_task)
      poster = charm::async(post);
    else
      outside = std::thread(post);
    while (!said) std::this_thread::yield();
    arena.reset();
    destroyed = true;
    if (poster.valid()) poster.get();
    if (outside.joinable()) outside.join();
  }
}
#endif

TEST(Arena, OfOneOfItsOwnTasksIsLeftToFinalize) {
  std::atomic<bool> done{false};
  {
    Running runtime(2, on_paper());
    auto arena = std::make_shared<charm::arena>(ArenaOptions{.chiplets = {1}, .name = "own"});
    charm::arena& same = *arena;
    same.execute([arena = std::move(arena), &done]() mutable {
      arena.reset();
      charm::parallel_for(0, 100, [](int) {});
      done = true;
    });
  }
  EXPECT_TRUE(done);
}

TEST(Arena, LiveOnesEndWithFinalizeAndWhatCanRunDoes) {
  std::atomic<int> ran{0};
  charm::channel<int> fed;
  charm::channel<int> never;
  std::optional<charm::arena> first;
  std::optional<charm::arena> second;
  charm::future<void> dropped;
  {
    Running runtime(2, on_paper());
    first.emplace(ArenaOptions{.chiplets = {0}, .name = "first"});
    second.emplace(ArenaOptions{.chiplets = {1}});
    dropped = second->async([&] { never.recv(); });
    first->run_detached([&] {  // one arena's task waits for another's, and that for one outside
      second->execute([&] {
        EXPECT_EQ(fed.recv(), 1);
        ++ran;
      });
      ++ran;
    });
    charm::run_detached([&] {
      charm::sleep_for(5ms);
      first->execute([&] { ++ran; });
      fed.send(1);
    });
  }
  EXPECT_EQ(ran, 3);
  EXPECT_EQ(code_of([&] { dropped.get(); }), charm::Errc::not_running);
  EXPECT_TRUE(never.send(1)) << "the dropped task is not in its list";
  try {
    first->execute([] {});
    ADD_FAILURE() << "the arena has ended";
  } catch (const charm::Error& error) {
    EXPECT_EQ(error.code(), charm::Errc::not_running);
    EXPECT_NE(std::string(error.what()).find("'first'"), std::string::npos) << error.what();
  }
  EXPECT_EQ(code_of([&] { static_cast<void>(first->worker_cores()); }), charm::Errc::not_running);
  EXPECT_EQ(code_of([&] { first->run_detached([] {}); }), charm::Errc::not_running);
  EXPECT_EQ(first->max_concurrency(), 2);
  Running next(2, on_paper());  // another runtime is none of theirs
  EXPECT_EQ(code_of([&] { first->execute([] {}); }), charm::Errc::not_running);
  first.reset();
  second.reset();
}

TEST(Arena, TasksThatWaitForItsEndGoOnWhenFinalizeHasBegun) {
  for (const int depth : {1, 3}) {
    std::atomic<int> left{0};
    std::latch begun(1);
    std::optional<Running> runtime(std::in_place, 2, on_paper());
    std::function<void(int)> within = [&](int more) {
      {
        charm::arena arena(ArenaOptions{.workers = 1 + more % 2});
        arena.run_detached([&, more] {
          if (more > 1) return within(more - 1);
          begun.count_down();
          charm::sleep_for(20ms);
        });
      }  // this waits for the sleep
      ++left;
    };
    charm::run_detached([&] { within(depth); });
    begun.wait();
    runtime.reset();
    EXPECT_EQ(left, depth);
  }
}

TEST(Arena, CallsBesideFinalizeCompleteOrSayThatItHasEnded) {
  for (int round = 0; round < 20; ++round) {
    std::optional<charm::arena> arena;
    std::atomic<int> began{0};
    std::vector<std::thread> threads;
    std::atomic<int> detached{0};
    std::atomic<int> ran{0};
    {
      Running runtime(2, on_paper());
      arena.emplace(ArenaOptions{.chiplets = {round % 2}});
      for (int t = 0; t < 3; ++t) {
        threads.emplace_back([&, t] {
          const auto code = code_of([&] {
            for (int i = 0;; ++i) {
              if (t == 0) {
                arena->run_detached([&] { ++ran; });
                ++detached;
              } else if (t == 1) {
                EXPECT_EQ(arena->execute([&] { return i; }), i);
              } else {
                charm::arena own({.workers = 1});
                own.execute([] {});
              }
              if (i == 0) ++began;
            }
          });
          EXPECT_EQ(code, charm::Errc::not_running);
        });
      }
      while (began != 3) std::this_thread::yield();
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(ran, detached);
  }
}

TEST(Arena, MisuseIsAnErrorThatSaysSo) {
  EXPECT_EQ(code_of([] { charm::arena arena; }), charm::Errc::not_running);
  {
    Running runtime(3, on_paper());
    auto told = [](const ArenaOptions& options) -> std::string {
      try {
        charm::arena arena(options);
      } catch (const charm::Error& error) {
        EXPECT_EQ(error.code(), charm::Errc::bad_input);
        EXPECT_FALSE(error.remedy().empty());
        return error.what();
      }
      return "";
    };
    auto contains = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
    EXPECT_PRED2(contains, told({.chiplets = {2}}), "chiplet 2");
    EXPECT_PRED2(contains, told({.cores = {4}}), "core 4");
    EXPECT_PRED2(contains, told({.chiplets = {0}, .cores = {3}, .name = "queries"}), "'queries'");
    EXPECT_PRED2(contains, told({.workers = 4}), "4 workers");
    EXPECT_PRED2(contains, told({.workers = -1}), "-1 workers");
    EXPECT_EQ(charm::arena({.cores = {1, 2}}).max_concurrency(), 2);
    EXPECT_EQ(charm::arena({.chiplets = {0}, .workers = 3}).max_concurrency(), 3) << "share_cores allows it";
    EXPECT_EQ(charm::arena().max_concurrency(), 3) << "no more than the runtime has";
    charm::arena arena({.chiplets = {1}, .priority = Priority::high});
    EXPECT_EQ(arena.priority(), Priority::high);
    for (const auto& worker_core : arena.worker_cores()) EXPECT_EQ(worker_core.chiplet, 1);
  }
  charm::Config unbound;
  unbound.policy = "os";
  Running runtime(2, unbound);
  EXPECT_EQ(code_of([] { charm::arena arena({.chiplets = {0}}); }), charm::Errc::bad_input);
  EXPECT_EQ(charm::arena({.workers = 1}).execute([] { return charm::num_workers(); }), 1);
}

TEST(Arena, TasksAreListedWithThoseOutside) {
  Running runtime(2, on_paper());
  charm::arena arena({.chiplets = {1}});
  charm::channel<int> channel;
  arena.run_detached(charm::named("reader", [&] { channel.recv(); }));
  auto waits = [] {
    for (const charm::TaskInfo& task : charm::tasks()) {
      if (task.name == "reader" && task.state == "waiting") return true;
    }
    return false;
  };
  while (!waits()) std::this_thread::yield();
  channel.send(1);
}

}  // namespace
