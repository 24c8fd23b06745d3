// The cost of a fork for its owner under the designs of fork_candidates.hpp and in the runtime, the cost of a theft,
// and the sum of both on 64 cores by a model.
//   bench-forks [cores]
// Measured: fib without cutoff, tasks on the stack. Alone: the least of many short runs. With a thief: a second thread
// takes whatever it can while the owner runs, and runs it. The model is printed with its assumptions.
#include <charm/charm.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include "fork_candidates.hpp"

namespace {

using namespace charm::bench::forks;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

template <class F>
double least(int batches, F&& f) {
  double best = 1e9;
  const auto begin = Clock::now();
  for (int i = 0; i < batches && (i < 5 || seconds_since(begin) < 1); ++i) {
    const auto start = Clock::now();
    f();
    best = std::min(best, seconds_since(start));
  }
  return best;
}

[[gnu::noinline]] long serial(long n) { return n < 2 ? n : serial(n - 1) + serial(n - 2); }

template <class D>
[[gnu::noinline]] long forked(D& deque, long n) {
  if (n < 2) return n;
  Task task;
  task.argument = n - 2;
  deque.push(&task);
  const long first = forked(deque, n - 1);
  if (deque.pop(&task)) [[likely]]
    return first + forked(deque, n - 2);
  while (!task.done.load(std::memory_order_acquire)) std::this_thread::yield();
  return first + task.result;
}

[[gnu::noinline]] long on_charm(long n) {
  if (n < 2) return n;
  long a = 0;
  long b = 0;
  charm::invoke([&] { a = on_charm(n - 1); }, [&] { b = on_charm(n - 2); });
  return a + b;
}

constexpr long small = 18;  // some ten microseconds
constexpr double forks_of(long n) {
  double a = 0;
  double b = 0;
  for (long i = 2; i <= n; ++i) {
    const double next = a + b + 1;
    a = b;
    b = next;
  }
  return b;
}

struct Measured {
  const char* name;
  double fork_ns;     // owner alone, beyond the serial call
  double attempt_ns;  // a thief's, that finds something
  long thefts;
};

template <class D>
Measured measure(double serial_ns) {
  Measured m{D::name, 0, 0, 0};
  auto deque = std::make_unique<D>();
  volatile long n = small;
  volatile long sink = 0;
  m.fork_ns = least(2000, [&] { sink = forked(*deque, n); }) * 1e9 / forks_of(small) - serial_ns;

  std::atomic<bool> stop{false};
  std::atomic<long> found{0};
  std::vector<double> attempts;
  std::thread thief([&] {
    while (!stop.load(std::memory_order_relaxed)) {
      const auto start = Clock::now();
      Task* task = deque->steal();
      if (task == nullptr) continue;
      attempts.push_back(seconds_since(start));
      found.fetch_add(1, std::memory_order_relaxed);
      task->result = serial(task->argument);
      task->done.store(true, std::memory_order_release);
    }
  });
  const auto begin = Clock::now();
  while (seconds_since(begin) < 0.5 || (found.load() < 50 && seconds_since(begin) < 4)) sink = forked(*deque, 27);
  stop.store(true);
  thief.join();
  while (Task* task = deque->steal()) task->done.store(true);
  (void)sink;
  m.thefts = static_cast<long>(attempts.size());
  if (!attempts.empty()) {
    std::nth_element(attempts.begin(), attempts.begin() + m.thefts / 2, attempts.end());
    m.attempt_ns = attempts[static_cast<std::size_t>(m.thefts / 2)] * 1e9;
  }
  return m;
}

/// What one membarrier costs who asks for it, while another core of the process is busy, and what it costs that core.
struct Barrier {
  double asker_ns;
  double victim_ns;
};
Barrier measure_barrier() {
  std::atomic<bool> stop{false};
  std::atomic<long> turns{0};
  std::thread busy([&] {
    long mine = 0;
    while (!stop.load(std::memory_order_relaxed)) turns.store(++mine, std::memory_order_relaxed);
  });
  while (turns.load() == 0) std::this_thread::yield();
  struct Batch {
    double each, rate;
  };
  auto batches = [&](bool interrupt) {
    std::vector<Batch> all;
    for (int i = 0; i < 300; ++i) {
      const long before = turns.load();
      const auto start = Clock::now();
      int asked = 0;
      for (; seconds_since(start) < 0.0003; ++asked) {
        if (interrupt) (void)charm::os::heavy_barrier();
      }
      const double took = seconds_since(start);
      all.push_back({took / asked, static_cast<double>(turns.load() - before) / took});
    }
    return all;
  };
  double free_rate = 0;
  for (const Batch& b : batches(false)) free_rate = std::max(free_rate, b.rate);
  // Only what was measured while the other core did run the thread: a core that runs somebody else is not interrupted.
  std::vector<double> asker;
  std::vector<double> victim;
  for (const Batch& b : batches(true)) {
    if (b.rate < 0.2 * free_rate || b.rate > 0.98 * free_rate) continue;
    asker.push_back(b.each);
    victim.push_back((1 - b.rate / free_rate) * b.each);
  }
  stop.store(true);
  busy.join();
  // The least: on a machine that is busy with other things the rest is their time slices.
  auto low = [](std::vector<double>& values) {
    if (values.empty()) return 0.0;
    std::sort(values.begin(), values.end());
    return values.front() * 1e9;
  };
  return {low(asker), low(victim)};
}

}  // namespace

