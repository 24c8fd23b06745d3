// Tasks that still wait when the runtime ends: they are taken out of what they wait in, and those that wait for them
// are told.
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

TEST(DroppedTasks, AreTakenOffWhatTheyWaitedFor) {
  for (int workers : {1, 2}) {
    charm::channel<int> empty;
    charm::channel<int> full(1);
    charm::channel<int> rendezvous(0);
    charm::mutex mutex;
    charm::mutex of_condition;
    charm::condition_variable condition;
    charm::counting_semaphore<> semaphore(0);
    charm::latch latch(1);
    EXPECT_TRUE(full.send(1));
    mutex.lock();
    charm::init(of_workers(workers));
    for (int i = 0; i < 3; ++i) {
      charm::run_detached([&] { empty.recv(); });
      charm::run_detached([&] { full.send(2); });
      charm::run_detached([&] { rendezvous.send(3); });
      charm::run_detached([&] { mutex.lock(); });
      charm::run_detached([&] {
        of_condition.lock();
        condition.wait(of_condition);
      });
      charm::run_detached([&] { semaphore.acquire(); });
      charm::run_detached([&] { latch.wait(); });
    }
    until_waiting(21);
    charm::finalize();
    EXPECT_TRUE(empty.send(4));
    EXPECT_EQ(empty.size(), 1U);
    EXPECT_EQ(full.try_recv(), 1);
    EXPECT_EQ(full.try_recv(), std::nullopt);
    EXPECT_EQ(rendezvous.try_recv(), std::nullopt);
    empty.close();
    full.close();
    rendezvous.close();
    mutex.unlock();
    EXPECT_TRUE(mutex.try_lock());
    condition.notify_one();
    condition.notify_all();
    EXPECT_TRUE(of_condition.try_lock());
    semaphore.release(1);
    EXPECT_TRUE(semaphore.try_acquire());
    latch.count_down();
    EXPECT_TRUE(latch.try_wait());
    of_condition.unlock();
    mutex.unlock();
  }
}

TEST(DroppedTasks, TellTheirFuturesAndGroups) {
  charm::channel<int> channel;
  charm::init(of_workers(2));
  charm::future<int> future = charm::async([&] { return channel.recv().value_or(0); });
  charm::future<int> late = charm::async([&] { return channel.recv().value_or(0); });
  auto group = std::make_unique<charm::task_group>();
  group->run([&] { channel.recv(); });
  group->run([] {});
  until_waiting(3);
  std::optional<charm::Errc> waited;
  std::optional<charm::Errc> ran;
  std::thread waits([&] { waited = code_of([&] { future.get(); }); });
  std::thread runs([&] { ran = code_of([&] { charm::run([&] { channel.recv(); }); }); });
  until_waiting(4);
  charm::finalize();
  waits.join();
  runs.join();
  EXPECT_EQ(waited, charm::Errc::not_running);
  EXPECT_EQ(ran, charm::Errc::not_running);
  charm::init(of_workers(1));  // another runtime knows nothing of them
  EXPECT_TRUE(late.ready());
  try {
    late.get();
    ADD_FAILURE() << "a dropped task has a value";
  } catch (const charm::Error& error) {
    EXPECT_EQ(error.code(), charm::Errc::not_running);
    EXPECT_NE(std::string(error.what()).find("finalize()"), std::string::npos) << error.what();
  }
  EXPECT_EQ(code_of([&] { group->wait(); }), charm::Errc::not_running);
  charm::finalize();
}

/// A task that waits for a child on its own stack, and a group in a task's frame whose member is dropped.
TEST(DroppedTasks, MayWaitForEachOther) {
  charm::channel<int> channel;
  charm::init(of_workers(2));
  charm::future<void> outer = charm::async([&] { charm::async([&] { channel.recv(); }).get(); });
  charm::future<void> holder = charm::async([&] {
    charm::task_group group;
    for (int i = 0; i < 4; ++i) group.run([&] { channel.recv(); });
    group.wait();
  });
  until_waiting(2);
  std::this_thread::sleep_for(5ms);
  charm::finalize();
  EXPECT_EQ(code_of([&] { outer.get(); }), charm::Errc::not_running);
  EXPECT_EQ(code_of([&] { holder.get(); }), charm::Errc::not_running);
  EXPECT_TRUE(channel.send(1));
}

/// A sender outside and the end of the runtime meet at every point of the wait.
TEST(DroppedTasks, MeetThoseWhoWakeThem) {
  for (int round = 0; round < 100; ++round) {
    charm::channel<int> channel;
    charm::init(of_workers(2));
    std::atomic<int> received{0};
    constexpr int tasks = 20;
    std::vector<charm::future<void>> futures;
    for (int i = 0; i < tasks; ++i) {
      futures.push_back(charm::async([&] {
        if (channel.recv()) ++received;
      }));
    }
    until_waiting(tasks / 2);
    std::thread sender([&] {
      for (int i = 0; i < tasks; ++i) {
        EXPECT_TRUE(channel.send(i));
        if (i % 4 == 0) std::this_thread::yield();
      }
    });
    if (round % 2 == 0) std::this_thread::yield();
    charm::finalize();
    sender.join();
    int dropped = 0;
    for (auto& future : futures) dropped += code_of([&] { future.get(); }) == charm::Errc::not_running;
    EXPECT_EQ(received + dropped, tasks);
  }
}

}  // namespace
