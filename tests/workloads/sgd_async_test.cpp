// std::async as a runtime: what the concept of executors promises, kept by threads that nobody manages.
#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "workloads/sgd/async.hpp"

namespace charm::workloads::testing {
namespace {

TEST(AsyncExecutor, RunsEachBlockOnceInAThreadOfItsOwnAndNoTwoBodiesWithOneNumber) {
  constexpr Index blocks = 100, grain = 3;
  AsyncExecutor e(2);
  std::vector<std::atomic<int>> runs(blocks * grain);
  std::array<std::atomic<int>, 2> bodies{};
  std::mutex mutex;
  std::vector<std::thread::id> of_blocks;
  std::atomic<bool> shared = false;
  e.parallel_for(0, blocks * grain, grain, [&](Index lo, Index hi) {
    auto& mine = bodies.at(static_cast<std::size_t>(e.worker()));
    if (++mine != 1) shared = true;
    for (Index i = lo; i < hi; ++i) ++runs[static_cast<std::size_t>(i)];
    std::this_thread::yield();
    --mine;
    const std::lock_guard lock(mutex);
    of_blocks.push_back(std::this_thread::get_id());
  });
  EXPECT_FALSE(shared);
  for (const auto& each : runs) EXPECT_EQ(each, 1);
  EXPECT_EQ(of_blocks.size(), 100U);
  EXPECT_EQ(std::count(of_blocks.begin(), of_blocks.end(), std::this_thread::get_id()), 0);
  const auto sum = [](Index lo, Index hi, Index total) {
    for (Index i = lo; i < hi; ++i) total += i;
    return total;
  };
  EXPECT_EQ(e.parallel_reduce(0, 1000, 7, Index{0}, sum, [](Index a, Index b) { return a + b; }), 499500);
  EXPECT_THROW(e.parallel_for(0, 10, 1, [](Index, Index) { throw std::runtime_error("a body"); }), std::runtime_error);
  e.parallel_for(0, 10, 1, [&](Index, Index) { EXPECT_LT(e.worker(), 2); });  // the numbers came back
}

}  // namespace
}  // namespace charm::workloads::testing
