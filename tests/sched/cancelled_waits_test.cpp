// Waits that end because the group of the task was cancelled, or because stop was requested. Nothing is timed: a wait
// that does not end is a hang, which the watchdog reports.
#include <charm/charm.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "random_programs/watchdog.hpp"
#include "sched/running.hpp"

namespace {

using namespace std::chrono_literals;

/// What can be waited for in vain, and outlives all waits.
struct Never {
  charm::channel<int> empty;
  charm::channel<int> full{0};
  charm::mutex mutex;
  charm::condition_variable condition;
  charm::counting_semaphore<> semaphore{0};
  charm::latch latch{1};
  charm::latch end{1};
  charm::task_barrier<> barrier{1 << 30};
  charm::future<void> future;
};

struct Kind {
  const char* name;
  void (*wait)(Never&);                                  // nullptr where cancelling does not end it
  bool (*wait_or_stop)(Never&, const std::stop_token&);  // \return whether what it waits for has come
};

const Kind kinds[] = {
    {"Receive", [](Never& n) { n.empty.recv(); },
     [](Never& n, const std::stop_token& stop) { return n.empty.recv(stop).has_value(); }},
    {"Send", [](Never& n) { n.full.send(1); },
     [](Never& n, const std::stop_token& stop) {
       int value = 1;
       return n.full.send(value, stop);
     }},
    {"Condition",
     [](Never& n) {
       std::unique_lock lock(n.mutex);
       try {
         n.condition.wait(lock);
       } catch (...) {
         EXPECT_FALSE(n.mutex.try_lock());  // it is held again
         throw;
       }
     },
     [](Never& n, const std::stop_token& stop) {
       std::unique_lock lock(n.mutex);
       return n.condition.wait(lock, stop, [] { return false; });
     }},
    {"Semaphore", [](Never& n) { n.semaphore.acquire(); },
     [](Never& n, const std::stop_token& stop) { return n.semaphore.acquire(stop); }},
    {"Latch", [](Never& n) { n.latch.wait(); },
     [](Never& n, const std::stop_token& stop) { return n.latch.wait(stop); }},
    {"Sleep", [](Never&) { charm::sleep_for(10h); },
     [](Never&, const std::stop_token& stop) { return charm::sleep_for(10h, stop); }},
    {"Future", nullptr,
     [](Never& n, const std::stop_token& stop) {
       charm::future<void> future = charm::async([&n] { n.end.wait(); });
       return future.wait(stop);
     }},
    {"Select",
     [](Never& n) {
       int value = 1;
       charm::select(charm::recv_from(n.empty, [](std::optional<int>) {}), charm::send_to(n.full, value));
     },
     [](Never& n, const std::stop_token& stop) {
       int value = 1;
       return charm::select(charm::recv_from(n.empty, [](std::optional<int>) {}), charm::stopped_by(stop, [] {}),
                            charm::send_to(n.full, value)) != 1;
     }},
    {"ReceiveAny",
     [](Never& n) {
       charm::channel<int>* const channels[] = {&n.empty, &n.empty};
       charm::recv_any(std::span<charm::channel<int>* const>(channels));
     },
     [](Never& n, const std::stop_token& stop) {
       charm::channel<int>* const channels[] = {&n.empty, &n.empty};
       return charm::recv_any(std::span<charm::channel<int>* const>(channels), stop).has_value();
     }},
    {"Barrier", [](Never& n) { n.barrier.wait(n.barrier.arrive()); },
     [](Never& n, const std::stop_token& stop) { return n.barrier.wait(n.barrier.arrive(), stop); }},
    {"AnyFuture", nullptr,
     [](Never& n, const std::stop_token& stop) {
       charm::future<void> first = charm::async([&n] { n.end.wait(); });
       charm::future<int> second = charm::async([&n] {
         n.end.wait();
         return 1;
       });
       return charm::wait_any(stop, first, second).has_value();
     }},
    {"LimitedReceive", [](Never& n) { n.empty.try_recv_for(10h); }, nullptr},
    {"LimitedCondition",
     [](Never& n) {
       std::unique_lock lock(n.mutex);
       n.condition.wait_for(lock, 10h, [] { return false; });
     },
     nullptr},
    {"Polls",
     [](Never& n) {
       while (!n.empty.try_recv_for(0s)) {
       }
     },
     nullptr},
};

class EarlyEnd : public testing::TestWithParam<Kind> {
 protected:
  /// Runs the test's kind of wait. \return whether it threw Error (cancelled).
  bool is_cancelled() {
    try {
      GetParam().wait(never_);
    } catch (const charm::Error& error) {
      EXPECT_EQ(error.code(), charm::Errc::cancelled) << error.what();
      watchdog_.progress();
      return true;
    }
    return false;
  }
  ~EarlyEnd() override { never_.end.count_down(); }

