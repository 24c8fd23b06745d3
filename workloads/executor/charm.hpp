// Kernels on CHARM. The caller has initialised the runtime (its settings say how many workers and where). If workers
// are on several NUMA nodes, arrays are placed as `place()` was told, and loops over whole arrays take the affine
// schedule, which gives every chiplet the same part each time; on one node nothing differs.
#pragma once

#include <charm/charm.hpp>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "workloads/executor/parts.hpp"

namespace charm::workloads {

class CharmExecutor {
 public:
  static constexpr const char* name = "charm";
  explicit CharmExecutor(int /*workers*/ = 0) : workers_(charm::num_workers()) {}

  [[nodiscard]] int workers() const { return workers_; }
  [[nodiscard]] int worker() const { return charm::worker_id(); }
  /// Where the workers are now; -1 for one that is not bound.
  [[nodiscard]] std::vector<WorkerCore> worker_cores() const { return charm::worker_cores(); }

  /// How arrays that are made from now on are placed. The workers' cores are read once: arrays of a trial do not follow
  /// a worker that a controller moves meanwhile.
  void place(Memory memory) {
    const std::vector<WorkerCore> worker_cores = charm::worker_cores();
    std::vector<int> nodes;
    for (const WorkerCore& worker_core : worker_cores) nodes.push_back(std::max(worker_core.node, 0));
    std::vector<int> order(worker_cores.size());
    std::iota(order.begin(), order.end(), 0);
    // As the static and affine schedules share a range out: chiplet by chiplet.
    std::sort(order.begin(), order.end(), [&](int a, int b) {
      return std::pair(worker_cores[static_cast<std::size_t>(a)].chiplet, a) <
             std::pair(worker_cores[static_cast<std::size_t>(b)].chiplet, b);
    });
    array_placement_ = ArrayPlacement(memory, std::move(nodes), order);
  }
  [[nodiscard]] const ArrayPlacement& array_placement() const { return array_placement_; }

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
  void for_parts(Index size, Index grain, F&& f) {
    if (!array_placement_.in_parts() || size <= grain * workers_) return parallel_for(0, size, grain, f);
    charm::parallel_for(
        Index{0}, size, [&f](Index lo, Index hi) { f(lo, hi); },
        charm::LoopOptions{.grain = grain, .schedule = charm::Schedule::affine});
  }

  /// A partial result a worker: bodies do not wait, so a worker adds to its own.
  template <class T, class F, class C>
  T reduce_parts(Index size, Index grain, T identity, F&& f, C&& combine) {
    if (!array_placement_.in_parts() || size <= grain * workers_)
      return parallel_reduce(0, size, grain, identity, f, combine);
    struct alignas(128) Partial {
      T value;
    };
    std::vector<Partial> partials(static_cast<std::size_t>(workers_), Partial{identity});
    for_parts(size, grain, [&](Index lo, Index hi) {
      T& mine = partials[static_cast<std::size_t>(worker())].value;
      mine = f(lo, hi, mine);
    });
    T total = identity;
    for (const Partial& partial : partials) total = combine(total, partial.value);
    return total;
  }

  template <class F>
  void team(F&& f) {
    charm::all_do([this, &f](int worker) { f(worker, workers_); });
  }
  void barrier() { charm::barrier(); }

 private:
  int workers_;
  ArrayPlacement array_placement_;
};

static_assert(Placing<CharmExecutor>);

}  // namespace charm::workloads
