// Deterministic reductions: the same bits for any number of workers, and the sequential program's order.
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <rapidcheck.h>
#include <stdexcept>
#include <string>
#include <vector>

#include "algorithms/runtimes.hpp"

namespace {

double term(int i) { return std::sin(static_cast<double>(i)) * std::pow(10.0, i % 17 - 8); }

double sum_of_terms(int count, std::int64_t grain) {
  return charm::parallel_reduce(
      0, count, 0.0,
      [](int low, int high, double sum) {
        for (int i = low; i < high; ++i) {
          sum += term(i);
          if (i % 997 == 0) charm::yield();
        }
        return sum;
      },
      [](double a, double b) { return a + b; }, {.grain = grain, .deterministic = true});
}

/// The documented tree, written down sequentially.
double oracle(int low, int high, int leaf, int first_leaf, int last_leaf) {
  if (last_leaf - first_leaf == 1) {
    double sum = 0;
    for (int i = low + first_leaf * leaf; i < std::min(high, low + (first_leaf + 1) * leaf); ++i) sum += term(i);
    return sum;
  }
  int middle = first_leaf + (last_leaf - first_leaf) / 2;
  return oracle(low, high, leaf, first_leaf, middle) + oracle(low, high, leaf, middle, last_leaf);
}

TEST(DeterministicReduce, GivesTheSameBitsForAnyNumberOfWorkers) {
  for (int count : {1, 2, 1000, 4096, 4097, 50000}) {
    for (int grain : {0, 1, 7, 1000}) {
      const int leaf = grain > 0 ? grain : (count - 1) / 4096 + 1;
      const double expected = oracle(0, count, leaf, 0, (count + leaf - 1) / leaf);
      for (int workers : {1, 2, 3, 8}) {
        Running runtime(workers);
        for (int call = 0; call < 2; ++call) {
          ASSERT_EQ(std::bit_cast<std::uint64_t>(sum_of_terms(count, grain)), std::bit_cast<std::uint64_t>(expected))
              << count << " terms, grain " << grain << ", " << workers << " workers";
        }
      }
    }
  }
}

using Reduce = OnShapes;
INSTANTIATE_TEST_SUITE_P(Shapes, Reduce, shapes());

TEST_P(Reduce, KeepsTheOrderOfTheRange) {
  EXPECT_TRUE(rc::check("concatenation is associative and not commutative", [] {
    auto count = *rc::gen::inRange<int>(0, 2000);
    auto grain = *rc::gen::inRange<int>(0, 50);
    auto deterministic = *rc::gen::arbitrary<bool>();
    std::string expected;
    for (int i = 0; i < count; ++i) expected += std::to_string(i) + ",";
    auto text = charm::parallel_reduce(
        0, count, std::string(),
        [](int low, int high, std::string sum) {
          for (int i = low; i < high; ++i) sum += std::to_string(i) + ",";
          return sum;
        },
        [](std::string left, const std::string& right) { return std::move(left) + right; }, {grain, deterministic});
    RC_ASSERT(text == expected);
  }));
}

/// Also where nothing can be forked, so that requests are answered and cancellation is seen in between.
TEST_P(Reduce, BlocksHoldAtMostAGrain) {
  charm::run([] {
    charm::task_group group;
    for (std::int64_t i = 0; i < charm::detail::Deque::capacity + 10; ++i) group.run([] {});  // one worker: it is full
    for (const bool deterministic : {false, true}) {
      std::atomic<int> longest{0};
      const auto block = [&](int low, int high, int sum) {
        for (int seen = longest; seen < high - low && !longest.compare_exchange_weak(seen, high - low);) {
        }
        return sum + (high - low);
      };
      EXPECT_EQ(charm::parallel_reduce(0, 1000, 0, block, [](int a, int b) { return a + b; },
                                       {.grain = 10, .deterministic = deterministic}),
                1000);
      EXPECT_EQ(longest, 10);
    }
    group.wait();
  });
}

TEST_P(Reduce, ExceptionsOfBodyAndCombineLeaveIt) {
  for (bool deterministic : {false, true}) {
    for (int at : {0, 700, 1999}) {
      EXPECT_THROW(charm::parallel_reduce(
                       0, 2000, 0,
                       [&](int low, int high, int sum) {
                         if (low <= at && at < high) throw std::out_of_range("here");
                         return sum;
                       },
                       [](int a, int b) { return a + b; }, {3, deterministic}),
                   std::out_of_range);
    }
  }
  EXPECT_THROW(charm::parallel_reduce(
                   0, 2000, 0, [](int, int, int sum) { return sum; },
                   [](int, int) -> int { throw std::out_of_range("here"); }, {3, true}),
               std::out_of_range);
}

TEST_P(Reduce, RangesBeyondSixtyThreeBitsAreCovered) {
  constexpr std::uint64_t last = std::numeric_limits<std::uint64_t>::max();
  for (bool deterministic : {false, true}) {
    auto count = charm::parallel_reduce(
        std::uint64_t{0}, last, std::uint64_t{0},
        [](std::uint64_t low, std::uint64_t high, std::uint64_t sum) { return sum + (high - low); },
        [](std::uint64_t a, std::uint64_t b) { return a + b; },
        {.grain = std::int64_t{1} << 55, .deterministic = deterministic});
    EXPECT_EQ(count, last);
  }
  std::atomic<std::uint64_t> covered{0};
  charm::parallel_for(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(),
                      [&](std::int64_t low, std::int64_t high) {
                        covered += static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
                      },
                      {.grain = std::int64_t{1} << 55});  // one that it finds by itself may be short on a busy machine
  EXPECT_EQ(covered, last);
}

// What parallel_reduce refuses to compile: partial results that do not fit into the type of the identity.
static_assert(charm::detail::loses<int, double>());
static_assert(charm::detail::loses<std::int64_t, float>());
static_assert(charm::detail::loses<int, std::int64_t>());
static_assert(charm::detail::loses<float, double>());
static_assert(!charm::detail::loses<double, float>());
static_assert(!charm::detail::loses<double, std::int64_t>());
static_assert(!charm::detail::loses<short, int>());
static_assert(!charm::detail::loses<std::int64_t, int>());
static_assert(!charm::detail::loses<std::string, const char*>());

}  // namespace
