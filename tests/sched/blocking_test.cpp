// charm::blocking: code that blocks in the kernel takes no worker.
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "sched/running.hpp"

namespace {

using namespace std::chrono_literals;

struct Pipe {
  Pipe() {
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  }
  ~Pipe() {
    close(ends[0]);
    close(ends[1]);
  }
  void write_byte() { EXPECT_EQ(write(ends[1], "x", 1), 1); }
  void read_byte() {
    char byte = 0;
    EXPECT_EQ(read(ends[0], &byte, 1), 1);
  }
  int ends[2] = {-1, -1};
};

/// What a program that the calling thread begins finds: the cpus that it may use, and its timer slack.
std::string found_by_a_program() {
  FILE* const said = popen("grep Cpus_allowed_list /proc/self/status; cat /proc/self/timerslack_ns", "r");
  if (said == nullptr) return "no program";
  std::string all;
  for (char part[256]; fgets(part, sizeof part, said) != nullptr;) all += part;
  pclose(said);
  return all;
}

TEST(ProgramsBegunInBlocking, FindTheMachineAsTheProgramDoes) {
  const std::string outside = found_by_a_program();
  const auto found = [] { return charm::blocking(found_by_a_program); };
  Running runtime(2);
  EXPECT_EQ(charm::run(found), outside);
  EXPECT_EQ(charm::call(1, found), outside);
  EXPECT_EQ(charm::call(1, [&] { return charm::arena({.workers = 1}).execute(found); }), outside);
}

class Blocking : public testing::TestWithParam<int> {
 protected:
  Running runtime_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Workers, Blocking, testing::Values(1, 2, 4));

TEST_P(Blocking, EveryWorkerMayBeBlockedInAReadWhoseWriterIsATask) {
  int n = GetParam();
  Pipe data;
  charm::run([&] {
    charm::task_group readers;
    for (int i = 0; i < 3 * n; ++i) readers.run([&] { charm::blocking([&] { data.read_byte(); }); });
    auto writer = charm::async([&] {
      charm::sleep_for(2ms);  // by now all readers block
      for (int i = 0; i < 3 * n; ++i) data.write_byte();
    });
    writer.get();
    readers.wait();
  });
}

TEST_P(Blocking, OtherTasksGoOn) {
  Pipe data;
  std::atomic<long> sum{0};
  charm::run([&] {
    charm::task_group group;
    for (int i = 0; i < GetParam(); ++i) group.run([&] { charm::blocking([&] { data.read_byte(); }); });
    charm::parallel_for(0, 1000, [&](int) { ++sum; });
    EXPECT_EQ(sum, 1000);
    for (int i = 0; i < GetParam(); ++i) data.write_byte();
    group.wait();
  });
}

TEST_P(Blocking, ReturnsValuesAndExceptions) {
  charm::run([] {
    EXPECT_EQ(charm::blocking([] { return 7; }), 7);
    int x = 0;
    charm::blocking([&]() -> int& { return x; }) = 3;
    EXPECT_EQ(x, 3);
    EXPECT_THROW(charm::blocking([] { throw std::runtime_error("inside"); }), std::runtime_error);
    try {
      throw 5;
    } catch (int) {
      charm::blocking([] { std::this_thread::sleep_for(100us); });
      EXPECT_THROW(throw, int);  // what was handled came along and back
    }
  });
}

TEST_P(Blocking, NestedAndOutsideItIsACall) {
  EXPECT_EQ(charm::blocking([] { return charm::worker_id(); }), -1);
  charm::run([] {
    auto outer = std::this_thread::get_id();
    charm::blocking([&] {
      EXPECT_EQ(charm::worker_id(), -1);
      auto here = std::this_thread::get_id();
      EXPECT_NE(here, outer);
      charm::blocking([&] { EXPECT_EQ(std::this_thread::get_id(), here); });
      charm::yield();
      EXPECT_THROW(charm::barrier(), charm::Error);
      EXPECT_EQ(charm::async([] { return 4; }).get(), 4);
      EXPECT_EQ(charm::run([] { return charm::blocking([] { return 6; }); }), 6);
    });
    EXPECT_GE(charm::worker_id(), 0);
  });
}

TEST_P(Blocking, BoundTasksComeBackToTheirWorker) {
  charm::all_do([](int worker) {
    for (int i = 0; i < 5; ++i) {
      charm::blocking([] { std::this_thread::sleep_for(50us); });
      EXPECT_EQ(charm::worker_id(), worker);
      charm::barrier();
    }
  });
  for (int w = 0; w < GetParam(); ++w) {
    EXPECT_EQ(charm::call(w, [] { return charm::blocking([] { return 0; }), charm::worker_id(); }), w);
  }
}

TEST_P(Blocking, ManyAtOnceWithForksAround) {
  std::atomic<int> done{0};
  charm::run([&] {
    charm::parallel_for(0, 200, [&](int i) {
      charm::mutex mutex;
      std::lock_guard lock(mutex);
      charm::blocking([&] { std::this_thread::sleep_for(std::chrono::microseconds(i % 50)); });
      ++done;
    });
  });
  EXPECT_EQ(done, 200);
}

TEST(BlockingPoolTest, AreBoundedAndUsedAgain) {
  charm::Config config;
  config.blocking_threads = 3;
  Running runtime(2, config);
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  charm::run([&] {
    charm::task_group group;
    for (int i = 0; i < 50; ++i) {
      group.run([&] {
        charm::blocking([&] {
          int now = ++inside;
          for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
          }
          std::this_thread::sleep_for(200us);
          --inside;
        });
      });
    }
    group.wait();
  });
  EXPECT_LE(most, 3);
  EXPECT_GE(most, 1);
  EXPECT_LE(charm::stats().blocking_threads, 3U);
  EXPECT_GE(charm::stats().blocking_threads, 1U);
}

TEST(BlockingPoolTest, FinalizeWaitsForThem) {
  std::atomic<int> done{0};
  for (int round = 0; round < 5; ++round) {
    Running runtime(2);
    for (int i = 0; i < 8; ++i) {
      charm::run_detached([&] {
        charm::blocking([] { std::this_thread::sleep_for(2ms); });
        charm::yield();
        charm::run_detached([&] { ++done; });
      });
    }
  }
  EXPECT_EQ(done, 40);
}

/// Whatever thread the task is on afterwards, and whatever the compiler has kept: the error is the call's.
TEST(BlockingErrno, ReturnsTheErrorWithTheValue) {
  const Running runtime(2);
  std::atomic<int> wrong{0};
  charm::parallel_for(0, 400,
                      [&](int i) {
                        char byte = 0;
                        const auto [size, error] = charm::blocking_errno([&] { return read(-1, &byte, 1); });
                        if (size != -1 || error != EBADF) ++wrong;
                        const auto [number, none] = charm::blocking_errno([&] { return i; });
                        if (number != i || none != 0) ++wrong;
                      },
                      {.grain = 1});
  EXPECT_EQ(wrong, 0);
  const auto [outside, error] = charm::blocking_errno([] { return close(-1); });
  EXPECT_EQ(outside, -1);
  EXPECT_EQ(error, EBADF);
  EXPECT_THROW(static_cast<void>(charm::blocking_errno([]() -> int { throw std::runtime_error("passed on"); })),
               std::runtime_error);
}

}  // namespace
