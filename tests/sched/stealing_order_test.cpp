// From whom a worker of the running runtime steals. All other workers hold jobs in their deques and are kept from
// running them, so one thief takes every job, and each job notes whose it was. Nothing is timed: a worker that waits in
// vain gives up after far too long.
//
// A blocked owner answers no requests, so what is private when it blocks is visible to thieves only after an exposure
// (docs/runtime.md, "Stealing by distance"). Owners whose jobs are to be public are therefore asked before each fork,
// as a searching worker would ask them.
#include <charm/charm.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "os/threads/membarrier.hpp"
#include "sched/run/runtime.hpp"
#include "sched/running.hpp"

namespace {

using charm::sched::Tally;
using namespace std::chrono_literals;

constexpr int all_workers = 8;
constexpr int jobs_each = 6;

charm::Config two_sockets_of_two_chiplets() {
  charm::Config config;
  config.topology = "pack:2 numa:1 l3:2 core:2 pu:1";
  config.policy = "local";
  config.counters = "none";
  config.deadlock = "off";  // it looks around after a second
  config.lend_caller = false;
  return config;
}

enum class Jobs { none, kept_private, all_public };

/// One thief and seven owners; each of the eight workers is held in a task that is bound to it.
class Round {
 public:
  Round(int thief, const std::function<Jobs(int)>& jobs_of) : thief_(thief) {
    for (int worker = 0; worker < all_workers; ++worker) {
      if (worker != thief && jobs_of(worker) != Jobs::none) left_ += jobs_each;
    }
    std::vector<charm::future<void>> calls;
    for (int worker = 0; worker < all_workers; ++worker) {
      calls.push_back(charm::call_async(worker, [this, worker, jobs = jobs_of(worker)] { take_part(worker, jobs); }));
    }
    wait_until([this] { return ready_ == all_workers; });
    go_ = true;  // the thief's task ends, and its loop looks for work
    for (auto& call : calls) call.get();
  }

  /// Whose jobs the thief ran, in order.
  [[nodiscard]] const std::vector<int>& order() const { return order_; }
  /// Jobs that their owner ran, since no thief came.
  [[nodiscard]] int not_stolen() const { return not_stolen_; }

 private:
  template <class Condition>
  static bool wait_until(Condition condition) {
    for (const auto end = std::chrono::steady_clock::now() + 20s; !condition();) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(100us);  // there may be fewer cpus than workers
    }
    return true;
  }

  void take_part(int worker, Jobs jobs) {
    // Nobody has jobs before all are held here, where they cannot take any or ask for any.
    ++there_;
    wait_until([this] { return there_ == all_workers; });
    if (worker == thief_) {
      ++ready_;
      wait_until([this] { return go_.load(); });
      return;
    }
    charm::detail::Deque& deque = charm::sched::this_worker()->deque;
    charm::invoke([] {}, [] {});  // answers what it was asked before
    hold(worker, deque, jobs, jobs == Jobs::none ? 0 : jobs_each);
  }

  /// Forks `count` jobs and holds the worker until all jobs of all workers have run.
  void hold(int worker, charm::detail::Deque& deque, Jobs jobs, int count) {
    if (count > 0) {
      if (jobs == Jobs::all_public) deque.poke();
      return charm::invoke([&] { hold(worker, deque, jobs, count - 1); }, [this, worker] { ran(worker); });
    }
    EXPECT_EQ(deque.has_private(), jobs == Jobs::kept_private);
    EXPECT_EQ(deque.public_count(), jobs == Jobs::all_public ? jobs_each : 0);
    ++ready_;
    if (!wait_until([this] { return left_ == 0; })) left_ = 0;  // nobody else need wait as long
  }

  void ran(int owner) {
    if (charm::worker_id() == thief_)
      order_.push_back(owner);
    else
      ++not_stolen_;
    --left_;
  }

  const int thief_;
  std::atomic<int> there_{0}, ready_{0}, left_{0}, not_stolen_{0};
  std::atomic<bool> go_{false};
  std::vector<int> order_;  // the thief's alone
};

std::string told(const std::vector<int>& order) {
  std::string text = "the jobs came from workers";
  for (const int owner : order) text += " " + std::to_string(owner);
  return text;
}

