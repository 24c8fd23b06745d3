// What the runtime tells of its tasks: their names and waits, deadlocks, stack overflows, exceptions nobody caught.
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "fiber/sanitizers.hpp"
#include "sched/debug/task_list.hpp"
#include "sched/run/runtime.hpp"
#include "sched/running.hpp"
#include "sched/until_stderr_has.hpp"
#include "sched/wait/outside_waits.hpp"

namespace {

using namespace std::chrono_literals;
using charm::test::wait_until_stderr_has;

const charm::TaskInfo* find(const std::vector<charm::TaskInfo>& tasks, const std::string& name) {
  for (const auto& task : tasks) {
    if (task.name == name) return &task;
  }
  return nullptr;
}

/// The schedules are in the library; what a task of a loop does is in the program.
TEST(Tasks, OfALoopHaveTheNameOfItsBody) {
  charm::Config config;
  config.lend_caller = false;
  Running runtime(1, config);
  std::vector<std::string> names;
  const auto note = [&names] {
    for (const charm::TaskInfo& each : charm::tasks())
      if (each.state == "running" && each.worker == charm::worker_id()) names.push_back(each.function);
  };
  for (int call = 0; call < 2; ++call) charm::parallel_for(0, 1, [&](int) { note(); });
  charm::parallel_for(0, 1, [&](int) {
    note();
    charm::yield();
  });
  ASSERT_EQ(names.size(), 3U);
  EXPECT_EQ(names[0], names[1]);
  EXPECT_NE(names[0], names[2]);
}

TEST(Tasks, AreListedWithWhatTheyWaitFor) {
  Running runtime(2);
  charm::run([] {
    charm::name_task("root");
    charm::mutex mutex;
    charm::channel<int> channel;
    mutex.lock();
    auto locker = charm::async([&] {
      charm::name_task("locker with a name that is longer than can be kept");
      mutex.lock();
      mutex.unlock();
    });
    auto receiver = charm::async([&] {
      charm::name_task("receiver");
      channel.recv();
    });
    const std::string kept = std::string("locker with a name that is longer than can be kept").substr(0, 31);
    std::vector<charm::TaskInfo> tasks;
    const charm::TaskInfo* first = nullptr;
    const charm::TaskInfo* second = nullptr;
    while (first == nullptr || second == nullptr || first->state != "waiting" || second->state != "waiting") {
      charm::yield();
      tasks = charm::tasks();
      first = find(tasks, kept);
      second = find(tasks, "receiver");
    }
    EXPECT_EQ(first->waits_for, "mutex");
    EXPECT_EQ(first->object, &mutex);
    EXPECT_GE(first->seconds, 0);
    EXPECT_LT(first->seconds, 1000);
    EXPECT_EQ(second->waits_for, "channel (receive)");
    EXPECT_EQ(second->object, &channel);
    EXPECT_FALSE(second->function.empty());
    const charm::TaskInfo* root = find(tasks, "root");
    ASSERT_NE(root, nullptr);
    EXPECT_EQ(root->state, "running");
    EXPECT_EQ(root->worker, charm::worker_id());
    EXPECT_NE(root->id, first->id);
    charm::dump_tasks();
    mutex.unlock();
    channel.close();
    locker.get();
    receiver.get();
    EXPECT_EQ(find(charm::tasks(), "receiver"), nullptr);  // a name ends with its task
  });
  charm::name_task("nobody");
  charm::dump_tasks();
}

TEST(Tasks, AreListedWhileTheyComeAndGo) {
  Running runtime(3);
  std::atomic<bool> over{false};
  std::thread lister([&] {
    while (!over) static_cast<void>(charm::tasks());
  });
  for (int i = 0; i < 30; ++i) {
    charm::run([] {
      charm::task_group group;
      for (int k = 0; k < 50; ++k) {
        group.run([k] {
          charm::name_task("task " + std::to_string(k));
          charm::async([] { charm::yield(); }).get();
        });
      }
      group.wait();
    });
  }
  over = true;
  lister.join();
}

TEST(Stats, TellOfStacksByNode) {
  Running runtime(2);
  charm::run([] { charm::async([] { charm::yield(); }).get(); });
  const auto stats = charm::stats();
  ASSERT_FALSE(stats.stack_pools.empty());
  std::uint64_t sum = 0;
  for (const auto& pool : stats.stack_pools) {
    sum += pool.stacks;
    EXPECT_LE(pool.idle, pool.stacks);
    EXPECT_LE(pool.stacks, pool.most);
    EXPECT_LE(pool.most, pool.made);
    EXPECT_EQ(pool.bytes, pool.stacks * (256U << 10));
  }
  EXPECT_EQ(sum, stats.stacks);
}

TEST(StatsAfterMany, IdleStacksAreBounded) {
  Running runtime(2);
  charm::run([] {
    charm::latch gate(1);
    std::vector<charm::future<void>> waiting;
    for (int i = 0; i < 2000; ++i) waiting.push_back(charm::async([&] { gate.wait(); }));
    while (charm::stats().stacks < 1500) charm::yield();
    gate.count_down();
    for (auto& future : waiting) future.get();
  });
  EXPECT_LT(charm::stats().stacks, 600U);
}

// ThreadSanitizer does not like to fork a process with threads.
#if !defined(CHARM_TSAN)

/// Runs two tasks that each hold one mutex and want the other.
[[noreturn]] void embrace(const char* reaction) {
  charm::Config config;
  config.deadlock = reaction;
  config.workers = 2;
  config.share_cores = true;
  charm::init(config);
  charm::run([] {
    charm::mutex a;
    charm::mutex b;
    charm::latch both(2);
    auto first = charm::async([&] {
      charm::name_task("first");
      std::lock_guard one(a);
      both.arrive_and_wait();
      std::lock_guard two(b);
    });
    auto second = charm::async([&] {
      charm::name_task("second");
      std::lock_guard one(b);
      both.arrive_and_wait();
      std::lock_guard two(a);
    });
    first.get();
    second.get();
  });
  std::_Exit(0);
}

TEST(DeadlockDeathTest, TwoTasksThatWantEachOthersMutex) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(embrace("abort"), testing::KilledBySignal(SIGABRT),
              "tasks( and 1 thread)? wait, and nobody is left who could wake anything: deadlock"
              "(.|\n)*'(first|second)' .* for mutex 0x[0-9a-f]+, held by task [0-9]+"
              "(.|\n)*'(first|second)' .* for mutex 0x[0-9a-f]+, held by task [0-9]+");
}

