// What a task captures: it lies where its alignment wants it, and is gone when the task is done.
#include <charm/charm.hpp>
#include <charm/coroutine.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <latch>
#include <memory>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

#include "sched/running.hpp"

namespace {

/// As a compiler that knows the type would not ask: the address as a number.
[[gnu::noinline]] bool is_aligned(const void* address, std::size_t alignment) {
  asm volatile("" : "+r"(address));
  return reinterpret_cast<std::uintptr_t>(address) % alignment == 0;
}

template <std::size_t alignment>
struct alignas(alignment) Vector {
  std::array<double, alignment / 8> lanes{};
  [[nodiscard]] bool lies_well() const { return is_aligned(this, alignment); }
};

template <class V>
charm::task<V> give_back(V value) {
  co_await charm::schedule();
  co_return value;
}

template <class V>
void expect_well_laid() {
  std::atomic<int> wrong{0};
  std::latch detached(200);
  auto check = [&wrong, value = V{}] { wrong += value.lies_well() ? 0 : 1; };
  auto all_ways = [&] {
    charm::task_group group;
    for (int i = 0; i < 100; ++i) {
      group.run(check);
      charm::async(check).get();
      charm::call_async(0, check).get();
      charm::call_async(charm::num_workers() - 1, check).get();
      auto counted = [&detached, check] { check(), detached.count_down(); };
      charm::run_detached(counted);
    }
    group.wait();
  };
  charm::run(all_ways);
  all_ways();  // a thread outside takes its memory elsewhere
  detached.wait();
  EXPECT_EQ(wrong, 0) << "of captures aligned to " << alignof(V);
}

TEST(Captures, LieWhereTheirAlignmentWantsThem) {
  Running runtime(2);
  expect_well_laid<Vector<32>>();
  expect_well_laid<Vector<64>>();
  expect_well_laid<Vector<512>>();
}

TEST(Captures, ACoroutineMayReturnWhatIsAlignedWidely) {
  Running runtime(2);
  for (int i = 0; i < 100; ++i) {
    auto value = charm::sync_wait(give_back(Vector<64>{}));
    EXPECT_TRUE(value.lies_well());
  }
}

/// Tells when the last copy goes.
struct Witness {
  explicit Witness(std::atomic<int>& alive_count) : alive(&alive_count) { ++*alive; }
  Witness(const Witness& other) : alive(other.alive) { ++*alive; }
  ~Witness() { --*alive; }
  Witness& operator=(const Witness&) = delete;
  std::atomic<int>* alive;
};

TEST(Captures, AreGoneWhenTheFutureIsReady) {
  Running runtime(2);
  for (int i = 0; i < 300; ++i) {
    std::atomic<int> alive{0};
    std::atomic<bool> go{false};
    auto start = [&] {
      Witness witness(alive);
      return charm::async([witness, &go] {
        while (!go) charm::yield();
      });
    };
    charm::future<void> future = start();
    go = true;
    future.wait();
    EXPECT_EQ(alive, 0) << "the task is done, and its captures are not gone";
  }
}

struct BadCopy {
  BadCopy() = default;
  BadCopy(const BadCopy&) { throw std::runtime_error("no copy"); }
  BadCopy& operator=(const BadCopy&) = delete;
};

TEST(Captures, WhoseCopyThrowsStartNothing) {
  Running runtime(2);
  struct Function {
    BadCopy bad;
    Function() = default;
    void operator()() const {}
  };
  const Function function;
  auto all_ways = [&] {
    charm::task_group group;
    EXPECT_THROW(group.run(function), std::runtime_error);
    EXPECT_THROW(charm::async(function), std::runtime_error);
    EXPECT_THROW(charm::run_detached(function), std::runtime_error);
    EXPECT_THROW(charm::call_async(0, function), std::runtime_error);
    group.wait();  // for nothing
  };
  charm::run(all_ways);
  all_ways();
}

}  // namespace