int main(int count, char** arguments) {
  const double cores = count > 1 ? std::atof(arguments[1]) : 64;
  if (cores < 2) {
    std::fprintf(stderr, "bench-forks: give at least two cores to model\n");
    return 2;
  }
  volatile long n = small;
  volatile long sink = 0;
  const double serial_ns = least(4000, [&] { sink = serial(n); }) * 1e9 / forks_of(small);
  std::printf("serial call: %.2f ns\n\n", serial_ns);

  std::vector<Measured> all;
  const bool barriers = charm::os::register_heavy_barrier();
  all.push_back(measure<ChaseLev<false>>(serial_ns));
  if (barriers) all.push_back(measure<ChaseLev<true>>(serial_ns));
  all.push_back(measure<Private>(serial_ns));
  all.push_back(measure<Split>(serial_ns));
  Measured own{"charm (split, exposable)", 0, 0, 0};
  std::thread([&] {
    charm::Config config;
    config.workers = 1;
    charm::init(config);
    charm::run([&] { own.fork_ns = least(2000, [&] { sink = on_charm(n); }) * 1e9 / forks_of(small) - serial_ns; });
    charm::finalize();
  }).join();
  (void)sink;

  std::printf("%-26s %14s %20s %10s\n", "design", "fork, ns more", "successful theft, ns", "thefts");
  for (Measured& m : all) {
    std::printf("%-26s %14.2f %20.0f %10ld\n", m.name, m.fork_ns, m.attempt_ns, m.thefts);
    // A thief that had no core when there was something to take has measured nothing; the exchange is the classic's.
    if (m.thefts == 0) m.attempt_ns = all.front().attempt_ns;
  }
  std::printf("%-26s %14.2f %20s %10s\n", own.name, own.fork_ns, "as split", "");
  if (!barriers) {
    std::printf("\nmembarrier(2) is not available here; no model of it.\n");
    return 0;
  }
  const Barrier barrier = measure_barrier();
  std::printf("\nmembarrier: at least %.0f ns for who asks, %.0f ns for a busy core that is interrupted\n",
              barrier.asker_ns, barrier.victim_ns);

  // The model: every core forks all the time (one fork and its call each serial + fork ns), and a share of its time
  // goes to thefts. Each core is asked `rate` times a millisecond by others that are out of work, of which half find
  // something.
  std::printf(
      "\nModel for %.0f cores. Overhead of a core in %% of its time, by thefts per core and millisecond (idle cores "
      "try\n"
      "twice a theft). A fork on the fast path counts as its share of fork + serial call. A membarrier interrupts the\n"
      "%.0f others; each loses what was measured here for one. The exposable split deque runs at most one in 20 "
      "us.\n\n",
      cores, cores - 1);
  std::printf("%-26s %12s %12s %12s\n", "design", "1 per ms", "10 per ms", "100 per ms");
  auto row = [&](const Measured& m, double barriers_per_theft, double most_barriers_per_ms) {
    std::printf("%-26s", m.name);
    for (double thefts : {1.0, 10.0, 100.0}) {
      const double fast = m.fork_ns / (m.fork_ns + serial_ns);
      const double system = std::min(thefts * cores * barriers_per_theft, most_barriers_per_ms);  // in the process
      const double stolen = thefts * m.attempt_ns / 1e6 + system * barrier.victim_ns * (cores - 1) / cores / 1e6;
      std::printf(" %11.1f%%", 100 * std::min(1.0, fast + (1 - fast) * stolen));
    }
    std::printf("\n");
  };
  for (const Measured& m : all) row(m, m.name == ChaseLev<true>::name ? 2 : 0, 1e12);
  own.attempt_ns = all.back().attempt_ns;
  row(own, 2, 50);
}