/// Calls `wait`, which never returns, in the thread that runs main().
template <class F>
[[noreturn]] void wait_in_vain(F&& wait) {
  charm::Config config;
  config.deadlock = "abort";
  config.workers = 2;
  config.share_cores = true;
  charm::init(config);
  wait();
  std::_Exit(0);
}

TEST(DeadlockDeathTest, TheMainThreadThatWaitsOutsideOfTasksIsSeenToo) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const std::string head =
      "1 thread waits, and nobody is left who could wake anything: deadlock\n.*the main thread waits ";
  EXPECT_EXIT(wait_in_vain([] { charm::latch(1).wait(); }), testing::KilledBySignal(SIGABRT), head + ".* for latch 0x");
  EXPECT_EXIT(wait_in_vain([] {
                charm::mutex mutex;
                mutex.lock();
                mutex.lock();
              }),
              testing::KilledBySignal(SIGABRT), head + ".* for mutex 0x");
  EXPECT_EXIT(wait_in_vain([] { charm::task_barrier<>(2).arrive_and_wait(); }), testing::KilledBySignal(SIGABRT),
              head + ".* for barrier 0x");
  EXPECT_EXIT(wait_in_vain([] { charm::latch(1).wait(std::stop_source().get_token()); }),
              testing::KilledBySignal(SIGABRT), head + ".* for latch 0x");
}