  random_programs::Watchdog watchdog_{"a wait that does not end"};
  Never never_;
  Running runtime_{3};
};
class EarlyStop : public EarlyEnd {};

template <class Member>
std::vector<Kind> kinds_with(Member member) {
  std::vector<Kind> with;
  for (const Kind& kind : kinds) {
    if (kind.*member != nullptr) with.push_back(kind);
  }
  return with;
}
std::string name_of(const testing::TestParamInfo<Kind>& kind) { return kind.param.name; }
INSTANTIATE_TEST_SUITE_P(Waits, EarlyEnd, testing::ValuesIn(kinds_with(&Kind::wait)), name_of);
INSTANTIATE_TEST_SUITE_P(Waits, EarlyStop, testing::ValuesIn(kinds_with(&Kind::wait_or_stop)), name_of);

TEST_P(EarlyEnd, ByCancellingTheGroup) {
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> cancelled{0};
    std::atomic<int> ran{0};
    charm::run([&] {
      charm::task_group group;
      for (int i = 0; i < 3; ++i) {
        group.run([&] {
          ++ran;
          cancelled += is_cancelled();
        });
      }
      for (int i = 0; i < round % 8; ++i) charm::yield();  // before some of them wait, or after
      group.cancel();
      group.wait();
    });
    ASSERT_EQ(cancelled, ran);
  }
}

TEST_P(EarlyEnd, ByAnErrorInTheGroup) {
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> cancelled{0};
    std::atomic<int> ran{0};
    EXPECT_THROW(charm::run([&] {
                   charm::task_group group;
                   for (int i = 0; i < 3; ++i) {
                     group.run([&, i] {
                       ++ran;
                       if (i == 1) throw std::runtime_error("one fails");
                       cancelled += is_cancelled();
                     });
                   }
                   group.wait();
                 }),
                 std::runtime_error);
    ASSERT_EQ(cancelled + 1, ran);
  }
}

/// Through the groups and loops that belong to it, by a thread that is no worker.
TEST_P(EarlyEnd, ByCancellingAnOuterGroupFromOutside) {
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> cancelled{0};
    std::atomic<int> begun{0};
    charm::run([&] {
      charm::task_group outer;
      std::thread outside([&] {
        while (begun == 0) std::this_thread::yield();
        outer.cancel();
      });
      outer.run([&] {
        charm::task_group inner;
        inner.run([&] {
          charm::parallel_for(0, 4, [&](int) {
            ++begun;
            cancelled += is_cancelled();
          });
        });
        EXPECT_THROW(inner.wait(), charm::Error);
      });
      outer.wait();
      charm::blocking([&] { outside.join(); });
    });
    ASSERT_EQ(cancelled, begun);
    ASSERT_GT(cancelled, 0);
  }
}

/// A task of no group, and one of a group of its own, wait on.
TEST_P(EarlyEnd, OfNobodyElse) {
  std::atomic<int> cancelled{0};
  charm::task_group independent;
  independent.run([&] { cancelled += is_cancelled(); });
  for (int round = 0; round < 10; ++round) {
    charm::run([&] {
      charm::task_group group;
      group.run([&] { is_cancelled(); });
      charm::yield();
      group.cancel();
      group.wait();
    });
    ASSERT_EQ(cancelled, 0);
  }
  independent.cancel();
  independent.wait();
  EXPECT_LE(cancelled, 1);  // it may have been cancelled before it began
}

TEST_P(EarlyStop, ByAStopToken) {
  const auto wait = GetParam().wait_or_stop;
  for (int round = 0; round < 50; ++round) {
    std::stop_source source;
    std::atomic<int> ended{0};
    auto one = [&] {
      EXPECT_FALSE(wait(never_, source.get_token()));
      ++ended;
      watchdog_.progress();
    };
    auto task = charm::async(one);
    auto bound = charm::call_async(round % 3, one);
    std::thread outside(one);
    if (round % 2 == 0)
      std::this_thread::sleep_for(std::chrono::microseconds(round * 20));
    else
      charm::run([] { charm::yield(); });
    if (round % 3 == 0)
      source.request_stop();
    else
      charm::run([&] { source.request_stop(); });
    task.get();
    bound.get();
    outside.join();
    ASSERT_EQ(ended, 3);
  }
}

TEST_P(EarlyStop, ByAStopTokenInAGroupThatIsCancelledAtTheSameTime) {
  const auto wait = GetParam().wait_or_stop;
  for (int round = 0; round < 50; ++round) {
    std::stop_source source;
    charm::run([&] {
      charm::task_group group;
      group.run([&] {
        EXPECT_FALSE(wait(never_, source.get_token()));
        watchdog_.progress();
      });
      auto stop = charm::async([&] { source.request_stop(); });
      group.cancel();
      group.wait();
      stop.get();
    });
  }
}

}  // namespace
