// Where things run: binding, the caller's thread, addresses, detached calls; and cpus that are not ours alone.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <set>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "base/folder.hpp"
#include "os/machine/load_average.hpp"
#include "os/machine/pressure.hpp"
#include "os/memory/node_memory.hpp"
#include "os/threads/affinity.hpp"
#include "os/threads/schedstat.hpp"
#include "placement/placement_policy.hpp"
#include "sched/run/oversubscription.hpp"
#include "sched/running.hpp"

namespace {

class Bind : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Modes, Bind, testing::Values("core", "chiplet", "node", "none"));

TEST_P(Bind, EveryWorkerMayRunWhereTheModeSays) {
  const std::string mode = GetParam();
  const auto allowed = charm::os::allowed_cpus();
  charm::Config config;
  config.bind = mode;
  config.lend_caller = false;  // the caller may be on its way to its core (caller_mask_test.cpp)
  Running runtime(3, config);
  const auto worker_cores = charm::worker_cores();
  const auto& machine = charm::machine();
  charm::all_do([&](int worker) {
    const charm::WorkerCore& worker_core = worker_cores[static_cast<std::size_t>(worker)];
    charm::CpuSet expected = mode == "none" ? allowed : charm::CpuSet();
    if (mode == "core") expected.insert(worker_core.cpu);
    for (const auto& core : machine.cores) {
      if ((mode == "chiplet" && core.chiplet == worker_core.chiplet) ||
          (mode == "node" && core.node == worker_core.node))
        expected |= core.siblings;
    }
    EXPECT_EQ(charm::os::allowed_cpus(), expected);
  });
}

TEST_P(Bind, MoreReadyTasksThanAQueueHoldsAllRun) {
  charm::Config config;
  config.bind = GetParam();
  Running runtime(2, config);
  std::atomic<int> through{0};
  charm::run([&] {
    std::vector<charm::future<void>> tasks;
    for (int i = 0; i < 1500; ++i) {
      tasks.push_back(charm::async([&] {
        for (int k = 0; k < 3; ++k) charm::yield();
        ++through;
      }));
    }
    for (auto& task : tasks) task.get();
  });
  EXPECT_EQ(through, 1500);
}

TEST(Bind, TheCallerMayKeepOut) {
  const auto before = charm::os::allowed_cpus();
  const auto me = std::this_thread::get_id();
  charm::Config config;
  config.lend_caller = false;
  Running runtime(1, config);
  for (int i = 0; i < 20; ++i) EXPECT_NE(charm::run([] { return std::this_thread::get_id(); }), me);
  EXPECT_EQ(charm::os::allowed_cpus(), before);
}

TEST(Detached, CallsRunWhereTheyWereSent) {
  std::atomic<int> right{0};
  {
    Running runtime(3);
    for (int i = 0; i < 300; ++i) {
      charm::call_detached(i % 3, [&right, i] { right += charm::worker_id() == i % 3; });
    }
    charm::run_detached([&] { right += charm::worker_id() >= 0; });
    charm::run([&] {
      charm::call_detached(charm::on_node{0}, [&] { ++right; });
      charm::run_detached([&] { ++right; });
    });
    EXPECT_THROW(charm::call_detached(17, [] {}), charm::Error);
  }
  EXPECT_EQ(right, 303);
  EXPECT_THROW(charm::run_detached([] {}), charm::Error);
}

TEST(Where, TheKernelIsAskedAndThePageNotTouched) {
  Running runtime(2);
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* memory = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  const auto untouched = charm::where(memory);
  EXPECT_FALSE(untouched.known);
  EXPECT_FALSE(untouched.reason.empty());
  EXPECT_GE(untouched.node, 0);
  *static_cast<int*>(memory) = 1;
  const auto touched = charm::where(static_cast<char*>(memory) + 100);
  if (touched.known) {
    EXPECT_LT(touched.node, static_cast<int>(charm::machine().nodes.size()));
    EXPECT_EQ(charm::os::page_home(memory).node,
              charm::machine().nodes[static_cast<std::size_t>(touched.node)].os_index);
    const auto still = charm::where(static_cast<char*>(memory) + page);
    EXPECT_FALSE(still.known);  // the question before has not touched it
  } else {
    EXPECT_FALSE(touched.reason.empty());  // a sandbox without move_pages
  }
  EXPECT_EQ(charm::call(charm::on_address{memory}, [] { return 5; }), 5);
  EXPECT_EQ(charm::call(charm::on_address{nullptr}, [] { return 6; }), 6);
  std::atomic<bool> ran{false};
  charm::call_async(charm::on_address{memory}, [&] { ran = true; }).get();
  EXPECT_TRUE(ran);
  munmap(memory, 2 * page);
}

