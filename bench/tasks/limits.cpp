// How much memory many tasks take: 10^7 spawned into one group, a recursion of 10^6 levels, and 10^5 tasks that all
// wait at the same time; and how much of a core the workers take while there is nothing to do. Prints the time per task
// and the growth of the peak of resident memory; both must be bounded by what the runtime promises: a full deque of
// jobs per worker, the frames of a recursion, and the touched pages of a stack per waiting task.
//   bench-limits [workers [tasks [waiting [idle seconds]]]]
#include <charm/charm.hpp>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <sys/resource.h>

namespace {

/// Peak resident memory in MiB since the last reset_peak().
double peak_mib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmHWM:", 0) == 0) return std::atof(line.c_str() + 6) / 1024;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void reset_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

template <class F>
void measure(const char* what, long count, F&& function) {
  reset_peak();
  double before = peak_mib();
  auto start = std::chrono::steady_clock::now();
  function();
  std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
  std::printf("%-28s %10ld  %8.1f ns each  %8.1f MiB more at the peak, %6.1f KiB each\n", what, count,
              took.count() / static_cast<double>(count), peak_mib() - before,
              (peak_mib() - before) * 1024 / static_cast<double>(count));
}

[[gnu::noinline]] long down(long depth) {
  if (depth == 0) return 0;
  long below = 0;
  long one = 0;
  charm::invoke([&] { below = down(depth - 1); }, [&] { one = 1; });
  return below + one;
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// The share of one core that the whole process takes while nothing is to be done, from the end of some work on.
void measure_idle(double seconds) {
  charm::run([] { charm::parallel_for(0, 1000000, [](int) {}); });
  const double before = cpu_seconds();
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  const double share = (cpu_seconds() - before) / seconds;
  std::printf("%-28s %9.0fs  %8.4f %% of a core, %.4f %% a worker\n", "idle cpu share over", seconds, 100 * share,
              100 * share / charm::num_workers());
}

}  // namespace

int main(int count, char** arguments) {
  charm::Config config;
  if (count > 1) config.workers = std::atoi(arguments[1]);
  long tasks = count > 2 ? std::atol(arguments[2]) : 10'000'000;
  long waiting = count > 3 ? std::atol(arguments[3]) : 100'000;
  try {
    std::setvbuf(stdout, nullptr, _IOLBF, 0);  // a long run shows what it has
    charm::init(config);
    std::printf("%d workers\n", charm::num_workers());
    measure("tasks spawned into a group", tasks, [&] {
      std::atomic<long> done{0};
      charm::run([&] {
        charm::task_group group;
        for (long i = 0; i < tasks; ++i) group.run([&] { done.fetch_add(1, std::memory_order_relaxed); });
        group.wait();
      });
      if (done != tasks) throw charm::Error(charm::Errc::system, "tasks were lost", "");
    });
    constexpr long levels = 1'000'000;
    measure("levels of recursion", levels, [&] {
      if (charm::run([] { return down(levels); }) != levels)
        throw charm::Error(charm::Errc::system, "levels were lost", "");
    });
    measure("tasks waiting at once", waiting, [&] {
      std::atomic<bool> open{false};
      std::atomic<long> waited{0};
      charm::run([&] {
        std::vector<charm::future<void>> futures;
        futures.reserve(static_cast<std::size_t>(waiting));
        for (long i = 0; i < waiting; ++i) {
          futures.push_back(charm::async([&] {
            waited.fetch_add(1, std::memory_order_relaxed);
            while (!open.load(std::memory_order_acquire)) charm::yield();
          }));
        }
        while (waited.load() < waiting) charm::yield();
        open = true;
        for (auto& future : futures) future.get();
      });
      std::printf("%-28s %10llu\n", "stacks after that", static_cast<unsigned long long>(charm::stats().stacks));
    });
    measure_idle(count > 4 ? std::atof(arguments[4]) : 5);
    charm::finalize();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench-limits: %s\n", error.what());
    return 1;
  }
}
