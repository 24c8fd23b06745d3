// The runtimes that the task programs are built on, each as the same small set of operations: start, run, fork two,
// spawn into a group, loop. `Forks::name` is what the table shows.
#pragma once

#include <charm/charm.hpp>

#include <cstdint>
#include <utility>

#if defined(CHARM_BENCH_OPENMP)
#include <omp.h>
#endif
#if defined(CHARM_BENCH_TBB)
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#endif

namespace charm::bench {

struct Serial {
  static constexpr const char* name = "serial";
  explicit Serial(int /*workers*/) {}
  template <class F>
  void run(F&& f) {
    f();
  }
  template <class F, class G>
  static void fork(F&& f, G&& g) {
    f();
    g();
  }
  struct Group {
    template <class F>
    void run(F&& f) {
      f();
    }
    void wait() {}
  };
  template <class F>
  static void loop(std::int64_t first, std::int64_t last, std::int64_t grain, F&& f) {
    for (std::int64_t low = first; low < last; low += grain) f(low, low + grain < last ? low + grain : last);
  }
};

struct Charm {
  static constexpr const char* name = "charm";
  explicit Charm(int workers) {
    Config config;
    config.workers = workers;
    init(config);
  }
  ~Charm() { finalize(); }
  Charm(const Charm&) = delete;
  Charm& operator=(const Charm&) = delete;
  template <class F>
  void run(F&& f) {
    charm::run([&f] { f(); });
  }
  template <class F, class G>
  [[gnu::always_inline]] static void fork(F&& f, G&& g) {
    invoke(f, g);
  }
  using Group = task_group;
  template <class F>
  static void loop(std::int64_t first, std::int64_t last, std::int64_t grain, F&& f) {
    parallel_for(first, last, [&f](std::int64_t low, std::int64_t high) { f(low, high); }, {grain});
  }
};

#if defined(CHARM_BENCH_OPENMP)
struct OpenMp {
  static constexpr const char* name = "openmp";
  explicit OpenMp(int workers) { omp_set_num_threads(workers); }
  template <class F>
  void run(F&& f) {
#pragma omp parallel
#pragma omp single
    f();
  }
  template <class F, class G>
  static void fork(F&& f, G&& g) {
#pragma omp task shared(g)
    g();
    f();
#pragma omp taskwait
  }
  struct Group {
    template <class F>
    void run(F&& f) {
#pragma omp task firstprivate(f)
      f();
    }
    void wait() {
#pragma omp taskwait
    }
  };
  template <class F>
  static void loop(std::int64_t first, std::int64_t last, std::int64_t grain, F&& f) {
    const auto blocks = static_cast<std::uint64_t>((last - first + grain - 1) / grain);
#pragma omp taskloop grainsize(1) shared(f)
    for (std::uint64_t b = 0; b < blocks; ++b) {
      const std::int64_t low = first + static_cast<std::int64_t>(b) * grain;
      f(low, low + grain < last ? low + grain : last);
    }
  }
};
#endif

#if defined(CHARM_BENCH_TBB)
struct Tbb {
  static constexpr const char* name = "tbb";
  explicit Tbb(int workers)
      : limit_(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(workers)), arena_(workers) {}
  template <class F>
  void run(F&& f) {
    arena_.execute([&f] { f(); });
  }
  template <class F, class G>
  static void fork(F&& f, G&& g) {
    tbb::parallel_invoke(f, g);
  }
  using Group = tbb::task_group;
  template <class F>
  static void loop(std::int64_t first, std::int64_t last, std::int64_t grain, F&& f) {
    tbb::parallel_for(
        tbb::blocked_range<std::int64_t>(first, last, static_cast<std::size_t>(grain)),
        [&f](const auto& range) { f(range.begin(), range.end()); }, tbb::simple_partitioner());
  }

 private:
  tbb::global_control limit_;
  tbb::task_arena arena_;
};
#endif

}  // namespace charm::bench