/// Its own chiplet comes first, always. Farther chiplets are drawn, nearer ones more often: a chiplet of the own socket
/// is at distance 2 and those of the other at 4 or more, so it is drawn in four of five cases or more.
TEST(StealingOrder, AThiefEmptiesItsChipletThenPrefersItsSocketAndLeavesNobodyOut) {
  const Running runtime(all_workers, two_sockets_of_two_chiplets());
  const auto cores = charm::worker_cores();
  const auto core = [&](int worker) { return cores[static_cast<std::size_t>(worker)]; };
  int draws = 0, own_socket = 0;
  for (int round = 0; round < 32 && !HasFailure(); ++round) {
    const int thief = round % all_workers;
    const Tally& tally = charm::sched::Runtime::get().workers[static_cast<std::size_t>(thief)]->tally;
    const auto chiplet_before = tally.steals_chiplet.load();
    const auto node_before = tally.steals_node.load();
    const auto far_before = tally.steals_far.load();
    const Round stolen(thief, [](int) { return Jobs::all_public; });
    SCOPED_TRACE("thief " + std::to_string(thief) + ": " + told(stolen.order()));
    EXPECT_EQ(stolen.not_stolen(), 0);
    int left_on_chiplet = jobs_each, left_on_socket = 2 * jobs_each, left_beyond = 4 * jobs_each;
    for (const int owner : stolen.order()) {
      if (core(owner).chiplet == core(thief).chiplet) {
        --left_on_chiplet;
        continue;
      }
      EXPECT_EQ(left_on_chiplet, 0) << "it looked further while its neighbour had jobs";
      const bool on_socket = core(owner).socket == core(thief).socket;
      if (left_on_socket > 0 && left_beyond > 0) {
        ++draws;
        own_socket += on_socket ? 1 : 0;
      }
      --(on_socket ? left_on_socket : left_beyond);
    }
    EXPECT_EQ(left_on_chiplet, 0);
    EXPECT_EQ(left_on_socket, 0);
    EXPECT_EQ(left_beyond, 0);
    // The runtime counts the same distances.
    EXPECT_EQ(tally.steals_chiplet - chiplet_before, jobs_each);
    EXPECT_EQ(tally.steals_node - node_before, 2 * jobs_each);
    EXPECT_EQ(tally.steals_far - far_before, 4 * jobs_each);
  }
  if (HasFailure()) return;
  EXPECT_GE(draws, 32 * 2 * jobs_each);
  // With .8 to .9 for each draw, less than two in three would come in one of 10^9 runs, and all of them never.
  EXPECT_GT(own_socket * 3, draws * 2) << own_socket << " of " << draws;
  EXPECT_LT(own_socket, draws);
}

/// A thief takes what somebody shows before it waits for anybody's answer. What a blocked neighbour keeps private is
/// exposed when nobody shows anything any more.
TEST(StealingOrder, PrivateJobsOfABlockedNeighbourComeLast) {
  if (!charm::os::has_heavy_barrier()) GTEST_SKIP() << "without membarrier(2) all jobs are public";
  const Running runtime(all_workers, two_sockets_of_two_chiplets());
  const auto cores = charm::worker_cores();
  for (int thief = 0; thief < all_workers && !HasFailure(); ++thief) {
    const auto& its = cores[static_cast<std::size_t>(thief)];
    const auto is_near = [&](int worker) { return cores[static_cast<std::size_t>(worker)].chiplet == its.chiplet; };
    const auto is_far = [&](int worker) { return cores[static_cast<std::size_t>(worker)].socket != its.socket; };
    const Round stolen(thief, [&](int worker) {
      return is_near(worker) ? Jobs::kept_private : is_far(worker) ? Jobs::all_public : Jobs::none;
    });
    SCOPED_TRACE("thief " + std::to_string(thief) + ": " + told(stolen.order()));
    EXPECT_EQ(stolen.not_stolen(), 0);
    ASSERT_EQ(stolen.order().size(), std::size_t{5 * jobs_each});
    EXPECT_TRUE(std::all_of(stolen.order().begin(), stolen.order().begin() + 4 * jobs_each, is_far));
    EXPECT_TRUE(std::all_of(stolen.order().begin() + 4 * jobs_each, stolen.order().end(), is_near));
  }
}

}  // namespace
