// Starting and stopping beside everything else: calls that come too late say so, and nothing hangs or touches what is
// gone.
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_code.hpp"
#include "sched/ending.hpp"
#include "sched/running.hpp"

namespace {

using namespace std::chrono_literals;

using charm::test::code_of;
using charm::test::of_workers;
using charm::test::until_waiting;

/// Lets several threads begin at one moment.
class Start {
 public:
  explicit Start(int threads) : left_(threads) {}
  void arrive() {
    --left_;
    while (left_ > 0) std::this_thread::yield();
  }

 private:
  std::atomic<int> left_;
};

TEST(Finalize, CallsBesideItCompleteOrSayThatNothingRuns) {
  for (int round = 0; round < 20; ++round) {
    charm::init(of_workers(2));
    std::atomic<int> began{0};
    std::atomic<int> detached{0};
    std::atomic<int> ran{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        const auto code = code_of([&] {
          for (int i = 0;; ++i) {
            switch (t) {
              case 0:
                EXPECT_EQ(charm::run([&] { return i; }), i);
                break;
              case 1:
                charm::run_detached([&] { ++ran; });
                ++detached;
                break;
              case 2:
                EXPECT_EQ(charm::async([&] { return i; }).get(), i);
                break;
              default:
                EXPECT_EQ(charm::call(i % 2, [&] { return i; }), i);
                static_cast<void>(charm::worker_cores());
            }
            if (i == 0) ++began;
          }
        });
        EXPECT_EQ(code, charm::Errc::not_running);
      });
    }
    while (began != 4) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::microseconds(round * 50));
    charm::finalize();
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(ran, detached) << "a detached task was taken and never run";
    EXPECT_FALSE(charm::initialized());
  }
}

TEST(Finalize, OfTwoAtOnceOneDoesItAndTheOtherSaysThatNothingRuns) {
  for (int round = 0; round < 50; ++round) {
    charm::init(of_workers(2));
    Start start(2);
    std::optional<charm::Errc> codes[2];
    auto both = [&](int which) {
      start.arrive();
      codes[which] = code_of([] { charm::finalize(); });
    };
    std::thread other(both, 1);
    both(0);
    other.join();
    EXPECT_TRUE(codes[0].has_value() != codes[1].has_value());
    for (const auto& code : codes) EXPECT_EQ(code.value_or(charm::Errc::not_running), charm::Errc::not_running);
    EXPECT_FALSE(charm::initialized());
  }
}

// ---- several users of one runtime ----

TEST(Init, OfTwoAtOnceBothHaveOneRuntime) {
  for (int round = 0; round < 100; ++round) {
    Start start(2);
    auto both = [&] {
      start.arrive();
      charm::init(of_workers(1));
      EXPECT_EQ(charm::run([] { return 7; }), 7);
      charm::finalize();  // the runtime of the other goes on, or has not begun
    };
    std::thread other(both);
    both();
    other.join();
    EXPECT_FALSE(charm::initialized());
  }
}

