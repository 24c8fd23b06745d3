// Kernels on CHARM. The caller has initialised the runtime (its settings say how many workers and where).
#pragma once

#include <charm/charm.hpp>

#include "workloads/executor/concept.hpp"

namespace charm::workloads {

class CharmExecutor {
 public:
  static constexpr const char* name = "charm";
  explicit CharmExecutor(int /*workers*/ = 0) : workers_(charm::num_workers()) {}

  [[nodiscard]] int workers() const { return workers_; }
  [[nodiscard]] int worker() const { return charm::worker_id(); }
  template <class F>
  void run(F&& f) {
    charm::run([&f] { f(); });
  }

  template <class F>
  void parallel_for(Index first, Index last, Index grain, F&& f) {
    if (last - first <= grain) {
      if (first < last) f(first, last);
      return;
    }
    charm::parallel_for(first, last, [&f](Index lo, Index hi) { f(lo, hi); }, charm::LoopOptions{.grain = grain});
  }

  template <class T, class F, class C>
  T parallel_reduce(Index first, Index last, Index grain, T identity, F&& f, C&& combine) {
    if (last - first <= grain) return first < last ? f(first, last, identity) : identity;
    return charm::parallel_reduce(
        first, last, identity, [&f](Index lo, Index hi, T accumulated) { return f(lo, hi, accumulated); },
        [&combine](T a, T b) { return combine(a, b); }, charm::ReduceOptions{.grain = grain});
  }

  template <class F>
  void team(F&& f) {
    charm::all_do([this, &f](int worker) { f(worker, workers_); });
  }
  void barrier() { charm::barrier(); }

 private:
  int workers_;
};

static_assert(Executor<CharmExecutor>);

}  // namespace charm::workloads
