// The split deque by itself: its owner, its thieves, requests and exposure.
#include <charm/detail/deque.hpp>

#include <algorithm>
#include <atomic>
#include <deque>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "os/threads/membarrier.hpp"

using charm::detail::Deque;
using charm::detail::Job;

namespace {

struct Counted : Job {
  Counted() : Job([](Job*) noexcept {}) {}
  std::atomic<int> taken{0};
};

Job* steal(Deque& deque) { return deque.steal().job; }

Job* pop(Deque& deque) { return deque.empty() ? nullptr : deque.pop_any().job; }

TEST(Deque, TheOwnerGetsItsJobsBackNewestFirst) {
  Deque deque;
  Counted jobs[3];
  for (auto& job : jobs) deque.push(&job);
  for (int i = 2; i >= 0; --i) EXPECT_EQ(pop(deque), &jobs[i]);
  EXPECT_EQ(pop(deque), nullptr);
  EXPECT_TRUE(deque.empty());
}

TEST(Deque, ThievesSeeOnlyWhatIsPublished) {
  Deque deque;
  Counted jobs[4];
  for (auto& job : jobs) deque.push(&job);
  EXPECT_EQ(steal(deque), nullptr);
  EXPECT_TRUE(deque.has_private());
  EXPECT_EQ(deque.publish(), 2);
  EXPECT_EQ(steal(deque), &jobs[0]) << "thieves take the oldest";
  EXPECT_EQ(steal(deque), &jobs[1]);
  EXPECT_EQ(steal(deque), nullptr);
  EXPECT_EQ(pop(deque), &jobs[3]);
  EXPECT_EQ(pop(deque), &jobs[2]);
  EXPECT_EQ(pop(deque), nullptr);
}

TEST(Deque, TheOwnerTakesBackWhatItPublished) {
  Deque deque;
  Counted jobs[5];
  for (auto& job : jobs) deque.push(&job);
  while (deque.publish() < 5) {
  }
  for (int i = 4; i >= 0; --i) EXPECT_EQ(pop(deque), &jobs[i]);
  EXPECT_EQ(pop(deque), nullptr);
  EXPECT_EQ(deque.push(&jobs[0]), 1) << "the last public job is taken as by a thief: its index is used up";
  EXPECT_EQ(pop(deque), &jobs[0]);
}

TEST(Deque, ExposureNeedsNoHelpFromTheOwner) {
  if (!charm::os::register_heavy_barrier()) GTEST_SKIP() << "no membarrier(2) here";
  Deque deque;
  Counted jobs[10];
  for (auto& job : jobs) deque.push(&job);
  EXPECT_EQ(deque.expose(), 10);
  for (auto& job : jobs) EXPECT_EQ(steal(deque), &job);
  EXPECT_EQ(pop(deque), nullptr);
}

TEST(Deque, AFullDequeRefusesAndKeepsWhatItHas) {
  Deque deque;
  std::vector<Counted> jobs(Deque::capacity + 1);
  std::int64_t held = 0;
  while (deque.push(&jobs[static_cast<std::size_t>(held)]) != Deque::full) ++held;
  EXPECT_GE(held, Deque::capacity - 1);
  for (std::int64_t i = held - 1; i >= 0; --i) ASSERT_EQ(pop(deque), &jobs[static_cast<std::size_t>(i)]);
  EXPECT_EQ(pop(deque), nullptr);
}

TEST(Deque, ARequestIsServedByTheNextPushOrAnswer) {
  if (!charm::os::register_heavy_barrier()) GTEST_SKIP() << "no membarrier(2) here: every push is published";
  Deque deque;
  Counted jobs[3];
  deque.push(&jobs[0]);
  deque.poke();
  deque.push(&jobs[1]);
  EXPECT_EQ(deque.public_count(), 1);
  deque.push(&jobs[2]);
  EXPECT_EQ(deque.public_count(), 1) << "a request is served once";
  deque.answer();
  EXPECT_EQ(deque.public_count(), 1) << "nobody asked";
  deque.poke();
  deque.answer();
  EXPECT_EQ(deque.public_count(), 2);
}

TEST(Deque, FlatJobsAreStolenByTheHalf) {
  Deque deque;
  Counted jobs[8];
  for (auto& job : jobs) deque.push(&job, true);
  while (deque.publish() < 8) {
  }
  Job* taken[64];
  ASSERT_EQ(deque.steal_flat(taken, 64), 4);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(taken[i], &jobs[i]);
  ASSERT_EQ(deque.steal_flat(taken, 1), 1);
  Counted subtree;
  deque.push(&subtree);
  while (deque.publish() < 4) {
  }
  EXPECT_EQ(deque.steal_flat(taken, 64), 2);
  EXPECT_EQ(deque.steal_flat(taken, 64), 1);
  EXPECT_EQ(deque.steal_flat(taken, 64), 0) << "a forked job is not taken with others";
  EXPECT_EQ(steal(deque), &subtree);
}

TEST(Deque, WhatIsTakenSaysHowItWasPushed) {
  Deque deque;
  Counted jobs[4];
  for (int i = 0; i < 4; ++i) deque.push(&jobs[i], i % 2 == 0);
  deque.publish();
  const Deque::Taken first = deque.steal();
  EXPECT_EQ(first.job, &jobs[0]);
  EXPECT_TRUE(first.flat);
  EXPECT_FALSE(deque.steal().flat);
  EXPECT_FALSE(deque.pop_any().flat);
  EXPECT_TRUE(deque.pop_any().flat);
  const Deque::Taken none = deque.steal();
  EXPECT_EQ(none.job, nullptr);
  EXPECT_FALSE(none.lost) << "nobody was faster";
}

TEST(Deque, AJobUnderOthersIsNotTakenBack) {
  Deque deque;
  Counted jobs[2];
  std::int64_t first = deque.push(&jobs[0]);
  std::int64_t second = deque.push(&jobs[1]);
  EXPECT_FALSE(deque.take_back(first, &jobs[0]));
  EXPECT_TRUE(deque.take_back(second, &jobs[1]));
  EXPECT_TRUE(deque.take_back(first, &jobs[0]));
  EXPECT_FALSE(deque.take_back(first, &jobs[0]));
}

/// A single thread plays owner and thief in random order against a model.
TEST(Deque, AgreesWithAModel) {
  charm::os::register_heavy_barrier();
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    Deque deque;
    std::deque<Counted*> model;
    std::vector<Counted> jobs(400);
    std::size_t next = 0;
    while (next < jobs.size()) {
      switch (random() % 8) {
        case 0:
        case 1:
        case 2:
          deque.push(&jobs[next]);
          model.push_back(&jobs[next++]);
          break;
        case 3:
        case 4: {
          Job* job = pop(deque);
          ASSERT_EQ(job, model.empty() ? nullptr : model.back());
          if (job != nullptr) model.pop_back();
          break;
        }
        case 5: {
          std::int64_t visible = deque.public_count();
          Job* job = steal(deque);
          ASSERT_EQ(job != nullptr, visible > 0);
          if (job != nullptr) {
            ASSERT_EQ(job, model.front());
            model.pop_front();
          }
          break;
        }
        case 6:
          deque.publish();
          break;
        default:
          deque.expose();
      }
    }
    while (Job* job = pop(deque)) {
      ASSERT_EQ(job, model.back());
      model.pop_back();
    }
    ASSERT_TRUE(model.empty());
  }
}