TEST(Init, ManyComeAndGoAndEachHasARuntimeMeanwhile) {
  std::vector<std::thread> threads;
  std::atomic<int> sum{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        charm::init(of_workers(2));
        charm::run([&] { charm::parallel_for(0, 10, [&](int) { ++sum; }); });
        charm::finalize();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(sum, 4 * 50 * 10);
  EXPECT_FALSE(charm::initialized());
}

TEST(Init, TheSecondJoinsAndTheLastFinalizeEnds) {
  charm::init(of_workers(2));
  charm::init();                                                          // whatever runs
  charm::init({.workers = 2});                                            // the same
  charm::init({.named = {{"workers", "0"}, {"stack_bytes", "262144"}}});  // any number; the default, written otherwise
  for (int i = 0; i < 3; ++i) {
    charm::finalize();
    EXPECT_EQ(charm::run([] { return charm::num_workers(); }), 2);
  }
  charm::finalize();
  EXPECT_FALSE(charm::initialized());
  EXPECT_EQ(code_of([] { charm::finalize(); }), charm::Errc::not_running);
}

TEST(Init, ThatAsksForSomethingElseNamesItAndChangesNothing) {
  charm::init(of_workers(2));
  try {
    charm::init({.workers = 2, .stack_bytes = 1 << 20});
    ADD_FAILURE() << "it joined a runtime with smaller stacks";
  } catch (const charm::Error& error) {
    EXPECT_EQ(error.code(), charm::Errc::bad_config);
    for (const char* part : {"stack_bytes", "'256K'", "'1048576'", "default", "leave stack_bytes unset"})
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << part << " in: " << error.what();
  }
  EXPECT_EQ(code_of([] { charm::init({.workers = 3}); }), charm::Errc::bad_config);
  EXPECT_EQ(code_of([] { charm::init({.named = {{"worker", "2"}}}); }), charm::Errc::bad_config) << "no such setting";
  EXPECT_EQ(charm::run([] { return 7; }), 7);
  charm::finalize();  // those that failed have not joined
  EXPECT_FALSE(charm::initialized());
}

TEST(Init, InsideATaskJoinsAndItsFinalizeIsNotTheLast) {
  Running runtime(2);
  charm::run([] {
    charm::init();
    charm::parallel_for(0, 10, [](int) {});
    charm::finalize();
    EXPECT_EQ(code_of([] { charm::finalize(); }), charm::Errc::not_running) << "the last one, from a task";
  });
  EXPECT_TRUE(charm::initialized());
}

TEST(Init, InsideATaskThatFinalizeWaitsForIsAnError) {
  charm::init(of_workers(2));
  std::atomic<bool> runs{false};
  std::optional<charm::Errc> code;
  charm::run_detached([&] {
    runs = true;
    while (!code) {
      try {
        charm::init();
        charm::finalize();  // not yet
      } catch (const charm::Error& error) {
        code = error.code();
      }
    }
  });
  while (!runs) std::this_thread::yield();
  charm::finalize();
  while (charm::initialized()) charm::finalize();  // the task had joined just then, and its own was the last
  EXPECT_EQ(code, charm::Errc::not_running);
}

TEST(Finalize, InsideOfBlockingCodeIsAnError) {
  Running runtime(2);
  charm::run([] { charm::blocking([] { EXPECT_EQ(code_of([] { charm::finalize(); }), charm::Errc::not_running); }); });
}

TEST(Finalize, LetsBlockingCodeStartTasks) {
  std::atomic<int> sum{0};
  charm::init(of_workers(2));
  std::atomic<bool> blocks{false};
  std::atomic<bool> closed{false};
  charm::run_detached([&] {
    charm::blocking([&] {
      blocks = true;
      while (!closed) std::this_thread::sleep_for(1ms);
      sum += charm::async([] { return 7; }).get();
    });
  });
  while (!blocks) std::this_thread::yield();
  std::thread watcher([&] {  // the first call that is refused tells that finalize() has begun
    while (!code_of([] { static_cast<void>(charm::worker_cores()); })) std::this_thread::yield();
    closed = true;
  });
  charm::finalize();
  watcher.join();
  EXPECT_EQ(sum, 7);
}

TEST(Finalize, ByAnotherThreadWaitsForTheOneThatCalledInit) {
  for (int round = 0; round < 20; ++round) {
    charm::init(of_workers(2));
    std::atomic<bool> runs{false};
    std::thread other([&] {
      while (!runs) std::this_thread::yield();
      charm::finalize();
    });
    const int got = charm::run([&] {
      runs = true;
      for (int i = 0; i < 200; ++i) charm::async([] { charm::yield(); }).get();
      return 3;
    });
    other.join();
    EXPECT_EQ(got, 3);
  }
}

TEST(Finalize, ByAnotherThreadTellsTheOneThatCalledInitThatItsTaskWasDropped) {
  charm::channel<int> channel;
  charm::init(of_workers(2));
  std::thread other([&] {
    until_waiting(1);
    charm::finalize();
  });
  EXPECT_EQ(code_of([&] { charm::run([&] { channel.recv(); }); }), charm::Errc::not_running);
  other.join();
  EXPECT_TRUE(channel.send(1));
  EXPECT_EQ(channel.size(), 1U);
}

/// A thread that waits on its own account, borrowed for a worker meanwhile, waits on when the workers are gone.
TEST(Finalize, LeavesTheThreadThatCalledInitWaitingForAnotherThread) {
  charm::mutex mutex;
  charm::init(of_workers(2));
  std::atomic<bool> held{false};
  std::thread other([&] {
    mutex.lock();
    held = true;
    std::this_thread::sleep_for(20ms);  // mostly it waits by then; it may also come later
    charm::finalize();
    mutex.unlock();
  });
  while (!held) std::this_thread::yield();
  mutex.lock();
  mutex.unlock();
  other.join();
}

// ---- tasks that wait for something that never comes ----

}  // namespace
