// Single operations of one worker's making: spawning, loops of small grain, entering a parallel region.
#include <charm/charm.hpp>

#include <vector>

#include "bars.hpp"
#include "runtimes.hpp"

namespace charm::bench {
namespace {

// ---- spawning and loops ----

template <class R>
double flat_spawn(R& runtime, int /*workers*/) {
  constexpr int tasks = 20000;
  double best = 0;
  runtime.run([&] {
    best = least(batches, [&] {
      return seconds_of(1, [&] {
        typename R::Group group;
        for (int i = 0; i < tasks; ++i) group.run([] {});
        group.wait();
      });
    });
  });
  return best * 1e9 / tasks;
}

struct Vectors {
  static constexpr std::int64_t size = 40'000'000;  // 640 MB: more than any last-level cache
  std::vector<double> x = std::vector<double>(size, 1.0), y = std::vector<double>(size, 2.0);
};

template <class R>
double axpy(R& runtime, int /*workers*/, std::int64_t grain) {
  Vectors vectors;  // not kept: the peak memory of the rows that follow would hold it
  double best = 0;
  runtime.run([&] {
    best = least(3, [&] {
      return seconds_of(1, [&] {
        R::loop(0, Vectors::size, grain, [&](std::int64_t low, std::int64_t high) {
          const double* x = vectors.x.data();
          double* y = vectors.y.data();
          for (std::int64_t i = low; i < high; ++i) y[i] += 1e-9 * x[i];
        });
      });
    });
  });
  return best * 1e9 / static_cast<double>(Vectors::size);
}

// ---- an empty region: as many empty bodies as workers ----

constexpr int regions = 500;

template <class R>
double region_inside(R& runtime, int workers) {
  double best = 0;
  runtime.run([&] {
    best = least(batches, [&] {
      return seconds_of(regions, [&] { R::loop(0, workers, 1, [](std::int64_t, std::int64_t) {}); });
    });
  });
  return best * 1e9 / regions;
}

template <class R>
double region_outside(R& runtime, int workers) {
  return least(batches,
               [&] {
                 return seconds_of(
                     regions, [&] { runtime.run([&] { R::loop(0, workers, 1, [](std::int64_t, std::int64_t) {}); }); });
               }) *
         1e9 / regions;
}

#if defined(CHARM_BENCH_OPENMP)
/// `#pragma omp parallel` itself is OpenMP's region.
double openmp_region(OpenMp& /*runtime*/, int workers) {
  return least(batches,
               [&] {
                 return seconds_of(regions, [&] {
#pragma omp parallel num_threads(workers)
                   {
                     asm volatile("");  // else the compiler leaves the region out
                   }
                 });
               }) *
         1e9 / regions;
}
#endif

template <class R>
void add_common(Cases& cases) {
  add_bar<R>(cases, "flat_spawn", "ns/task", flat_spawn<R>);
  add_bar<R>(cases, "axpy_256", "ns/element", [](R& r, int w) { return axpy(r, w, 256); });
  add_bar<R>(cases, "axpy_16", "ns/element", [](R& r, int w) { return axpy(r, w, 16); });
}

}  // namespace

void add_work_bars(Cases& cases) {
  add_common<Charm>(cases);
  add_bar<Charm>(cases, "empty_region_outside", "ns", region_outside<Charm>);
  add_bar<Charm>(cases, "empty_region_inside", "ns", region_inside<Charm>);
#if defined(CHARM_BENCH_OPENMP)
  add_common<OpenMp>(cases);
  add_bar<OpenMp>(cases, "empty_region_outside", "ns", openmp_region);
#endif
#if defined(CHARM_BENCH_TBB)
  add_common<Tbb>(cases);
  add_bar<Tbb>(cases, "empty_region_outside", "ns", region_outside<Tbb>);
  add_bar<Tbb>(cases, "empty_region_inside", "ns", region_inside<Tbb>);
#endif
}

}  // namespace charm::bench