/// Every job is taken exactly once, whatever owner and thieves do at the same time.
TEST(DequeStress, NoJobIsLostOrTakenTwice) {
  charm::os::register_heavy_barrier();
  constexpr int count = 60000;
  constexpr int thieves = 3;
  for (unsigned seed = 1; seed <= 3; ++seed) {
    Deque deque;
    std::vector<Counted> jobs(count);
    std::atomic<bool> over{false};
    std::vector<std::thread> threads;
    for (int t = 0; t < thieves; ++t) {
      threads.emplace_back([&, t] {
        std::mt19937 random(seed * 100 + static_cast<unsigned>(t));
        while (!over.load(std::memory_order_acquire)) {
          switch (random() % 8) {
            case 0:
              deque.expose();
              break;
            case 1:
              deque.poke();
              break;
            case 2: {
              Job* taken[64];
              std::int64_t n = deque.steal_flat(taken, 64);
              for (std::int64_t i = 0; i < n; ++i) static_cast<Counted*>(taken[i])->taken.fetch_add(1);
              break;
            }
            case 3:
              std::this_thread::yield();
              break;
            default:
              if (Job* job = steal(deque)) static_cast<Counted*>(job)->taken.fetch_add(1);
          }
        }
      });
    }
    std::mt19937 random(seed);
    int next = 0;
    while (next < count) {
      for (unsigned burst = random() % 20; burst > 0 && next < count; --burst) {
        Counted& job = jobs[static_cast<std::size_t>(next)];
        if (deque.push(&job, random() % 2 == 0) == Deque::full) job.taken.fetch_add(1);
        ++next;
        if (random() % 16 == 0) deque.publish();
      }
      for (unsigned burst = random() % 20; burst > 0; --burst) {
        if (Job* job = pop(deque)) static_cast<Counted*>(job)->taken.fetch_add(1);
      }
      if (random() % 64 == 0) std::this_thread::yield();
    }
    while (Job* job = pop(deque)) static_cast<Counted*>(job)->taken.fetch_add(1);
    over.store(true, std::memory_order_release);
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(std::count_if(jobs.begin(), jobs.end(), [](const Counted& j) { return j.taken != 1; }), 0);
  }
}

}  // namespace
