// Affinity masks that somebody sets from outside while the program runs, with the real kernel: workers obey within a
// second, rest where there is no cpu for them, and come back.
#include <charm/charm.hpp>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <sched.h>
#include <thread>

#include <gtest/gtest.h>

#include "os/threads/affinity.hpp"

namespace {

using namespace std::chrono_literals;

/// As `taskset -a -p` does for this process.
void set_all_threads(const charm::CpuSet& cpus) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  for (int cpu : cpus) CPU_SET(static_cast<unsigned>(cpu), &mask);
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    sched_setaffinity(std::stoi(entry.path().filename().string()), sizeof mask, &mask);
  }
}

/// Runs tasks until the runtime has taken notice.
bool taken_notice(const charm::CpuSet& cpus, std::atomic<long>& done) {
  const auto end = std::chrono::steady_clock::now() + 100s;
  while (std::chrono::steady_clock::now() < end) {
    charm::run([&] { charm::parallel_for(0, 2000, [&](int) { done.fetch_add(1); }); });
    if (charm::stats().allowed_cpus == cpus) return true;
    std::this_thread::sleep_for(1ms);
  }
  return false;
}

TEST(OutsideMask, WorkersLeaveACpuThatIsTakenAwayAndReturnToIt) {
  const charm::CpuSet all = charm::os::allowed_cpus();
  if (all.size() < 2) GTEST_SKIP() << "one cpu only";
  const charm::CpuSet two = {all[0], all[1]};
  charm::os::bind_this_thread(two);
  charm::Config config;
  config.workers = 2;
  config.watch_ms = 20;
  try {
    charm::init(config);
  } catch (const charm::Error& error) {
    charm::os::bind_this_thread(all);
    GTEST_SKIP() << error.what();  // two threads of one core
  }
  std::atomic<long> done{0};
  set_all_threads({two[1]});
  ASSERT_TRUE(taken_notice({two[1]}, done));
  int placed = 0;
  for (const auto& worker_core : charm::worker_cores()) {
    if (worker_core.cpu < 0) continue;
    ++placed;
    EXPECT_EQ(worker_core.cpu, two[1]);
  }
  EXPECT_EQ(placed, 1) << "one worker rests";
  EXPECT_EQ(charm::call(0, [] { return charm::os::allowed_cpus(); }), charm::CpuSet{two[1]});
  EXPECT_EQ(charm::call(1, [] { return charm::worker_id(); }), 1) << "what is bound to it is served all the same";

  set_all_threads(two);
  ASSERT_TRUE(taken_notice(two, done));
  const auto worker_cores = charm::worker_cores();
  EXPECT_NE(worker_cores[0].cpu, worker_cores[1].cpu);
  for (int w = 0; w < 2; ++w) {
    const charm::CpuSet expected = {worker_cores[static_cast<std::size_t>(w)].cpu};
    charm::CpuSet mask;
    // Each of a worker's threads checks its own mask, and floats until the worker that is on its new core has left it.
    // Where other programs keep it off that core, it may use its whole chiplet.
    bool kept_off = false;
    const auto end = std::chrono::steady_clock::now() + 100s;
    while (mask != expected && !kept_off && std::chrono::steady_clock::now() < end) {
      mask = charm::call(w, [] {
        charm::yield();
        return charm::os::allowed_cpus();
      });
      kept_off = mask == two && charm::stats().oversubscribed;
    }
    EXPECT_TRUE(mask == expected || kept_off) << mask.size() << " cpus";
  }
  EXPECT_EQ(done.load() % 2000, 0) << "every task ran";
  EXPECT_EQ(charm::stats().cpu_changes, 2);
  charm::finalize();
  EXPECT_EQ(charm::os::allowed_cpus(), two) << "the caller has its own mask again";
  charm::os::bind_this_thread(all);
}

}  // namespace
