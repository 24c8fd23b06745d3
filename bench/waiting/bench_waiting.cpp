// The cost of waiting: mutex and channel beside the standard library's in threads, sleeping, blocking code, and a run
// of fork-join with more workers than cpus beside programs that use all cpus. Every row is the least of several short
// runs, interleaved with its peer's; the spread is from the least to the greatest.
//   bench-waiting [workers]
#include <charm/charm.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

double seconds(const std::function<void()>& function) {
  auto start = Clock::now();
  function();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Row {
  std::string name;
  long count;
  std::function<void()> run;
  double least = 1e9;
  double greatest = 0;
};

constexpr int rounds = 40;

void measure(std::vector<Row> rows) {
  for (int round = 0; round < rounds; ++round) {
    for (Row& row : rows) {
      double each = 1e9 * seconds(row.run) / static_cast<double>(row.count);
      row.least = std::min(row.least, each);
      row.greatest = std::max(row.greatest, each);
    }
  }
  for (const Row& row : rows) std::printf("%-58s %12.1f ns  (to %.1f)\n", row.name.c_str(), row.least, row.greatest);
}

void in_threads(int count, const std::function<void()>& body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back(body);
  for (auto& thread : threads) thread.join();
}

void in_tasks(int count, const std::function<void()>& body) {
  charm::run([&] {
    charm::task_group group;
    for (int i = 0; i < count; ++i) group.run(body);
    group.wait();
  });
}

template <class Mutex>
void count_up(Mutex& mutex, long& counter, long times) {
  for (long i = 0; i < times; ++i) {
    std::lock_guard lock(mutex);
    ++counter;
  }
}

void mutexes() {
  static charm::mutex ours;
  static std::mutex theirs;
  static long counter = 0;
  constexpr long alone = 20'000;
  constexpr long shared = 5'000;
  measure({
      {"mutex, one task", alone, [] { charm::run([] { count_up(ours, counter, alone); }); }},
      {"  std::mutex, one thread", alone, [] { in_threads(1, [] { count_up(theirs, counter, alone); }); }},
      {"mutex, 4 tasks", 4 * shared, [] { in_tasks(4, [] { count_up(ours, counter, shared); }); }},
      {"  std::mutex, 4 threads", 4 * shared, [] { in_threads(4, [] { count_up(theirs, counter, shared); }); }},
  });
}

void channels() {
  constexpr long messages = 2'000;
  measure({
      {"channel, one task to another, unbounded", messages,
       [] {
         charm::run([] {
           charm::channel<long> channel;
           auto receiver = charm::async([&] {
             while (channel.recv()) {
             }
           });
           for (long i = 0; i < messages; ++i) channel.send(i);
           channel.close();
           receiver.get();
         });
       }},
      {"channel, there and back, rendezvous", messages,
       [] {
         charm::run([] {
           charm::channel<long> there(0);
           charm::channel<long> back(0);
           auto echo = charm::async([&] {
             while (auto value = there.recv()) back.send(*value);
           });
           for (long i = 0; i < messages; ++i) {
             there.send(i);
             back.recv();
           }
           there.close();
           echo.get();
         });
       }},
      {"  std::condition_variable, there and back, threads", messages,
       [] {
         std::mutex mutex;
         std::condition_variable changed;
         long turn = 0;
         auto play = [&](long parity) {
           std::unique_lock lock(mutex);
           for (long i = 0; i < messages; ++i) {
             changed.wait(lock, [&] { return turn % 2 == parity; });
             ++turn;
             changed.notify_one();
           }
         };
         std::thread other([&] { play(1); });
         play(0);
         other.join();
       }},
  });
}

void sleeping() {
  std::vector<double> late;
  charm::run([&] {
    for (int i = 0; i < 200; ++i) {
      auto until = Clock::now() + std::chrono::milliseconds(2);
      charm::sleep_until(until);
      late.push_back(std::chrono::duration<double, std::micro>(Clock::now() - until).count());
    }
  });
  std::sort(late.begin(), late.end());
  std::printf("%-58s %9.1f us p50, %.1f us p90, %.1f us most\n", "sleep of 2 ms, how late", late[100], late[180],
              late[199]);
  constexpr long many = 100'000;
  double took = seconds([] {
    charm::run([] {
      auto wake = Clock::now() + std::chrono::seconds(2);
      std::vector<charm::future<void>> sleepers;
      for (long i = 0; i < many; ++i)
        sleepers.push_back(charm::async([=] { charm::sleep_until(wake + std::chrono::microseconds(i)); }));
      for (auto& sleeper : sleepers) sleeper.get();
    });
  });
  std::printf("%-58s %9.2f s for 2.1 s of sleep, %llu stacks at the most\n", "100,000 tasks asleep at once", took,
              static_cast<unsigned long long>(charm::stats().stack_pools.front().most));
}

void blocking() {
  constexpr long calls = 200;
  measure({{"blocking(nothing), there and back", calls, [] {
              charm::run([] {
                for (long i = 0; i < calls; ++i) charm::blocking([] {});
              });
            }}});
}

long fib(int n) {
  if (n < 2) return n;
  long a = 0;
  long b = 0;
  charm::invoke([&] { a = fib(n - 1); }, [&] { b = fib(n - 2); });
  return a + b;
}

/// Time of a loop of small parallel regions, which wait for each other at every turn.
double regions() {
  double best = 1e9;
  for (int round = 0; round < 5; ++round) {
    best = std::min(best, seconds([] {
                      charm::run([] {
                        volatile long sum = 0;
                        for (int i = 0; i < 30; ++i) sum = sum + fib(20);
                        charm::all_do([] {
                          for (int i = 0; i < 30; ++i) charm::barrier();
                        });
                      });
                    }));
  }
  return best;
}

/// The same work with as many workers as cpus and with twice as many, each alone and beside one thread per cpu that
/// burns it. With fair shares the hogs may cost a factor of two, and of 1.5 with twice as many workers.
void oversubscription() {
  const int cpus = static_cast<int>(charm::Machine::discover().cores.size());
  for (int hogs : {0, cpus}) {
    std::atomic<bool> over{false};
    std::vector<std::thread> burning;
    for (int i = 0; i < hogs; ++i) {
      burning.emplace_back([&] {
        while (!over.load(std::memory_order_relaxed)) {
        }
      });
    }
    for (int workers : {cpus, 2 * cpus}) {
      charm::Config config;
      config.workers = workers;
      config.share_cores = true;
      config.bind = "none";
      charm::init(config);
      double took = regions();
      std::printf("%2d workers on %d cpus, %2d threads beside them %28.2f ms%s\n", workers, cpus, hogs, 1e3 * took,
                  charm::stats().oversubscribed ? "  (oversubscribed)" : "");
      charm::finalize();
    }
    over = true;
    for (auto& thread : burning) thread.join();
  }
}

}  // namespace

int main(int count, char** arguments) {
  charm::Config config;
  if (count > 1) config.workers = std::atoi(arguments[1]);
  try {
    charm::init(config);
    std::printf("%d workers; the least of %d runs\n", charm::num_workers(), rounds);
    mutexes();
    channels();
    blocking();
    sleeping();
    charm::finalize();
    oversubscription();
  } catch (const charm::Error& error) {
    std::fprintf(stderr, "bench-waiting: %s\n", error.what());
    return 1;
  }
  return 0;
}
