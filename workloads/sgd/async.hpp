// std::async as a runtime: the baseline DW+CHARM+std::async of CHARM §5.5. Every block of a loop is a std::async of its
// own, which is a new thread, and the operating system schedules them. A body needs a worker's number, which is its own
// while it runs (executor/concept.hpp): a thread waits until one is free, so that as many bodies run at a time as there
// are workers, however many threads there are. Invariant: a number is free or belongs to one thread.
#pragma once

#include <barrier>
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

#include "workloads/executor/concept.hpp"

namespace charm::workloads {

class AsyncExecutor {
 public:
  static constexpr const char* name = "async";
  explicit AsyncExecutor(int workers = 0)
      : workers_(workers > 0 ? workers : static_cast<int>(std::thread::hardware_concurrency())), meet_(workers_) {
    for (int worker = workers_; worker-- > 0;) free_.push_back(worker);
  }

  [[nodiscard]] int workers() const { return workers_; }
  [[nodiscard]] int worker() const { return self_; }

  template <class F>
  void run(F&& f) {
    f();
  }

  template <class F>
  void parallel_for(Index first, Index last, Index grain, F&& f) {
    if (last - first <= grain) {
      if (first < last) f(first, last);
      return;
    }
    std::vector<std::future<void>> blocks;
    for (Index lo = first; lo < last; lo += grain) {
      const Index hi = last - lo < grain ? last : lo + grain;
      blocks.push_back(std::async(std::launch::async, [this, &f, lo, hi] {
        const Number number(*this);
        f(lo, hi);
      }));
    }
    for (auto& block : blocks) block.get();
  }

  template <class T, class F, class C>
  T parallel_reduce(Index first, Index last, Index grain, T identity, F&& f, C&& combine) {
    if (last - first <= grain) return first < last ? f(first, last, identity) : identity;
    std::vector<T> partials(static_cast<std::size_t>(workers_), identity);
    parallel_for(first, last, grain, [&](Index lo, Index hi) {
      T& mine = partials[static_cast<std::size_t>(self_)];
      mine = f(lo, hi, mine);
    });
    T total = identity;
    for (const T& partial : partials) total = combine(total, partial);
    return total;
  }

  template <class F>
  void team(F&& f) {
    std::vector<std::future<void>> members;
    for (int member = 1; member < workers_; ++member) {
      members.push_back(std::async(std::launch::async, [this, &f, member] {
        self_ = member;
        f(member, workers_);
      }));
    }
    f(0, workers_);
    for (auto& member : members) member.get();
  }
  void barrier() { meet_.arrive_and_wait(); }

 private:
  /// A worker's number while it exists.
  class Number {
   public:
    explicit Number(AsyncExecutor& executor) : executor_(executor) {
      std::unique_lock lock(executor.mutex_);
      executor.freed_.wait(lock, [&] { return !executor.free_.empty(); });
      self_ = executor.free_.back();
      executor.free_.pop_back();
    }
    ~Number() {
      {
        const std::lock_guard lock(executor_.mutex_);
        executor_.free_.push_back(self_);
      }
      executor_.freed_.notify_one();
    }
    Number(const Number&) = delete;
    Number& operator=(const Number&) = delete;

   private:
    AsyncExecutor& executor_;
  };

  int workers_;
  std::barrier<> meet_;
  std::mutex mutex_;
  std::condition_variable freed_;
  std::vector<int> free_;
  static inline thread_local int self_ = 0;
};

static_assert(Executor<AsyncExecutor>);

}  // namespace charm::workloads