TEST(Where, OnAMachineOnPaperNothingIsKnown) {
  charm::Config config;
  config.topology = "pack:2 numa:1 l3:2 core:2 pu:1";
  config.workers = 8;
  charm::init(config);
  int here = 0;
  EXPECT_FALSE(charm::where(&here).known);
  EXPECT_EQ(charm::call(3, [&] { return charm::where(&here).node; }),
            charm::worker_cores()[3].node);  // falls back to the caller's own
  charm::finalize();
}

TEST(Pressure, IsReadWhereTheKernelTellsIt) {
  const charm::test::Folder root;
  EXPECT_FALSE(charm::os::cpu_pressure(root.root()).has_value());
  EXPECT_FALSE(charm::os::read_load_average(root.root()).has_value());
  root.file("proc/pressure/cpu", "some avg10=12.50 avg60=1.00 avg300=0.10 total=5\nfull avg10=3.00 avg60=0 total=1\n");
  root.file("proc/loadavg", "0.10 0.20 0.30 7/345 6789\n");
  EXPECT_EQ(charm::os::cpu_pressure(root.root()), 12.5);
  EXPECT_EQ(charm::os::read_load_average(root.root()).value().runnable, 7U);
}

TEST(Oversubscription, IsToldFromWorkersQuotaPressureAndLoad) {
  const charm::test::Folder root;
  charm::Machine machine = charm::Machine::from("l3:2 core:2 pu:1");
  auto place = [&](int workers) {
    charm::placement::Request request;
    request.workers = workers;
    request.share_cores = true;
    return charm::placement::policy("local").place(machine, request);
  };
  const auto four = place(4);
  const auto six = place(6);
  EXPECT_EQ(charm::sched::oversubscription_at_start(machine, six, true, root.root()).reason,
            "");  // on paper nothing is oversubscribed
  machine.origin = "live";
  EXPECT_EQ(charm::sched::oversubscription_at_start(machine, four, true, root.root()).reason, "");
  EXPECT_EQ(charm::sched::oversubscription_at_start(machine, six, true, root.root()).reason, "6 workers share 4 cpus");
  EXPECT_TRUE(charm::sched::oversubscription_at_start(machine, six, true, root.root()).lasting);
  machine.cpu_quota = 2.5;
  EXPECT_EQ(charm::sched::oversubscription_at_start(machine, four, true, root.root()).reason,
            "4 workers share a cgroup quota of 2.5 cpus");
  machine.cpu_quota = 4;
  root.file("proc/loadavg", "0.10 0.20 0.30 5/345 6789\n");
  EXPECT_EQ(charm::sched::oversubscription_at_start(machine, four, true, root.root()).reason, "");
  root.file("proc/loadavg", "0.10 0.20 0.30 9/345 6789\n");
  EXPECT_EQ(charm::sched::oversubscription_at_start(machine, four, true, root.root()).reason,
            "8 threads of other programs want to run on this machine");
  EXPECT_FALSE(charm::sched::oversubscription_at_start(machine, four, true, root.root()).lasting);
  root.file("proc/pressure/cpu", "some avg10=45.00 avg60=1.00 avg300=0.10 total=5\n");
  EXPECT_EQ(charm::sched::oversubscription_at_start(machine, four, true, root.root()).reason,
            "tasks of this machine waited for a cpu 45.0 % of the last ten seconds");
}

TEST(Oversubscription, IsReportedAndEndsWithTheRuntime) {
  {
    charm::Config config;
    config.share_cores = true;
    config.workers = static_cast<int>(charm::Machine::discover().allowed_cpus.size()) + 1;
    charm::init(config);
    EXPECT_TRUE(charm::stats().oversubscribed);
    bool told = false;
    for (const auto& notice : charm::stats().notices) told = told || notice.find("oversubscribed") != std::string::npos;
    EXPECT_TRUE(told);
    std::atomic<int> sum{0};
    charm::parallel_for(0, 1000, [&](int) { ++sum; });
    EXPECT_EQ(sum, 1000);
    charm::finalize();
  }
  EXPECT_FALSE(charm::sched::oversubscribed());
}