TEST(DeadlockDeathTest, OtherThreadsAndCodeInBlockingThatWaitAreSeenToo) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(wait_in_vain([] {
                charm::channel<int> channel;
                std::thread other([&] { channel.recv(); });
                charm::latch(1).wait();
              }),
              testing::KilledBySignal(SIGABRT),
              "2 threads wait, and nobody is left(.|\n)*thread [0-9]+ waits .* for channel \\(receive\\) 0x");
  EXPECT_EXIT(wait_in_vain([] { charm::run([] { charm::blocking([] { charm::latch(1).wait(); }); }); }),
              testing::KilledBySignal(SIGABRT),
              "wait, and nobody is left(.|\n)*task [0-9]+ .*, in blocking code\\) waits .* for latch 0x");
}

/// The wait begins when the workers have looked for a deadlock already, and have found none.
TEST(DeadlockDeathTest, AWaitThatBeginsLateIsSeenToo) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(wait_in_vain([] {
                std::this_thread::sleep_for(1500ms);
                charm::latch(1).wait();
              }),
              testing::KilledBySignal(SIGABRT), "1 thread waits, and nobody is left");
}

/// Between the end of a wait and the moment when its thread takes it out of the list.
TEST(DeadlockReport, DoesNotCountAWaitThatIsOver) {
  charm::Config config;
  config.deadlock = "report";
  Running running(2, config);
  charm::sched::Runtime& runtime = charm::sched::Runtime::get();
  std::atomic<std::uintptr_t> state{charm::detail::Completion::done_value};
  const charm::detail::WaitReason reason{charm::detail::Wait::latch, &state};
  charm::sched::OutsideWaits::Wait wait{reason, nullptr, state};
  charm::sched::outside_waits.add(wait);
  charm::sched::outside_waits.lock();
  wait.since_ns -= 2 * charm::sched::DeadlockWatch::after_ns;
  charm::sched::outside_waits.unlock();
  const auto reported = [&] {
    while (!charm::sched::everybody_sleeps(runtime)) std::this_thread::sleep_for(1ms);
    testing::internal::CaptureStderr();
    runtime.waits.deadlock.look_from_outside();
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(reported(), "");
  state = 64;  // a waiter
  EXPECT_NE(reported().find("1 thread waits"), std::string::npos);
  charm::sched::outside_waits.remove(wait);
}

TEST(DeadlockDeathTest, AThreadThatWaitsForAnotherIsNotAborted) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto program = [] {
    wait_in_vain([] {
      charm::latch latch(1);
      std::thread other([&] {
        wait_until_stderr_has("1 thread waits");
        latch.count_down();
      });
      latch.wait();
      other.join();
    });
  };
  EXPECT_EXIT(program(), testing::ExitedWithCode(0), "1 thread waits; it may be waiting for a thread outside");
}

TEST(DeadlockDeathTest, AThreadOutsideMayStillCome) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto program = [] {
    charm::Config config;
    config.deadlock = "abort";  // which it must not do here
    config.workers = 2;
    config.share_cores = true;
    charm::init(config);
    charm::channel<int> requests;
    auto server = charm::async([&] { return *requests.recv(); });
    wait_until_stderr_has("1 task waits");  // this thread is the one outside
    requests.send(7);
    std::_Exit(server.get());
  };
  EXPECT_EXIT(program(), testing::ExitedWithCode(7), "1 task waits; it may be waiting for a thread outside");
}

TEST(DeadlockDeathTest, SleepersAndBlockedTasksAreNone) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto program = [] {
    charm::init();
    charm::run([] {
      charm::latch latch(2);
      auto a = charm::async([&] {
        charm::sleep_for(1500ms);
        latch.count_down();
      });
      auto b = charm::async([&] {
        charm::blocking([] { std::this_thread::sleep_for(1500ms); });
        latch.count_down();
      });
      latch.wait();
    });
    std::fputs("no word\n", stderr);
    std::_Exit(0);
  };
  setenv("CHARM_QUIET", "1", 1);  // about anything else
  EXPECT_EXIT(program(), testing::ExitedWithCode(0), "^no word\n$");
  unsetenv("CHARM_QUIET");
}

