// Searches: the first element, and whether any, all or none are such.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "algorithms/runtimes.hpp"

namespace {

using Find = OnShapes;
INSTANTIATE_TEST_SUITE_P(Shapes, Find, shapes());

TEST_P(Find, FindsTheFirstWhereverItIs) {
  std::mt19937 random(7);
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{63}, std::size_t{1000}, std::size_t{100'000}}) {
    for (int round = 0; round < 30; ++round) {
      std::vector<int> values(size, 0);
      for (int marks = round % 4; marks > 0 && size > 0; --marks) values[random() % size] = 1;
      EXPECT_EQ(charm::parallel_find(values, 1), std::find(values.begin(), values.end(), 1)) << size;
      const auto is_one = [](int x) { return x == 1; };
      EXPECT_EQ(charm::parallel_find_if(values.begin(), values.end(), is_one, {.grain = 7}),
                std::find_if(values.begin(), values.end(), is_one));
      EXPECT_EQ(charm::any_of(values, is_one), std::any_of(values.begin(), values.end(), is_one));
      EXPECT_EQ(charm::none_of(values, is_one), std::none_of(values.begin(), values.end(), is_one));
      const auto is_zero = [](int x) { return x == 0; };
      EXPECT_EQ(charm::all_of(values, is_zero), std::all_of(values.begin(), values.end(), is_zero));
    }
  }
}

TEST_P(Find, TakesWhatStdTakes) {
  std::deque<std::string> words(5000, "a");
  words[4321] = "wanted";
  EXPECT_EQ(charm::parallel_find(words, "wanted") - words.begin(), 4321);
  EXPECT_TRUE(charm::any_of(words, &std::string::empty) == false);
  const std::array<int, 4> numbers{1, 2, 3, 4};
  EXPECT_EQ(charm::parallel_find(numbers, 3), numbers.begin() + 2);
  EXPECT_TRUE(charm::all_of(std::span(numbers).first(3), [](int x) { return x < 4; }));
  std::vector<bool> bits(10'000);
  bits[9'999] = true;
  EXPECT_EQ(charm::parallel_find(bits, true) - bits.begin(), 9'999);
}

/// An early find makes most of the range superfluous.
TEST_P(Find, LooksAtLittleBehindAnEarlyFind) {
  std::vector<int> values(1'000'000, 0);
  for (const std::int64_t at : {3000, 10}) {
    values[static_cast<std::size_t>(at)] = 1;
    std::atomic<const int*> furthest{values.data()};
    const auto found = charm::parallel_find_if(values.begin(), values.end(), [&](const int& x) {
      for (int i = 0; i < 500; ++i) asm volatile("");  // long enough for the others to come
      for (const int* known = furthest; &x > known && !furthest.compare_exchange_weak(known, &x);) {
      }
      return x == 1;
    });
    EXPECT_EQ(found - values.begin(), at);
    EXPECT_LE(furthest - values.data(), 4 * at + std::int64_t{64} * charm::num_workers());
  }
}

TEST_P(Find, PassesExceptionsAndCancellationOn) {
  std::vector<int> values(100'000, 0);
  EXPECT_THROW(static_cast<void>(charm::any_of(values, [](int) -> bool { throw std::runtime_error("no"); })),
               std::runtime_error);
  charm::run([&] {
    charm::task_group group;
    std::atomic<int> cancelled{0};
    group.run([&] {
      try {
        static_cast<void>(charm::any_of(values, [&](int) {
          group.cancel();
          return false;
        }));
      } catch (const charm::Error& error) {
        cancelled += error.code() == charm::Errc::cancelled;
        throw;
      }
    });
    group.wait();
    EXPECT_EQ(cancelled, 1);
  });
}

TEST(FindOutside, NeedsARuntime) {
  std::vector<int> values(100, 0);
  EXPECT_THROW(static_cast<void>(charm::parallel_find(values, 1)), charm::Error);
}

}  // namespace
