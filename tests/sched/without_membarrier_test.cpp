// Machines that refuse membarrier(2), from the start or from some moment on: nothing stays where no thief can reach it.
#include <charm/charm.hpp>
#include <charm/detail/deque.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "os/threads/membarrier.hpp"
#include "sched/running.hpp"

namespace {

using namespace std::chrono_literals;
using charm::detail::Deque;
using charm::detail::Job;

/// From now on every thread of the process gets EPERM from membarrier(2).
bool refuse_membarrier() {
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  sock_fprog program{4, code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

constexpr int no_filter = 77;

/// Runs `body` in a child process. \return what the child says; a filter cannot be taken off again.
template <class F>
int in_child(F&& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status;
}

/// Forks two children, so that the second is pushed when the first is public already, takes the second back, and
/// returns only when somebody else has run the first, or after far too long.
bool first_child_is_helped() {
  std::atomic<bool> taken{false};
  bool helped = false;
  charm::invoke(
      [&] {
        charm::invoke([] {}, [] {});
        const auto end = std::chrono::steady_clock::now() + 20s;
        while (!taken && std::chrono::steady_clock::now() < end) std::this_thread::yield();
        helped = taken;
      },
      [&] { taken = true; });
  return helped;
}

struct Nothing : Job {
  Nothing() : Job([](Job*) noexcept {}) {}
};

TEST(WithoutMembarrier, AThiefThatIsRefusedTheBarrierExposesNothing) {
  const int result = in_child([] {
    if (!charm::os::register_heavy_barrier() || !refuse_membarrier()) return no_filter;
    Deque deque;
    Nothing jobs[3];
    for (Job& job : jobs) deque.push(&job);
    if (deque.expose() != 0) return 1;
    if (charm::os::has_heavy_barrier()) return 2;
    for (int left = 3; left > 0; --left) {
      if (!deque.pop()) return 3;
    }
    return deque.empty() ? 0 : 4;
  });
  if (result == no_filter) GTEST_SKIP() << "no membarrier(2), or no seccomp filter";
  EXPECT_EQ(result, 0);
}

TEST(WithoutMembarrier, ARuntimeThatLosesItGoesOnSharing) {
  const int result = in_child([] {
    Running runtime(2);
    if (!charm::os::has_heavy_barrier() || !refuse_membarrier()) return no_filter;
    for (int round = 0; round < 20; ++round) {
      std::atomic<long> sum{0};
      charm::run([&] { charm::parallel_for(0, 10000, [&](int i) { sum += i; }); });
      if (sum != 10000L * 9999 / 2) return 1;
    }
    // Until somebody has needed it; then the mode is another, and says so when all workers have been asked to change.
    const auto told = [] {
      const std::vector<std::string> notices = charm::stats().notices;
      return std::any_of(notices.begin(), notices.end(),
                         [](const std::string& notice) { return notice.find("membarrier") != std::string::npos; });
    };
    const auto end = std::chrono::steady_clock::now() + 20s;
    while (!told() && std::chrono::steady_clock::now() < end) charm::run([] { std::this_thread::sleep_for(30ms); });
    if (charm::os::has_heavy_barrier()) return 2;
    if (!told()) return 3;
    charm::run([] { charm::invoke([] {}, [] {}); });
    for (int round = 0; round < 10; ++round) {
      bool helped = false;
      charm::run([&] { helped = first_child_is_helped(); });
      if (!helped) return 4;
    }
    return 0;
  });
  if (result == no_filter) GTEST_SKIP() << "no membarrier(2), or no seccomp filter";
  EXPECT_EQ(result, 0);
}

TEST(WithoutMembarrier, WhatAPopLeavesStaysPublic) {
  Deque deque;
  deque.always_publish();
  Nothing jobs[5];
  for (Job& job : jobs) deque.push(&job);
  ASSERT_EQ(deque.publish(), 5);
  for (int left = 4; left > 0; --left) {
    ASSERT_TRUE(deque.pop());
    EXPECT_EQ(deque.public_count(), left);
    EXPECT_FALSE(deque.has_private());
  }
}

}  // namespace