TEST(DetachedDeathTest, AnExceptionThatNobodyCatchesEndsTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto program = [] {
    charm::init();
    charm::call_detached(0, [] { throw std::runtime_error("lost"); });
    std::this_thread::sleep_for(100s);
  };
  EXPECT_EXIT(program(), testing::KilledBySignal(SIGABRT), "an exception left a detached task, task [0-9]+ .*: lost");
}

TEST(DetachedDeathTest, TheReportNamesTheTask) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto by_wrapper = [] {
    charm::init();
    charm::run_detached(charm::named("parser", [] { throw std::runtime_error("lost"); }));
    std::this_thread::sleep_for(100s);
  };
  EXPECT_EXIT(by_wrapper(), testing::KilledBySignal(SIGABRT), "detached task, task [0-9]+ 'parser' .*: lost");
  auto by_itself = [] {
    charm::init();
    charm::run_detached([] {
      charm::name_task("reader");
      throw std::runtime_error("lost");
    });
    std::this_thread::sleep_for(100s);
  };
  EXPECT_EXIT(by_itself(), testing::KilledBySignal(SIGABRT), "detached task, task [0-9]+ 'reader' .*: lost");
}
#endif

#if !defined(CHARM_ASAN) && !defined(CHARM_TSAN)

[[gnu::noinline]] long fall(long n) {
  volatile char frame[512];
  frame[0] = static_cast<char>(n);
  return n == 0 ? 0 : fall(n - 1) + frame[0];
}
volatile long far = 1L << 40;

TEST(StackOverflowDeathTest, TellsWhichTaskHowDeepAndTheRemedy) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        charm::init();
        charm::run([] {
          charm::async([] {
            charm::name_task("deep one");
            fall(far);
          }).get();
        });
      },
      testing::KilledBySignal(SIGSEGV),
      "stack overflow in task [0-9]+ 'deep one' .* on worker [0-9]+: [0-9]+ bytes deep, the stack has 262144; "
      "raise the setting stack_bytes \\(CHARM_STACK_BYTES=512K\\)");
}

TEST(StackOverflowDeathTest, InALoopOnAContinuedStackAndInBlockingCode) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        charm::init();
        charm::parallel_for(0, 1000, [](int) { fall(far); });
      },
      testing::KilledBySignal(SIGSEGV), "stack overflow in task");
  struct Forks {  // deep enough to be on another stack by now
    static long down(int n) {
      long a = 0;
      charm::invoke([&] { a = n == 0 ? fall(far) : down(n - 1); }, [] {});
      return a;
    }
  };
  EXPECT_EXIT(
      {
        charm::init();
        charm::run([] { Forks::down(20000); });
      },
      testing::KilledBySignal(SIGSEGV), "stack overflow in task");
  EXPECT_EXIT(
      {
        charm::init();
        charm::run([] { charm::blocking([] { fall(far); }); });
      },
      testing::KilledBySignal(SIGSEGV), "stack overflow in task .* on a thread of the blocking pool");
}

TEST(StackOverflowDeathTest, OtherFaultsGoToWhoeverHandledThemBefore) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        std::signal(SIGSEGV, [](int) {
          static_cast<void>(!write(2, "mine\n", 5));
          std::_Exit(5);
        });
        charm::init();
        charm::run([] { *reinterpret_cast<volatile int*>(far / far * 64) = 1; });
      },
      testing::ExitedWithCode(5), "mine");
  EXPECT_EXIT(
      {
        charm::init();
        charm::run([] { *reinterpret_cast<volatile int*>(far / far * 64) = 1; });
      },
      testing::KilledBySignal(SIGSEGV), "");
}

TEST(StackOverflow, TheHandlerIsGivenBack) {
  struct sigaction before{};
  struct sigaction after{};
  sigaction(SIGSEGV, nullptr, &before);
  {
    Running runtime(2);
  }
  sigaction(SIGSEGV, nullptr, &after);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
}
#endif

}  // namespace
