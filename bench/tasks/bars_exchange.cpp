// Single operations between workers: barriers, calls to a particular worker, waking an idle one.
#include <charm/charm.hpp>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <memory>
#include <thread>
#include <unistd.h>
#include <vector>

#include <linux/futex.h>
#include <sys/syscall.h>

#include "bars.hpp"
#include "runtimes.hpp"

namespace charm::bench {
namespace {

// ---- barriers ----

constexpr int rounds = 300;

double charm_barrier(Charm& /*runtime*/, int /*workers*/) {
  return least(batches,
               [&] {
                 double seconds = 0;
                 all_do([&](int worker) {
                   barrier();
                   const auto start = Clock::now();
                   for (int i = 0; i < rounds; ++i) barrier();
                   if (worker == 0) seconds = seconds_since(start);
                 });
                 return seconds;
               }) *
         1e9 / rounds;
}

/// Plain threads, each on a cpu of its own as far as the system likes it.
template <class F>
double among_threads(int workers, F&& round) {
  return least(batches,
               [&] {
                 double seconds = 0;
                 std::vector<std::thread> threads;
                 for (int t = 0; t < workers; ++t) {
                   threads.emplace_back([&, t] {
                     round();
                     const auto start = Clock::now();
                     for (int i = 0; i < rounds; ++i) round();
                     if (t == 0) seconds = seconds_since(start);
                   });
                 }
                 for (auto& thread : threads) thread.join();
                 return seconds;
               }) *
         1e9 / rounds;
}

struct Threads {
  static constexpr const char* name = "std";
  explicit Threads(int /*workers*/) {}
};
struct Spinning {
  static constexpr const char* name = "spin";
  explicit Spinning(int /*workers*/) {}
};

double std_barrier(Threads& /*runtime*/, int workers) {
  std::barrier<> barrier(workers);
  return among_threads(workers, [&] { barrier.arrive_and_wait(); });
}

/// A counter and a number of the round that everybody spins on.
double spinning_barrier(Spinning& /*runtime*/, int workers) {
  alignas(64) std::atomic<int> arrived{0};
  alignas(64) std::atomic<unsigned> round{0};
  return among_threads(workers, [&] {
    const unsigned mine = round.load(std::memory_order_relaxed);  // nobody leaves a round that this thread is not in
    if (arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == workers) {
      arrived.store(0, std::memory_order_relaxed);
      round.store(mine + 1, std::memory_order_release);
    } else {
      while (round.load(std::memory_order_acquire) == mine) pause();
    }
  });
}

// ---- calls to the other worker ----

double charm_call_async(Charm& /*runtime*/, int workers) {
  constexpr int calls = 1024;
  double best = 0;
  charm::call(0, [&] {
    best = least(batches, [&] {
      return seconds_of(1, [&] {
        std::int64_t sum = 0;  // only the called worker touches it
        for (int i = 0; i < calls - 1; ++i) charm::call_async(workers - 1, [&sum] { ++sum; });
        charm::call(workers - 1, [&sum] { ++sum; });
      });
    });
  });
  return best * 1e9 / calls;
}

double charm_call_blocking(Charm& /*runtime*/, int workers) {
  constexpr int calls = 300;
  double best = 0;
  charm::call(0, [&] {
    std::int64_t sum = 0;
    best = least(batches, [&] { return seconds_of(calls, [&] { charm::call(workers - 1, [&sum] { ++sum; }); }); });
  });
  return best * 1e9 / calls;
}

// ---- waking an idle worker ----

/// From the order to the first instruction of the work; the median.
template <class F>
double wake(std::chrono::microseconds idle, int times, F&& order) {
  std::vector<double> us;
  for (int i = 0; i < times; ++i) {
    const auto last = Clock::now();
    while (Clock::now() - last < idle) pause();
    const auto start = Clock::now();
    us.push_back(std::chrono::duration<double, std::micro>(order() - start).count());
  }
  std::nth_element(us.begin(), us.begin() + static_cast<long>(us.size() / 2), us.end());
  return us[us.size() / 2];
}

struct Arrival {
  std::atomic<Clock::rep> ticks{0};
  void note() { ticks.store(Clock::now().time_since_epoch().count(), std::memory_order_release); }
  Clock::time_point await() {
    Clock::rep seen = 0;
    while ((seen = ticks.load(std::memory_order_acquire)) == 0) pause();
    return Clock::time_point(Clock::duration(seen));
  }
};

struct Futex {
  static constexpr const char* name = "futex";
  explicit Futex(int /*workers*/) {}
};

double futex_wake(Futex& /*runtime*/, std::chrono::microseconds idle, int times) {
  std::atomic<std::uint32_t> word{0};
  std::atomic<Arrival*> arrival{nullptr};
  std::atomic<bool> stop{false};
  auto futex = [&](int operation, std::uint32_t value) {
    syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), operation, value, nullptr, nullptr, 0);
  };
  std::thread sleeper([&] {
    while (!stop.load()) {
      while (word.load(std::memory_order_acquire) == 0) futex(FUTEX_WAIT_PRIVATE, 0);
      word.store(0);
      if (Arrival* a = arrival.exchange(nullptr)) a->note();
    }
  });
  auto ring = [&] {
    word.store(1, std::memory_order_release);
    futex(FUTEX_WAKE_PRIVATE, 1);
  };
  const double us = wake(idle, times, [&] {
    Arrival a;
    arrival.store(&a);
    ring();
    return a.await();
  });
  stop.store(true);
  ring();
  sleeper.join();
  return us;
}

