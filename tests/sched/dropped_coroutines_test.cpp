// Coroutines whose task still waits when the runtime ends: threads outside that wait for them get the error.
#include <atomic>
#include <chrono>
#include <coroutine>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_code.hpp"
#include "sched/ending.hpp"

namespace {

using namespace std::chrono_literals;
using charm::test::code_of;
using charm::test::of_workers;
using charm::test::until_waiting;

charm::task<int> receives(charm::channel<int>& channel) {
  co_await charm::schedule();
  co_return channel.recv().value_or(0);
}

charm::task<int> receives_at_once(charm::channel<int>& channel) { co_return channel.recv().value_or(0); }

charm::task<int> awaits_receiver(charm::channel<int>& channel) {
  const int value = co_await receives(channel);
  co_return value + 1;
}

charm::task<> receives_twice(charm::channel<int>& channel) {
  co_await charm::when_all(receives(channel), receives(channel), awaits_receiver(channel));
}

charm::task<int> receives_any(charm::channel<int>& channel) {
  std::vector<charm::task<int>> entrants;
  for (int i = 0; i < 3; ++i) entrants.push_back(receives(channel));
  co_return (co_await charm::when_any(std::move(entrants))).value;
}

/// After a when_any() that was won the coroutine runs on behalf of its own waiter again.
charm::task<int> receives_after_any(charm::channel<int>& channel) {
  std::vector<charm::task<int>> entrants;
  entrants.push_back([]() -> charm::task<int> {
    co_await charm::schedule();
    charm::sleep_for(1ms);
    co_return 3;
  }());
  co_await charm::schedule();  // else it might go on in the thread outside
  const int first = (co_await charm::when_any(std::move(entrants))).value;
  co_return first + channel.recv().value_or(0);
}

charm::task<int> awaits_future(charm::channel<int>& channel) {
  co_return co_await charm::async([&channel] { return channel.recv().value_or(0); });
}

/// What a wait in a thread outside ended with, while `finalize()` ended the runtime below it; nothing where it hangs.
std::optional<charm::Errc> end_during(int workers, std::size_t waiting,
                                      const std::function<void(charm::channel<int>&)>& wait) {
  charm::init(of_workers(workers));
  auto channel = std::make_shared<charm::channel<int>>();
  std::promise<std::optional<charm::Errc>> promise;
  std::future<std::optional<charm::Errc>> result = promise.get_future();
  std::thread waiter(
      [wait, channel, promise = std::move(promise)]() mutable { promise.set_value(code_of([&] { wait(*channel); })); });
  until_waiting(waiting);
  charm::finalize();
  if (result.wait_for(20s) != std::future_status::ready) {
    ADD_FAILURE() << "the wait goes on for ever";
    waiter.detach();
    return std::nullopt;
  }
  waiter.join();
  EXPECT_TRUE(channel->send(1));  // nobody is left in it
  return result.get();
}

TEST(DroppedCoroutines, TellTheThreadThatWaits) {
  for (int workers : {1, 2}) {
    const auto ended = [&](std::size_t waiting, const std::function<void(charm::channel<int>&)>& wait) {
      EXPECT_EQ(end_during(workers, waiting, wait), charm::Errc::not_running);
    };
    ended(1, [](charm::channel<int>& c) { charm::sync_wait(receives(c)); });
    ended(1, [](charm::channel<int>& c) { charm::sync_wait(receives_at_once(c)); });
    ended(1, [](charm::channel<int>& c) { charm::sync_wait(awaits_receiver(c)); });
    ended(3, [](charm::channel<int>& c) { charm::sync_wait(receives_twice(c)); });
    ended(3, [](charm::channel<int>& c) { charm::sync_wait(receives_any(c)); });
    ended(1, [](charm::channel<int>& c) { charm::sync_wait(receives_after_any(c)); });
    ended(1, [](charm::channel<int>& c) { charm::sync_wait(awaits_future(c)); });
  }
}

TEST(DroppedCoroutines, TellTheirScope) {
  for (int workers : {1, 2}) {
    const auto joins = [](charm::channel<int>& channel) {
      charm::async_scope scope;
      EXPECT_TRUE(scope.spawn(receives_twice(channel)));
      EXPECT_TRUE(scope.spawn([&channel] { channel.recv(); }));
      scope.join();
    };
    EXPECT_EQ(end_during(workers, 4, joins), charm::Errc::not_running);
  }
}

TEST(DroppedCoroutines, MayBeLosersOfAnEarlierChoice) {
  charm::channel<int> channel;
  charm::init(of_workers(2));
  const auto chooses = [](charm::channel<int>& in) -> charm::task<std::size_t> {
    std::vector<charm::task<int>> entrants;
    for (int i = 0; i < 3; ++i) entrants.push_back(receives(in));
    entrants.push_back([]() -> charm::task<int> { co_return 3; }());
    co_return (co_await charm::when_any(std::move(entrants))).index;
  };
  EXPECT_EQ(charm::sync_wait(chooses(channel)), 3U);
  until_waiting(3);
  charm::finalize();
  EXPECT_TRUE(channel.send(1));
}

/// A coroutine that waits for something outside of the runtime has not been dropped.
TEST(DroppedCoroutines, AreNotThoseThatWaitElsewhere) {
  struct Elsewhere {
    std::atomic<void*>& handle;
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> self) const noexcept { handle = self.address(); }
    void await_resume() const noexcept {}
  };
  std::atomic<void*> handle{nullptr};
  charm::init(of_workers(2));
  int value = 0;
  std::thread waiter([&] {
    value = charm::sync_wait([](std::atomic<void*>& out) -> charm::task<int> {
      co_await charm::schedule();
      co_await Elsewhere{out};
      co_return 5;
    }(handle));
  });
  while (handle == nullptr) std::this_thread::yield();
  charm::finalize();
  std::coroutine_handle<>::from_address(handle).resume();
  waiter.join();
  EXPECT_EQ(value, 5);
}

}  // namespace
