// A round of stealing: all workers but one hold jobs in their deques and are kept from running them, so one thief takes
// every job, and each job notes whose it was. Nothing is timed: a worker that waits in vain gives up after far too
// long.
//
// A blocked owner answers no requests, so what is private when it blocks is visible to thieves only after an exposure
// (docs/runtime.md, "Stealing by distance"). Owners whose jobs are to be public are therefore asked before each fork,
// as a searching worker would ask them.
#pragma once

#include <charm/charm.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "sched/run/runtime.hpp"

namespace stealing_round {

constexpr int jobs_each = 6;
constexpr std::chrono::seconds patience{60};

enum class Jobs { none, kept_private, all_public };

/// One thief and many owners; each worker is held in a task that is bound to it.
class Round {
 public:
  Round(int workers, int thief, const std::function<Jobs(int)>& jobs_of) : workers_(workers), thief_(thief) {
    for (int worker = 0; worker < workers_; ++worker) {
      if (worker != thief && jobs_of(worker) != Jobs::none) left_ += jobs_each;
    }
    std::vector<charm::future<void>> calls;
    for (int worker = 0; worker < workers_; ++worker) {
      calls.push_back(charm::call_async(worker, [this, worker, jobs = jobs_of(worker)] { take_part(worker, jobs); }));
    }
    wait_until([this] { return ready_ == workers_; });
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
    for (const auto end = std::chrono::steady_clock::now() + patience; !condition();) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(std::chrono::microseconds(100));  // there may be fewer cpus than workers
    }
    return true;
  }

  void take_part(int worker, Jobs jobs) {
    // Nobody has jobs before all are held here, where they cannot take any or ask for any.
    ++there_;
    wait_until([this] { return there_ == workers_; });
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

  const int workers_, thief_;
  std::atomic<int> there_{0}, ready_{0}, left_{0}, not_stolen_{0};
  std::atomic<bool> go_{false};
  std::vector<int> order_;  // the thief's alone
};

inline std::string told(const std::vector<int>& order) {
  std::string text = "the jobs came from workers";
  for (const int owner : order) text += " " + std::to_string(owner);
  return text;
}

}  // namespace stealing_round
