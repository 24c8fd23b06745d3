// Tasks that end only where the scheduler does what it should: an idle worker helps, a time limit is kept.
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "random_programs/runner.hpp"

namespace random_programs {

using namespace std::chrono_literals;

namespace {

void fork_until(std::chrono::steady_clock::time_point end) {
  std::atomic<int> sum{0};
  while (std::chrono::steady_clock::now() < end) {
    for (int i = 0; i < 64; ++i) charm::invoke([&] { ++sum; }, [&] { ++sum; });
  }
}

}  // namespace

void meet(int holders, Before before) {
  static std::atomic<bool> under_way{false};
  if (under_way.exchange(true)) return;
  std::atomic<bool> met{false};
  std::atomic<int> held{0};
  std::vector<charm::future<void>> others;
  const int here = charm::worker_id();
  for (int h = 0; h < holders; ++h) {
    const int there = (here + 1 + h) % charm::num_workers();
    others.push_back(charm::call_async(there, [&] {
      ++held;
      while (!met) std::this_thread::yield();
    }));
  }
  charm::call(here, [&] {  // stays on its worker, which none of the holders has
    while (held != holders) std::this_thread::yield();
    if (before == Before::asleep) std::this_thread::sleep_for(40ms);
    if (before == Before::forking) fork_until(std::chrono::steady_clock::now() + 40ms);
    charm::invoke(
        [&] {
          while (!met) std::this_thread::yield();
        },
        [&] { met = true; });
  });
  for (auto& other : others) other.get();
  under_way = false;
}

bool come_back(int worker) {
  return charm::call(worker, [] {
    std::atomic<bool> back{false};
    charm::future<void> other = charm::async([&] {
      while (!back) std::this_thread::yield();
    });
    const bool ended = other.wait_for(200us);
    back = true;
    other.get();
    return !ended;
  });
}

void meet_after_loan(int worker, int loans) {
  std::atomic<bool> begun{false};
  charm::future<void> meeting;
  charm::run([&] {
    charm::call(0, [&] {  // another worker may have stolen what calls this
      meeting = charm::call_async(worker, [&] {
        begun = true;
        meet(0, Before::at_once);
      });
      while (!begun) std::this_thread::yield();
    });
  });
  for (int i = 0; i < loans; ++i) charm::run([] {});
  meeting.get();
}

void spawn_for(int worker, int size, std::chrono::microseconds time) {
  charm::call(worker, [size, time] {
    const auto end = std::chrono::steady_clock::now() + time;
    std::atomic<int> sum{0};
    while (std::chrono::steady_clock::now() < end) {
      charm::task_group group;
      for (int i = 0; i < size; ++i) group.run([&] { ++sum; });
      group.wait();
    }
  });
}

int add_late(int tasks, std::uint64_t seed) {
  std::atomic<int> ran{0};
  charm::run([&] {
    charm::task_group group;
    std::atomic<bool> added{false};
    charm::future<void> adder = charm::async([&] {
      for (int i = 0; i < tasks; ++i) {
        group.run([&] { ++ran; });
        while (ran <= i) charm::yield();
        for (auto moment = mix(seed + static_cast<std::uint64_t>(i)) % 1500; moment > 0; --moment) asm volatile("");
      }
      added = true;
    });
    while (!added) {
      group.wait();
      charm::yield();
    }
    adder.get();
    group.wait();
  });
  return ran;
}

}  // namespace random_programs
