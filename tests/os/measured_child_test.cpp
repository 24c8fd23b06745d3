// Programs that are run to their end and measured, and the machine as it is seen beside them.
#include "tools/os/measured_child.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <iostream>
#include <sched.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include "base/folder.hpp"
#include "tools/os/child_events.hpp"
#include "tools/os/machine_use.hpp"

namespace {

using namespace charm::os;

ChildResult shell(const std::string& line, const std::string& input = "") {
  return run_child({.words = {"sh", "-c", line}, .input = input});
}

TEST(Child, TellsHowAProgramEnded) {
  EXPECT_EQ(shell("exit 0").exit_code, 0);
  EXPECT_EQ(shell("exit 7").exit_code, 7);
  const auto killed = shell("kill -9 $$");
  EXPECT_EQ(killed.signal, SIGKILL);
  EXPECT_EQ(killed.exit_code, 0);
  EXPECT_EQ(run_child({.words = {"/nowhere/to/be/found"}}).start_error, ENOENT);
}

TEST(Child, MeasuresTimeAndMemory) {
  const auto slept = run_child({.words = {"sleep", "0.05"}});
  EXPECT_GE(slept.wall_s, 0.05);
  EXPECT_LT(slept.user_s + slept.system_s, slept.wall_s);
  const auto burnt = shell("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done");
  EXPECT_GT(burnt.user_s + burnt.system_s, 0) << "kernels that count by ticks may take all of it for either";
  const auto large = shell("head -c 50000000 /dev/zero | tail -c 49000000 >/dev/null");
  EXPECT_GT(large.peak_bytes, 45000000U) << "of a child of the child, which has to keep it all";
}

TEST(Child, KeepsTheEndOfItsErrorsAndThrowsItsOutputAway) {
  testing::internal::CaptureStdout();
  const auto said = shell("echo result; echo mistake >&2");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(said.error_tail, "mistake\n");
  const auto much = shell("i=0; while [ $i -lt 3000 ]; do echo a line of many >&2; i=$((i+1)); done; echo last >&2");
  EXPECT_EQ(much.error_tail.size(), ChildRequest{}.tail_bytes);
  EXPECT_TRUE(much.error_tail.ends_with("\nlast\n"));
}

TEST(Child, KeepsItsOutputAndGetsVariablesIfAsked) {
  const auto said = run_child(
      {.words = {"sh", "-c", "echo $CHARM_TEST_WORD"}, .output_bytes = 100, .variables = {"CHARM_TEST_WORD=given"}});
  EXPECT_EQ(said.said, "given\n");
  EXPECT_EQ(run_child({.words = {"sh", "-c", "printf 123456789"}, .output_bytes = 4}).said, "1234");
  const auto much = run_child({.words = {"sh", "-c", "head -c 3000000 /dev/zero"}, .output_bytes = 5000000});
  EXPECT_EQ(much.said.size(), 3000000U);
}

TEST(Child, IsEndedWhenItsTimeIsUp) {
  const auto slow = run_child({.words = {"sleep", "100"}, .limit_s = 0.2});
  EXPECT_TRUE(slow.too_long);
  EXPECT_EQ(slow.signal, SIGTERM);
  EXPECT_LT(slow.wall_s, 90);
  const auto deaf = run_child({.words = {"sh", "-c", "trap '' TERM; while :; do sleep 0.1; done"}, .limit_s = 0.2});
  EXPECT_EQ(deaf.signal, SIGKILL) << "it does not listen";
  EXPECT_FALSE(run_child({.words = {"true"}, .limit_s = 100}).too_long);
}

TEST(Child, ReadsNothingOrTheGivenFile) {
  EXPECT_EQ(shell("test -z \"$(cat)\"").exit_code, 0);
  const charm::test::Folder folder;
  EXPECT_EQ(shell("test \"$(cat)\" = given", folder.line("input", "given")).exit_code, 0);
}

/// What a tarball finds that is unpacked in a root folder of its own.
TEST(Child, ReadsNothingWhereThereIsNoNullDevice) {
  constexpr int no_mounts = 77;
  const auto run_without_devices = [] {
    if (unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) _exit(no_mounts);
    if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) _exit(no_mounts);
    if (mount("none", "/dev", "tmpfs", 0, nullptr) != 0) _exit(no_mounts);
    const ChildResult child = run_child({.words = {"sh", "-c", "cat; echo ended"}, .output_bytes = 100});
    _exit(child.start_error == 0 && child.said == "ended\n" ? 0 : 1);
  };
  EXPECT_EXIT(
      run_without_devices(),
      [](int status) {
        if (WIFEXITED(status) && WEXITSTATUS(status) == no_mounts)
          std::cout << "left out: this system lets nobody mount\n";
        return WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == no_mounts);
      },
      "");
}

