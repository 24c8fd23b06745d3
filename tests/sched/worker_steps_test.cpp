// Single steps of a worker, called in states that are rare where they arise by themselves: the test brings the other
// workers into such a state and holds them there. Nothing depends on time; a worker that sleeps for ever is woken after
// far too long.
#include <charm/charm.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "sched/run/runtime.hpp"
#include "sched/run/worker.hpp"
#include "sched/running.hpp"
#include "sched/stepped_call.hpp"

namespace charm::sched {

/// The steps of a worker's search. To be called by a task on the worker.
struct WorkerTest {
  /// Whether it leaves its jobs to others while a bound task waits there with a time limit.
  static bool leaves_to_others(Worker& worker) {
    const Searching searching(worker);
    worker.bound_limits().begin_wait();
    const bool leaves = worker.leaves_to_others();
    worker.take_again();
    worker.bound_limits().end_wait();
    return leaves;
  }
  /// Sleeps as after a number of sleeps that brought no job.
  static void park(Worker& worker, unsigned fruitless) {
    const Searching searching(worker);
    worker.park(fruitless);
  }

 private:
  /// What a searching worker has announced.
  struct Searching {
    explicit Searching(Worker& searcher) : worker(searcher) {
      worker.runtime->places.flags.clear(stealing::Flag::busy, worker.place());
      worker.group().searching.fetch_add(1);
    }
    ~Searching() {
      worker.group().searching.fetch_sub(1);
      worker.runtime->places.flags.set(stealing::Flag::busy, worker.place());
    }
    Searching(const Searching&) = delete;
    Searching& operator=(const Searching&) = delete;
    Worker& worker;
  };
};

namespace {

using namespace std::chrono_literals;
using stealing::Flag;

/// Three workers of a chiplet each. None is lent, so that the test's thread does not count.
charm::Config three_chiplets() {
  charm::Config config;
  config.topology = "pack:1 l3:3 core:1 pu:1";
  config.lend_caller = false;
  config.deadlock = "off";  // it looks around after a second, which would help
  return config;
}

void wait_for(const std::atomic<int>& step, int reached) {
  while (step < reached) std::this_thread::yield();
}

/// A worker that is being woken has the flag of a sleeper still and is counted as searching already. If it leaves jobs
/// to others itself, it is not free, and counts for nobody.
TEST(WorkerSteps, AWorkerThatIsBeingWokenAndLeavesItsJobsToOthersIsNotFree) {
  Running runtime(3, three_chiplets());
  std::atomic<int> step{0};
  charm::future<void> woken = charm::call_async(1, [&] {
    Worker& self = *this_worker();
    Runtime& its = *self.runtime;
    EXPECT_FALSE(self.leaves_jobs.now());
    self.leaves_jobs.begin(its.searchers.leaving);
    its.places.flags.clear(Flag::busy, self.place());
    its.places.flags.set(Flag::asleep, self.place());
    self.group().searching.fetch_add(1);
    step = 1;
    wait_for(step, 2);
    self.leaves_jobs.end(its.searchers.leaving);
    step = 3;
    wait_for(step, 4);
    self.group().searching.fetch_sub(1);
    its.places.flags.clear(Flag::asleep, self.place());
    its.places.flags.set(Flag::busy, self.place());
  });
  std::atomic<bool> over{false};
  std::atomic<bool> begun{false};
  charm::future<void> busy = charm::call_async(2, [&] {
    begun = true;
    while (!over) std::this_thread::yield();
  });
  charm::call(0, [&] {
    wait_for(step, 1);
    while (!begun) std::this_thread::yield();
    EXPECT_FALSE(WorkerTest::leaves_to_others(*this_worker()));
    step = 2;
    wait_for(step, 3);
    EXPECT_TRUE(WorkerTest::leaves_to_others(*this_worker()));  // now it is free
    step = 4;
  });
  over = true;
  woken.get();
  busy.get();
}

/// Barrier before the last search: nobody else searches, and nobody but the sleeper has asked the busy workers for
/// anything.
TEST(WorkerSteps, ASleepWithoutALimitEndsWhenAnyBusyWorkerForks) {
  for (int forks = 1; forks <= 2; ++forks) {
    Running runtime(3, three_chiplets());
    std::atomic<int> answered{0};
    std::atomic<bool> awake{false};
    std::atomic<int> gave_up{0};
    auto busy = [&](int id) {
      Worker& self = *this_worker();
      Worker& sleeper = *self.runtime->workers[0];
      while (self.runtime->workers[0]->tally.jobs == 0) std::this_thread::yield();  // nobody searches any more
      charm::invoke([] {}, [] {});                                                  // answers what they asked
      EXPECT_FALSE(self.deque.asked());
      ++answered;
      const auto end = std::chrono::steady_clock::now() + 20s;
      while (sleeper.slot.state().is() != charm::sched::WorkerSlot::Is::parked) std::this_thread::yield();
      // Until it has looked around for the last time, a fork may be found by that.
      std::this_thread::sleep_for(50ms);
      if (id == forks) {
        charm::invoke(
            [&] {
              while (!awake && std::chrono::steady_clock::now() < end) std::this_thread::yield();
            },
            [] {});
        if (!awake) {
          ++gave_up;
          self.runtime->wake(sleeper);
        }
      }
      while (!awake) std::this_thread::yield();
    };
    charm::future<void> one = charm::call_async(1, [&] { busy(1); });
    charm::future<void> two = charm::call_async(2, [&] { busy(2); });
    charm::call(0, [&] {
      wait_for(answered, 2);
      WorkerTest::park(*this_worker(), 1);
      awake = true;
    });
    one.get();
    two.get();
    EXPECT_EQ(gave_up, 0) << "nobody woke it when worker " << forks << " forked";
  }
}

#if defined(CHARM_STEPPED_CALLS)
/// Wakers count whom they wake: a thread that wakes a worker counts it as searching before it has woken it. If another
/// thread was faster, the worker may have found a job, and left it to the one that seemed to search to wake the next.
TEST(WorkerSteps, AWakerThatComesTooLateWakesTheNextInstead) {
  charm::Config config;
  config.deadlock = "off";
  config.lend_caller = false;
  Running runtime(3, config);
  charm::call(1, [] { charm::invoke([] {}, [] {}); });  // answers what it was asked
  Runtime& its = Runtime::get();
  const auto all_asleep = [&] {
    return std::all_of(its.workers.begin(), its.workers.end(),
                       [](const auto& w) { return w->slot.state().is() == charm::sched::WorkerSlot::Is::parked; });
  };
  std::this_thread::sleep_for(50ms);  // until all sleep without a limit
  while (!all_asleep()) std::this_thread::yield();
  const std::atomic<int>& searching = its.places.group(its.workers[1]->home_group()).searching;
  std::atomic<bool> held{false};
  std::atomic<bool> found{false};
  std::thread late([&] {
    charm::test::stepped_call([] { charm::call_detached(1, [] {}); },
                              [&] { return held = held || searching.load() > 0; }, [&] { return found.load(); }, 20s);
  });
  while (!held) std::this_thread::yield();
  EXPECT_TRUE(all_asleep());
  std::atomic<bool> taken{false};
  charm::call(1, [&] {
    found = true;
    const auto end = std::chrono::steady_clock::now() + 20s;
    charm::invoke(
        [&] {
          while (!taken && std::chrono::steady_clock::now() < end) std::this_thread::yield();
        },
        [&] { taken = charm::worker_id() != 1; });
  });
  EXPECT_TRUE(taken) << "nobody was woken to help";
  late.join();
}
#endif

}  // namespace
}  // namespace charm::sched