/// Burns a cpu for as long as it lives.
class Burner {
 public:
  explicit Burner(int cpu) {
    pid_ = fork();
    if (pid_ != 0) return;
    charm::os::bind_this_thread({cpu});
    for (;;) {
    }
  }
  ~Burner() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Burner(const Burner&) = delete;
  Burner& operator=(const Burner&) = delete;

 private:
  pid_t pid_;
};

// The worker is on a cpu that two others burn: it may leave it for a while, and comes back when they have gone.
TEST(Oversubscription, AWorkerThatOthersKeepOffItsCoreMayUseItsChiplet) {
  if (!charm::os::ThreadClock("/proc/thread-self/schedstat").read()) GTEST_SKIP() << "the kernel tells no waiting";
  charm::Config config;
  config.lend_caller = false;
  config.watch_ms = 100;
  config.workers = 1;
  charm::init(config);
  const charm::WorkerCore mine = charm::worker_cores().front();
  charm::CpuSet chiplet;
  for (const charm::Core& core : charm::machine().cores) {
    if (core.chiplet == mine.chiplet) chiplet |= core.siblings;
  }
  if (mine.cpu < 0 || chiplet.size() < 2) {
    charm::finalize();
    GTEST_SKIP() << "a chiplet of one cpu";
  }
  const auto mask_becomes = [](const charm::CpuSet& expected, int seconds = 60) {
    return charm::run([&] {
      const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
      while (charm::os::allowed_cpus() != expected) {
        if (std::chrono::steady_clock::now() > give_up) return false;
        charm::parallel_for(0, 100, [](int i) {
          volatile int sum = i;
          for (int k = 0; k < 10000; ++k) sum = sum + k;
        });
      }
      return true;
    });
  };
  EXPECT_TRUE(mask_becomes({mine.cpu}));
  {
    Burner first(mine.cpu), second(mine.cpu);
    EXPECT_TRUE(mask_becomes(chiplet));
    EXPECT_TRUE(charm::stats().oversubscribed);
  }
  const bool came_back = mask_becomes({mine.cpu}, 10);
  const bool busy = charm::stats().oversubscribed;
  charm::finalize();
  if (!came_back && busy) GTEST_SKIP() << "this machine is busy all the time";
  EXPECT_TRUE(came_back);
}

TEST(Oversubscription, ASearcherThatLosesItsCpuAgainAndAgainReportsIt) {
  charm::sched::forget_oversubscription();
  charm::sched::PreemptionDetector watch;
  for (int i = 0; i < 100; ++i) watch.at(1000 + i * 1000);
  watch.slept();
  watch.at(50'000'000);  // the sleep itself is no gap
  EXPECT_FALSE(charm::sched::oversubscribed());
  for (int i = 0; i < 20; ++i) watch.at(60'000'000 + i * 5'000'000LL);
  EXPECT_TRUE(charm::sched::oversubscribed());
  charm::sched::PreemptionDetector later;  // of a search without gaps
  for (int i = 0; i < 10; ++i) later.at(1'000'000'000 + i * 1000);
  EXPECT_TRUE(charm::sched::oversubscribed());
  for (int i = 0; i < 10; ++i) later.at(5'000'000'000 + i * 1000);
  EXPECT_FALSE(charm::sched::oversubscribed()) << "load of others has passed";
  charm::sched::forget_oversubscription();
}

TEST(Config, SettingsByNameWinAndAreJudgedAlike) {
  charm::Config config;
  config.workers = 2;
  config.named = {{"workers", "1"}, {"deadlock", "off"}};
  charm::init(config);
  EXPECT_EQ(charm::num_workers(), 1);
  charm::finalize();
  config.named = {{"wrokers", "1"}};
  EXPECT_THROW(charm::init(config), charm::Error);
  config.named = {{"bind", "socket"}};
  EXPECT_THROW(charm::init(config), charm::Error);
}

}  // namespace
