// std::atomic that gives the core away before an operation now and then, so that two cores see interleavings which time
// slices hardly ever give. Included before anything else (-include): what the scheduler's sources and headers then call
// std::atomic is this. All headers of the standard library that use atomics themselves come first and keep the real
// one.
#pragma once

#include <algorithm>
#include <atomic>
#include <barrier>
#include <condition_variable>
#include <deque>
#include <exception>
#include <fstream>
#include <functional>
#include <future>
#include <iostream>
#include <latch>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <sched.h>
#include <semaphore>
#include <shared_mutex>
#include <sstream>
#include <stop_token>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>
#if defined(CHARM_YIELDING_TESTS)
#include <gtest/gtest.h>
#endif

namespace charm::yielding {

/// Not inlined: a task may be on another thread after a suspension, and must not use the old one's numbers.
[[gnu::noinline]] inline void perhaps() noexcept {
  static thread_local std::uint32_t random =
      static_cast<std::uint32_t>(std::hash<std::thread::id>()(std::this_thread::get_id())) | 1U;
  random ^= random << 13;
  random ^= random >> 17;
  random ^= random << 5;
  if (random % 64 == 0) sched_yield();
}

template <class T>
class Atomic {
 public:
  using value_type = T;
  static constexpr bool is_always_lock_free = std::atomic<T>::is_always_lock_free;
  using Order = std::memory_order;
  static constexpr Order strict = std::memory_order_seq_cst;

  constexpr Atomic() noexcept = default;
  constexpr Atomic(T value) noexcept : value_(value) {}  // NOLINT: converts, as the real one
  Atomic(const Atomic&) = delete;
  Atomic& operator=(const Atomic&) = delete;

  T load(Order order = strict) const noexcept { return perhaps(), value_.load(order); }
  void store(T value, Order order = strict) noexcept { perhaps(), value_.store(value, order); }
  T exchange(T value, Order order = strict) noexcept { return perhaps(), value_.exchange(value, order); }
  bool compare_exchange_weak(T& expected, T value, Order order = strict) noexcept {
    return perhaps(), value_.compare_exchange_weak(expected, value, order);
  }
  bool compare_exchange_weak(T& expected, T value, Order good, Order bad) noexcept {
    return perhaps(), value_.compare_exchange_weak(expected, value, good, bad);
  }
  bool compare_exchange_strong(T& expected, T value, Order order = strict) noexcept {
    return perhaps(), value_.compare_exchange_strong(expected, value, order);
  }
  bool compare_exchange_strong(T& expected, T value, Order good, Order bad) noexcept {
    return perhaps(), value_.compare_exchange_strong(expected, value, good, bad);
  }
  template <class D>
  T fetch_add(D by, Order order = strict) noexcept {
    return perhaps(), value_.fetch_add(by, order);
  }
  template <class D>
  T fetch_sub(D by, Order order = strict) noexcept {
    return perhaps(), value_.fetch_sub(by, order);
  }
  T fetch_or(T bits, Order order = strict) noexcept { return perhaps(), value_.fetch_or(bits, order); }
  T fetch_and(T bits, Order order = strict) noexcept { return perhaps(), value_.fetch_and(bits, order); }
  T fetch_xor(T bits, Order order = strict) noexcept { return perhaps(), value_.fetch_xor(bits, order); }

  operator T() const noexcept { return load(); }                 // NOLINT: converts, as the real one
  T operator=(T value) noexcept { return store(value), value; }  // NOLINT: returns what the real one returns
  T operator++() noexcept { return fetch_add(1) + 1; }
  T operator--() noexcept { return fetch_sub(1) - 1; }
  T operator++(int) noexcept { return fetch_add(1); }
  T operator--(int) noexcept { return fetch_sub(1); }
  T operator+=(T by) noexcept { return fetch_add(by) + by; }
  T operator-=(T by) noexcept { return fetch_sub(by) - by; }

 private:
  std::atomic<T> value_{};
};

}  // namespace charm::yielding

namespace std {  // NOLINT: where the sources look for it
template <class T>
using charm_yielding_atomic = charm::yielding::Atomic<T>;
}
#define atomic charm_yielding_atomic
