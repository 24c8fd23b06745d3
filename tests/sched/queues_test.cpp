#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "sched/run/inbox.hpp"
#include "sched/run/ready_queue.hpp"

using charm::sched::Inbox;
using charm::sched::ListedJob;
using charm::sched::LockedQueue;
using charm::sched::ReadyQueue;

namespace {

struct Numbered : ListedJob {
  Numbered() : ListedJob(nullptr) {}
  int from = 0;
  int number = 0;
  std::atomic<int> taken{0};
};

TEST(ReadyQueue, IsFirstInFirstOutBeyondItsRing) {
  ReadyQueue queue;
  std::vector<Numbered> jobs(1000);
  for (auto& job : jobs) queue.push(&job);
  for (auto& job : jobs) ASSERT_EQ(queue.pop(), &job);
  EXPECT_EQ(queue.pop(), nullptr);
  EXPECT_TRUE(queue.empty());
}

TEST(ReadyQueue, ManyTakersShareWhatTheOwnerPushes) {
  ReadyQueue queue;
  std::vector<Numbered> jobs(50000);
  std::atomic<int> left{static_cast<int>(jobs.size())};
  std::vector<std::thread> takers;
  for (int t = 0; t < 3; ++t) {
    takers.emplace_back([&] {
      while (left.load() > 0) {
        if (auto* job = static_cast<Numbered*>(queue.pop())) {
          job->taken.fetch_add(1);
          left.fetch_sub(1);
        }
      }
    });
  }
  for (auto& job : jobs) queue.push(&job);
  for (auto& taker : takers) taker.join();
  EXPECT_EQ(std::count_if(jobs.begin(), jobs.end(), [](const Numbered& j) { return j.taken != 1; }), 0);
}

TEST(Inbox, KeepsTheOrderOfEverySender) {
  Inbox inbox;
  constexpr int senders = 3;
  constexpr int each = 20000;
  std::vector<std::vector<Numbered>> jobs(senders);
  std::vector<std::thread> threads;
  for (int s = 0; s < senders; ++s) {
    jobs[static_cast<std::size_t>(s)] = std::vector<Numbered>(each);
    threads.emplace_back([&, s] {
      for (int i = 0; i < each; ++i) {
        Numbered& job = jobs[static_cast<std::size_t>(s)][static_cast<std::size_t>(i)];
        job.from = s;
        job.number = i;
        inbox.push(&job);
      }
    });
  }
  std::vector<int> next(senders, 0);
  for (int got = 0; got < senders * each;) {
    auto* job = static_cast<Numbered*>(inbox.pop());
    if (job == nullptr) continue;
    ASSERT_EQ(job->number, next[static_cast<std::size_t>(job->from)]++);
    ++got;
  }
  for (auto& thread : threads) thread.join();
  EXPECT_TRUE(inbox.empty());
}

TEST(LockedQueue, IsFirstInFirstOut) {
  LockedQueue queue;
  Numbered jobs[3];
  for (auto& job : jobs) queue.push(&job);
  for (auto& job : jobs) EXPECT_EQ(queue.pop(), &job);
  EXPECT_TRUE(queue.empty());
  queue.push(&jobs[1]);
  EXPECT_EQ(queue.pop(), &jobs[1]);
}

}  // namespace