/// For any worker, as the peers' orders are: a particular one may belong on the very cpu on which the caller spins.
double charm_wake(Charm& /*runtime*/, int /*workers*/, std::chrono::microseconds idle, int times) {
  return wake(idle, times, [&] {
    auto a = std::make_shared<Arrival>();
    charm::run_detached([a] { a->note(); });
    return a->await();
  });
}

#if defined(CHARM_BENCH_OPENMP)
double openmp_barrier(OpenMp& /*runtime*/, int workers) {
  return least(batches,
               [&] {
                 double seconds = 0;
#pragma omp parallel num_threads(workers)
                 {
#pragma omp barrier
                   const auto start = Clock::now();
                   for (int i = 0; i < rounds; ++i) {
#pragma omp barrier
                   }
#pragma omp master
                   seconds = seconds_since(start);
                 }
                 return seconds;
               }) *
         1e9 / rounds;
}

double openmp_wake(OpenMp& /*runtime*/, int workers, std::chrono::microseconds idle, int times) {
  return wake(idle, times, [&] {
    Arrival a;
#pragma omp parallel num_threads(workers)
    {
      if (omp_get_thread_num() == workers - 1) a.note();
    }
    return a.await();
  });
}
#endif

#if defined(CHARM_BENCH_TBB)
double tbb_wake(Tbb& /*runtime*/, int workers, std::chrono::microseconds idle, int times) {
  tbb::task_arena arena(workers, 1);
  return wake(idle, times, [&] {
    auto a = std::make_shared<Arrival>();
    arena.enqueue([a] { a->note(); });
    return a->await();
  });
}
#endif

constexpr std::chrono::microseconds short_idle{100};
constexpr std::chrono::microseconds long_idle{5000};

template <class R, class F>
void add_wakes(Cases& cases, F&& one) {
  add_bar<R>(cases, "wake_100us", "us", [one](R& r, int w) { return one(r, w, short_idle, 201); }, 2);
  add_bar<R>(cases, "wake_5ms", "us", [one](R& r, int w) { return one(r, w, long_idle, 31); }, 2);
}

}  // namespace

void add_exchange_bars(Cases& cases) {
  add_bar<Charm>(cases, "barrier", "ns", charm_barrier, 2);
  add_bar<Threads>(cases, "barrier", "ns", std_barrier, 2);
  add_bar<Spinning>(cases, "barrier", "ns", spinning_barrier, 2);
  add_bar<Charm>(cases, "call_async", "ns/call", charm_call_async);
  add_bar<Charm>(cases, "call_blocking", "ns/call", charm_call_blocking);
  add_wakes<Charm>(cases, charm_wake);
  add_wakes<Futex>(cases, [](Futex& r, int /*workers*/, auto idle, int times) { return futex_wake(r, idle, times); });
#if defined(CHARM_BENCH_OPENMP)
  add_bar<OpenMp>(cases, "barrier", "ns", openmp_barrier, 2);
  add_wakes<OpenMp>(cases, openmp_wake);
#endif
#if defined(CHARM_BENCH_TBB)
  add_wakes<Tbb>(cases, tbb_wake);
#endif
}

}  // namespace charm::bench
