// What is not the library's own: a child of fork(), and errno.
#include <charm/charm.hpp>

#include <atomic>
#include <cerrno>
#include <string>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "fiber/sanitizers.hpp"
#include "sched/running.hpp"

namespace {

/// Runs `function` in a child. \return what it returned, or -1 where it did not end by itself within a minute.
template <class F>
int in_child(F&& function) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    int result = 99;
    try {
      result = function();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "in the child: %s\n", error.what());
    }
    _exit(result);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

template <class F>
int says_not_running(F&& function) {
  try {
    function();
  } catch (const charm::Error& error) {
    return error.code() == charm::Errc::not_running ? 0 : 2;
  }
  return 1;
}

class Fork : public testing::Test {
 protected:
  void SetUp() override {
#if defined(CHARM_TSAN)
    GTEST_SKIP() << "ThreadSanitizer does not follow threads into a child of a process that has several";
#endif
  }
};

TEST_F(Fork, TheChildOfATaskHasTheTimerSlackOfTheProgram) {
  const int outside = prctl(PR_GET_TIMERSLACK);
  Running runtime(2);
  EXPECT_EQ(charm::call(1, [&] { return in_child([&] { return prctl(PR_GET_TIMERSLACK) == outside ? 0 : 1; }); }), 0);
}

TEST_F(Fork, TheChildHasNoRuntimeAndIsToldSo) {
  Running runtime(2);
  charm::run([] {});
  EXPECT_EQ(in_child([] { return says_not_running([] { charm::async([] { return 1; }).get(); }); }), 0);
  EXPECT_EQ(in_child([] { return says_not_running([] { charm::call(1, [] {}); }); }), 0);
  EXPECT_EQ(in_child([] { return says_not_running([] { charm::run([] {}); }); }), 0);
  EXPECT_EQ(in_child([] { return says_not_running([] { charm::finalize(); }); }), 0);
  EXPECT_EQ(in_child([] { return charm::initialized() ? 1 : 0; }), 0);
  EXPECT_EQ(charm::run([] { return charm::async([] { return 7; }).get(); }), 7) << "the parent goes on";
}

TEST_F(Fork, TheChildMayStartItsOwn) {
  Running runtime(2);
  charm::run([] {});
  auto child = [] {
    for (int i = 0; i < 3; ++i) {
      Running own(2);
      std::atomic<int> sum{0};
      charm::parallel_for(0, 1000, [&](int) { ++sum; });
      if (sum != 1000) return 1;
    }
    return 0;
  };
  EXPECT_EQ(in_child(child), 0);
  EXPECT_EQ(in_child([&] { return in_child(child); }), 0) << "a child of a child";
  EXPECT_EQ(charm::run([] { return charm::async([] { return 7; }).get(); }), 7);
}

TEST_F(Fork, OutOfATaskOrFromAnotherThreadIsNoDifferent) {
  Running runtime(2);
  auto child = [] { return says_not_running([] { charm::async([] {}).get(); }); };
  EXPECT_EQ(charm::run([&] { return in_child(child); }), 0);
  EXPECT_EQ(charm::call(1, [&] { return in_child(child); }), 0);
  EXPECT_EQ(charm::run([&] { return charm::blocking([&] { return in_child(child); }); }), 0);
  int result = -1;
  std::thread([&] { result = in_child(child); }).join();
  EXPECT_EQ(result, 0);
}

/// errno where the compiler cannot have kept the address of another thread's.
[[gnu::noinline]] int error_now() {
  asm volatile("");
  return errno;
}
[[gnu::noinline]] void set_error(int error) {
  asm volatile("");
  errno = error;
}

TEST(Errno, StaysWithTheTaskThatWaits) {
  Running runtime(2);
  std::atomic<int> wrong{0};
  charm::run([&] {
    charm::task_group group;
    for (int t = 1; t <= 20; ++t) {
      group.run([&wrong, t] {
        for (int i = 0; i < 200; ++i) {
          set_error(t);
          charm::yield();
          if (error_now() != t) ++wrong;
          set_error(t);
          charm::sleep_for(std::chrono::microseconds(i % 3));
          if (error_now() != t) ++wrong;
        }
      });
    }
    group.wait();
  });
  EXPECT_EQ(wrong, 0);
}

TEST(Errno, ComesBackFromBlockingCode) {
  Running runtime(2);
  charm::run([] {
    for (int i = 1; i < 100; ++i) {
      set_error(i);
      int inside = -1;
      charm::blocking([&] {
        inside = error_now();
        EXPECT_EQ(close(-1), -1);
      });
      EXPECT_EQ(error_now(), EBADF) << "what the call in blocking() left";
      EXPECT_EQ(inside, i) << "what was there before";
    }
  });
}

}  // namespace