TEST(Child, DoesNotWaitForWhatItLeavesBehind) { EXPECT_LT(shell("sleep 100 & exit 0").wall_s, 90); }

TEST(Child, PassesOnWhatAsksUsToStop) {
  const auto stopped = shell("kill -TERM $PPID; exec sleep 30");
  EXPECT_EQ(stopped.interrupted, SIGTERM);
  EXPECT_EQ(stopped.signal, SIGTERM) << "it was passed on, and this process lives";
  sigset_t blocked;
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  EXPECT_EQ(sigismember(&blocked, SIGTERM), 0) << "the mask is as it was";
}

TEST(ChildEvents, CountTheProgramAndNotUs) {
  const std::array events = {PerfEvent{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 0, false},
                             PerfEvent{PERF_TYPE_SOFTWARE, 0xffffff, 0, false}};
  const ChildEvents counting(events);
  const auto ran = shell("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done");
  const auto counts = counting.counts();
  ASSERT_EQ(counts.size(), 2U);
  EXPECT_NE(counts[1].error, 0) << "there is no such event";
  if (counts[0].error != 0) GTEST_SKIP() << "no perf events here";
  EXPECT_GT(counts[0].value, 0.5e9 * ran.user_s);
}

TEST(MachineUse, SeesThisMachine) {
  const auto before = look_at_machine_use();
  const auto after = look_at_machine_use();
  EXPECT_GE(after.at_s, before.at_s);
  EXPECT_GE(after.busy_s, before.busy_s);
  if (after.cpus > 0) {
    EXPECT_TRUE(after.processes.contains(static_cast<int>(getpid())));
  }
}

TEST(MachineUse, ReadsTheKernelsFiles) {
  const charm::test::Folder tree;
  tree.line("proc/stat", "cpu  0\ncpu0 100 0 100 700 100 0 0 50 0 0\ncpu1 200 0 0 800 0 0 0 0 0 0\n");
  tree.line("proc/loadavg", "3.25 1.0 0.5 2/345 6789");
  tree.line("proc/pressure/cpu", "some avg10=0.00 avg60=0.03 avg300=0.47 total=2500000");
  tree.line("proc/12/stat", "12 (a (strange) name) S 1 1 1 0 -1 0 0 0 0 0 150 50 0 0 20 0 1 0 0");
  tree.line("proc/self/stat", "13 (me) S");
  tree.line("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave");
  tree.line("sys/devices/system/cpu/cpu10/cpufreq/scaling_governor", "powersave");
  tree.line("sys/devices/system/cpu/cpuidle/current_driver", "none");
  const auto use = look_at_machine_use(tree.root());
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  EXPECT_EQ(use.cpus, 2);
  EXPECT_DOUBLE_EQ(use.busy_s, 400 / ticks);
  EXPECT_DOUBLE_EQ(use.stolen_s, 50 / ticks);
  EXPECT_EQ(use.load_average, 3.25);
  EXPECT_EQ(use.waiting_s, 2.5);
  ASSERT_EQ(use.processes.size(), 1U);
  EXPECT_EQ(use.processes.at(12).name, "a (strange) name");
  EXPECT_DOUBLE_EQ(use.processes.at(12).cpu_s, 200 / ticks);
  EXPECT_EQ(frequency_governors(tree.root()).at("powersave"), (charm::CpuSet{0, 10}));
}

TEST(MachineUse, WhereNothingCanBeReadIsEmpty) {
  const charm::test::Folder tree;
  const auto use = look_at_machine_use(tree.root());
  EXPECT_EQ(use.cpus, 0);
  EXPECT_FALSE(use.load_average);
  EXPECT_TRUE(use.processes.empty());
  EXPECT_TRUE(frequency_governors(tree.root()).empty());
}

/// The signal that a child has ended goes to any thread that does not block it. This one need not be told by it.
TEST(Child, EndsBesideOtherThreads) {
  std::atomic<bool> done{false};
  std::vector<std::thread> others;
  for (int i = 0; i < 3; ++i) {
    others.emplace_back([&] {
      while (!done.load()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
  }
  for (int run = 0; run < 100; ++run) {
    const ChildResult child = run_child({.words = {"true"}, .output_bytes = 100});
    EXPECT_EQ(child.exit_code, 0);
  }
  done.store(true);
  for (std::thread& each : others) each.join();
}

}  // namespace
