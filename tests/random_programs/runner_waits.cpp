// What random programs do with whatever tasks can wait for.
#include <array>
#include <atomic>
#include <chrono>
#include <mutex>
#include <utility>

#include <gtest/gtest.h>

#include "random_programs/runner.hpp"

namespace random_programs {

using namespace std::chrono_literals;

/// Every child sends what came of it; with little or no room senders wait, else the receiver.
void Runner::through_channel(const Node& node, const Children& children, Outcomes& outcomes) {
  constexpr std::array<std::size_t, 4> capacities{0, 1, 3, charm::channel<int>::unbounded};
  charm::channel<std::pair<std::size_t, Outcome>> channel(capacities[node.draw(20) % capacities.size()]);
  charm::task_group group;
  for (std::size_t c = 0; c < children.size(); ++c) group.run([&, c] { channel.send({c, outcome(children[c])}); });
  // The receiver is a task of its own, since a member may run on the spawner's stack at once, and wait for it.
  charm::future<void> receiver = charm::async([&] {
    while (auto got = channel.recv()) outcomes[got->first] = got->second;
  });
  group.wait();
  channel.close();
  receiver.get();
}

void Runner::under_mutex(const Children& children, Outcomes& outcomes) {
  charm::mutex mutex;
  std::size_t inside = 0;  // the mutex's
  std::size_t collisions = 0;
  charm::task_group group;
  for (std::size_t c = 0; c < children.size(); ++c) {
    group.run([&, c] {
      const Outcome got = outcome(children[c]);
      const std::lock_guard lock(mutex);
      collisions += inside++ != 0;
      if (c % 4 == 0) charm::yield();  // held while others run
      outcomes[c] = got;
      --inside;
    });
  }
  group.wait();
  EXPECT_EQ(collisions, 0U) << "two tasks held a mutex";
}

void Runner::with_condition(const Children& children, Outcomes& outcomes) {
  charm::mutex mutex;
  charm::condition_variable changed;
  std::size_t left = children.size();
  charm::task_group group;
  for (std::size_t c = 0; c < children.size(); ++c) {
    group.run([&, c] {
      outcomes[c] = outcome(children[c]);
      const std::lock_guard lock(mutex);
      --left;
      changed.notify_one();
    });
  }
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return left == 0; });
  }
  group.wait();
}

void Runner::with_latch_and_semaphore(const Children& children, Outcomes& outcomes) {
  charm::latch latch(static_cast<std::ptrdiff_t>(children.size()));
  charm::counting_semaphore<> semaphore(2);
  std::atomic<int> inside{0};
  std::atomic<int> crowds{0};
  charm::task_group group;
  for (std::size_t c = 0; c < children.size(); ++c) {
    group.run([&, c] {
      semaphore.acquire();
      if (++inside > 2) ++crowds;
      outcomes[c] = outcome(children[c]);
      --inside;
      semaphore.release();
      latch.count_down();
    });
  }
  latch.wait();
  group.wait();
  EXPECT_EQ(crowds, 0) << "a semaphore of two let more in";
}

void Runner::coroutines(const Children& children, Outcomes& outcomes) {
  auto one = [](Runner& self, const Node& node, Outcome& out) -> charm::task<> {
    co_await charm::schedule();
    out = self.outcome(node);
  };
  std::vector<charm::task<>> tasks;
  for (std::size_t c = 0; c < children.size(); ++c) tasks.push_back(one(*this, children[c], outcomes[c]));
  charm::sync_wait(charm::when_all(std::move(tasks)));
}

void Runner::detached(const Children& children, Outcomes& outcomes) {
  charm::latch latch(static_cast<std::ptrdiff_t>(children.size()));
  for (std::size_t c = 0; c < children.size(); ++c) {
    charm::run_detached([&, c] {
      outcomes[c] = outcome(children[c]);
      latch.count_down();
    });
  }
  latch.wait();
}

/// Waits that are over before what they wait for, again and again.
void Runner::timed(const Children& children, Outcomes& outcomes) {
  charm::channel<int> never;
  std::vector<charm::future<void>> futures;
  for (std::size_t c = 0; c < children.size(); ++c)
    futures.push_back(charm::async([&, c] { outcomes[c] = outcome(children[c]); }));
  const bool received = never.try_recv_for(10us).has_value();
  for (auto& future : futures) {
    while (!future.wait_for(50us)) {
    }
    future.get();
  }
  EXPECT_FALSE(received) << "a channel gave what nobody had sent";
}

/// Two rounds of a barrier: after each everybody has done its part of it.
void Runner::on_all_workers(const Children& children, Outcomes& outcomes) {
  const int workers = charm::num_workers();
  std::atomic<int> arrived{0};
  std::atomic<int> early{0};
  charm::all_do([&](int worker) {
    for (int round = 1; round <= 2; ++round) {
      ++arrived;
      charm::barrier();
      if (arrived < round * workers) ++early;
      charm::barrier();
    }
    for (auto c = static_cast<std::size_t>(worker); c < children.size(); c += static_cast<std::size_t>(workers))
      outcomes[c] = outcome(children[c]);
  });
  EXPECT_EQ(early, 0) << "a barrier let somebody go before all had come";
}

}  // namespace random_programs
