// A program that shares the machine with others in tests/vm/shares_test.cpp: threads that compute and doze in turns,
// until SIGTERM or worse. Emulated cpus are slow, so these threads step back for those that look after the shares
// (nice).
//   vm_neighbour plain THREADS BUSY_MS DOZE_MS FILE     threads of its own, for `charm run`
//                                                       SIGUSR1: all but two of them end
//   vm_neighbour library THREADS BUSY_MS DOZE_MS FILE   the library's workers, which lease cores where CHARM_SHARE says
// FILE appears, with the number of the process in it, when all threads are there.
#include <charm/charm.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

std::atomic<bool> ending{false};
std::atomic<bool> fewer{false};  // all threads but two end
static_assert(std::atomic<bool>::is_always_lock_free);

void is_there(const std::string& file) {
  std::ofstream(file + ".new") << getpid();
  std::rename((file + ".new").c_str(), file.c_str());
}

struct Rhythm {
  std::chrono::milliseconds busy, doze;
};

void compute(const Rhythm& rhythm, bool may_leave = false) {
  for (const auto end = Clock::now() + rhythm.busy; Clock::now() < end && !ending && !(may_leave && fewer);) {
  }
}

void step_back() { [[maybe_unused]] const int now = nice(19); }

void plain(int threads, Rhythm rhythm, const std::string& file) {
  std::atomic<int> there{1};
  const auto work = [&](bool may_leave) {
    step_back();
    while (!ending && !(may_leave && fewer)) {
      compute(rhythm, may_leave);
      std::this_thread::sleep_for(rhythm.doze);
    }
  };
  std::vector<std::thread> others;
  for (int t = 1; t < threads; ++t) {
    others.emplace_back([&, t] {
      ++there;
      work(t >= 2);
    });
  }
  while (there < threads) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  is_there(file);
  work(false);
  for (auto& thread : others) thread.join();
}

void library(int threads, Rhythm rhythm, const std::string& file) {
  charm::Config config;
  config.workers = threads;
  config.policy = "local";
  charm::init(config);
  charm::all_do([](int) { step_back(); });
  is_there(file);
  while (!ending) {
    charm::all_do([&](int) { compute(rhythm); });
    std::this_thread::sleep_for(rhythm.doze);
  }
  charm::finalize();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  std::signal(SIGTERM, [](int) { ending = true; });
  std::signal(SIGUSR1, [](int) { fewer = true; });
  const std::string kind = argv[1];
  const Rhythm rhythm{std::chrono::milliseconds(std::atoi(argv[3])), std::chrono::milliseconds(std::atoi(argv[4]))};
  (kind == "library" ? library : plain)(std::atoi(argv[2]), rhythm, argv[5]);
}
