// A program for tests of `charm run`, of which it knows nothing. Exit code 1 is a failure in each case.
//
// attach_program churn SECONDS THREADS CPUS: THREADS threads, of which a thousand a second end and are replaced. It
// fails if one of them ever could run outside of the list of CPUS.
//
// attach_program found THREADS: threads that begin on the one cpu of the worker that makes them, and end when their
// masks are widened. It fails after half a minute.
//
// attach_program busy THREADS: threads that compute until each has had a cpu for itself. It fails after two minutes.
//
// attach_program serial SECONDS: one thread that computes for so many seconds of cpu time. It fails if its mask was
// ever narrower than at the beginning.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <sched.h>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

std::set<int> mask() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::set<int> cpus;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<unsigned>(cpu), &set)) cpus.insert(cpu);
  }
  return cpus;
}

int churn(double seconds, int threads, const std::string& list) {
  std::set<int> allowed;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t comma = std::min(list.find(',', at), list.size());
    allowed.insert(std::atoi(list.substr(at, comma - at).c_str()));
    at = comma + 1;
  }
  std::atomic<bool> outside{false};
  std::atomic<bool> stop{false};
  const auto look = [&] {
    for (const int cpu : mask()) {
      if (!allowed.contains(cpu)) outside = true;
    }
  };
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t) {
    running.emplace_back([&] {
      while (!stop) {
        std::thread brief([&] {
          look();
          std::this_thread::sleep_for(std::chrono::milliseconds(50));
          look();
        });
        brief.join();
      }
    });
  }
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  stop = true;
  for (auto& thread : running) thread.join();
  return outside ? 1 : 0;
}

/// Computes until the calling thread has a cpu for itself; false where that takes far too long.
bool compute_until_bound(const std::atomic<bool>& missed) {
  const auto end = Clock::now() + std::chrono::minutes(2);
  while (mask().size() != 1 && !missed) {
    if (Clock::now() > end) return false;
  }
  return !missed;
}

int found(int threads) {
  if (mask().size() < 2) return 0;
  std::atomic<bool> missed{false};
  std::atomic<int> waiting{threads};
  std::vector<std::thread> workers;
  for (int w = 0; w < 2; ++w) {
    workers.emplace_back([&] {
      if (!compute_until_bound(missed)) missed = true;
      std::vector<std::thread> running;
      for (int t = 0; t < threads / 2; ++t) {
        running.emplace_back([&] {
          const auto end = Clock::now() + std::chrono::seconds(30);
          while (mask().size() < 2 && !missed) {
            if (Clock::now() > end) missed = true;
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
          }
          --waiting;
        });
      }
      while (waiting > 0 && !missed) {  // computes on: a worker stays bound
      }
      for (auto& thread : running) thread.join();
    });
  }
  for (auto& worker : workers) worker.join();
  return missed ? 1 : 0;
}

int busy(int threads) {
  std::atomic<bool> missed{false};
  std::atomic<int> unbound{threads};
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t) {
    running.emplace_back([&] {
      if (!compute_until_bound(missed)) missed = true;
      --unbound;
      // Computes on: the last of several workers would be a single worker, which is not bound.
      while (unbound > 0 && !missed) {
      }
    });
  }
  for (auto& thread : running) thread.join();
  return missed ? 1 : 0;
}

int serial(double seconds) {
  const std::set<int> whole = mask();
  while (static_cast<double>(std::clock()) < seconds * CLOCKS_PER_SEC) {
    if (mask() != whole) return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "churn" && argc == 5) return churn(std::atof(argv[2]), std::atoi(argv[3]), argv[4]);
  if (what == "found" && argc == 3) return found(std::atoi(argv[2]));
  if (what == "busy" && argc == 3) return busy(std::atoi(argv[2]));
  if (what == "serial" && argc == 3) return serial(std::atof(argv[2]));
  return 2;
}
