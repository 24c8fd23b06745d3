// Plain threads, as in PARSEC's streamcluster: they live as long as run(), each takes its share of a loop, and they
// meet at a barrier before and after it.
#pragma once

#include <barrier>
#include <thread>
#include <vector>

#include "workloads/executor/concept.hpp"

namespace charm::workloads {

class ThreadsExecutor {
 public:
  static constexpr const char* name = "threads";
  explicit ThreadsExecutor(int workers = 0)
      : workers_(workers > 0 ? workers : static_cast<int>(std::thread::hardware_concurrency())), meet_(workers_) {}

  [[nodiscard]] int workers() const { return workers_; }
  [[nodiscard]] int worker() const { return self_; }

  template <class F>
  void run(F&& f) {
    const std::vector<std::jthread> others = start();
    const End end{*this};
    f();
  }

  template <class F>
  void parallel_for(Index first, Index last, Index /*grain*/, F&& f) {
    if (first >= last) return;
    share([&](int worker) {
      const Index lo = first + (last - first) * worker / workers_;
      const Index hi = first + (last - first) * (worker + 1) / workers_;
      if (lo < hi) f(lo, hi);
    });
  }

  template <class T, class F, class C>
  T parallel_reduce(Index first, Index last, Index grain, T identity, F&& f, C&& combine) {
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
    share([&](int worker) { f(worker, workers_); });
  }
  void barrier() { meet_.arrive_and_wait(); }

 private:
  /// Lets the threads end, also where run()'s callable throws. Loop bodies do not throw.
  struct End {
    ThreadsExecutor& executor;
    ~End() {
      executor.call_ = nullptr;
      executor.meet_.arrive_and_wait();
    }
  };

  std::vector<std::jthread> start() {
    std::vector<std::jthread> threads;
    for (int worker = 1; worker < workers_; ++worker) {
      threads.emplace_back([this, worker] {
        self_ = worker;
        while (true) {
          meet_.arrive_and_wait();
          if (call_ == nullptr) return;
          call_(body_, worker);
          meet_.arrive_and_wait();
        }
      });
    }
    return threads;
  }

  template <class F>
  void share(const F& f) {
    body_ = &f;
    call_ = [](const void* body, int worker) { (*static_cast<const F*>(body))(worker); };
    meet_.arrive_and_wait();
    f(0);
    meet_.arrive_and_wait();
  }

  int workers_;
  std::barrier<> meet_;
  void (*call_)(const void*, int) = nullptr;
  const void* body_ = nullptr;
  static inline thread_local int self_ = 0;
};

static_assert(Executor<ThreadsExecutor>);

}  // namespace charm::workloads
