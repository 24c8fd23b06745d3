// Kernels on oneTBB, in an arena of their own so that worker() counts from 0 and no other work joins in.
#pragma once

#include <atomic>
#include <cstddef>
#include <thread>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include "workloads/executor/concept.hpp"

namespace charm::workloads {

class TbbExecutor {
 public:
  static constexpr const char* name = "tbb";
  explicit TbbExecutor(int workers = 0)
      : workers_(workers > 0 ? workers : oneapi::tbb::this_task_arena::max_concurrency()),
        threads_(oneapi::tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(workers_)),
        arena_(workers_) {}

  [[nodiscard]] int workers() const { return workers_; }
  [[nodiscard]] int worker() const { return oneapi::tbb::this_task_arena::current_thread_index(); }
  template <class F>
  void run(F&& f) {
    arena_.execute([&] { f(); });
  }

  template <class F>
  void parallel_for(Index first, Index last, Index grain, F&& f) {
    if (last - first <= grain) {
      if (first < last) f(first, last);
      return;
    }
    oneapi::tbb::parallel_for(Range(first, last, static_cast<std::size_t>(grain)),
                              [&f](const Range& r) { f(r.begin(), r.end()); });
  }

  template <class T, class F, class C>
  T parallel_reduce(Index first, Index last, Index grain, T identity, F&& f, C&& combine) {
    if (last - first <= grain) return first < last ? f(first, last, identity) : identity;
    return oneapi::tbb::parallel_reduce(
        Range(first, last, static_cast<std::size_t>(grain)), identity,
        [&f](const Range& r, T accumulated) { return f(r.begin(), r.end(), accumulated); }, combine);
  }

  /// One task a member. A member that waits keeps its thread, so the arena's other threads must come for the rest: they
  /// do, because the arena asks for as many threads as it has tasks and the control above allows that many.
  template <class F>
  void team(F&& f) {
    oneapi::tbb::task_group group;
    arrived_.store(0, std::memory_order_relaxed);
    for (int member = 1; member < workers_; ++member) group.run([this, &f, member] { f(member, workers_); });
    f(0, workers_);
    group.wait();
  }
  void barrier() {
    auto members = static_cast<unsigned>(workers_);
    unsigned round = arrived_.fetch_add(1, std::memory_order_acq_rel) / members;
    while (arrived_.load(std::memory_order_acquire) / members == round) std::this_thread::yield();
  }

 private:
  using Range = oneapi::tbb::blocked_range<Index>;
  int workers_;
  oneapi::tbb::global_control threads_;
  oneapi::tbb::task_arena arena_;
  std::atomic<unsigned> arrived_{0};
};

static_assert(Executor<TbbExecutor>);

}  // namespace charm::workloads
