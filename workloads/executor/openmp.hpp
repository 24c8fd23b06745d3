// Kernels on OpenMP: dynamically scheduled blocks, as hand-written OpenMP graph code has them. A range of one block
// runs in the calling thread: opening a parallel region for it would cost more than the block.
#pragma once

#include <omp.h>

#include "workloads/executor/concept.hpp"

namespace charm::workloads {

class OpenmpExecutor {
 public:
  static constexpr const char* name = "openmp";
  explicit OpenmpExecutor(int workers = 0) : workers_(workers > 0 ? workers : omp_get_max_threads()) {}

  [[nodiscard]] int workers() const { return workers_; }
  [[nodiscard]] int worker() const { return omp_get_thread_num(); }
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
#pragma omp parallel for schedule(dynamic, 1) num_threads(workers_)
    for (Index lo = first; lo < last; lo += grain) f(lo, last - lo < grain ? last : lo + grain);
  }

  template <class T, class F, class C>
  T parallel_reduce(Index first, Index last, Index grain, T identity, F&& f, C&& combine) {
    if (last - first <= grain) return first < last ? f(first, last, identity) : identity;
    T total = identity;
#pragma omp parallel num_threads(workers_)
    {
      T mine = identity;
#pragma omp for schedule(dynamic, 1) nowait
      for (Index lo = first; lo < last; lo += grain) mine = f(lo, last - lo < grain ? last : lo + grain, mine);
#pragma omp critical(charm_workloads_reduce)
      total = combine(total, mine);
    }
    return total;
  }

  template <class F>
  void team(F&& f) {
#pragma omp parallel num_threads(workers_)
    f(omp_get_thread_num(), omp_get_num_threads());
  }
  void barrier() {
#pragma omp barrier
  }

 private:
  int workers_;
};

static_assert(Executor<OpenmpExecutor>);

}  // namespace charm::workloads
