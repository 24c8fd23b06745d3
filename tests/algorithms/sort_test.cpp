// Sorting: the result is std::sort's, for all kinds of input and element; after an exception it is a permutation.
#include <algorithm>
#include <atomic>
#include <deque>
#include <memory>
#include <random>
#include <rapidcheck.h>
#include <stdexcept>
#include <string>
#include <vector>

#include "algorithms/runtimes.hpp"
#include "thorough.hpp"

namespace {

using Sort = OnShapes;
INSTANTIATE_TEST_SUITE_P(Shapes, Sort, shapes());

/// Inputs of the shapes that sorts are known to stumble over.
std::vector<int> input(const std::string& kind, std::size_t count, std::uint32_t seed = 1) {
  std::mt19937 random(seed);
  std::vector<int> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto at = static_cast<int>(i);
    const auto size = static_cast<int>(count);
    if (kind == "random") values[i] = static_cast<int>(random());
    if (kind == "few") values[i] = static_cast<int>(random() % 4);
    if (kind == "equal") values[i] = 7;
    if (kind == "sorted") values[i] = at;
    if (kind == "nearly") values[i] = random() % 100 == 0 ? static_cast<int>(random() % count) : at;
    if (kind == "reversed") values[i] = size - at;
    if (kind == "organ pipe") values[i] = std::min(at, size - at);
    if (kind == "saw") values[i] = at % 1000;
    if (kind == "two runs") values[i] = at < size / 2 ? at : at - size / 2;
  }
  return values;
}
const std::vector<std::string> kinds{"random",   "few",        "equal", "sorted",  "nearly",
                                     "reversed", "organ pipe", "saw",   "two runs"};

/// Enough for several strips of a partition, and for tens of leaves where elements are dear; more where all is tried.
std::size_t many_elements() { return charm::tests::thorough() ? 400'000 : 120'000; }
std::size_t some_elements() { return charm::tests::thorough() ? 100'000 : 20'000; }

TEST_P(Sort, SortsNumbers) {
  for (const std::string& kind : kinds) {
    for (std::size_t count : std::initializer_list<std::size_t>{0, 1, 2, 3, 24, 25, 130, 2049, 5000, many_elements()}) {
      std::vector<int> values = input(kind, count);
      std::vector<int> expected = values;
      std::sort(expected.begin(), expected.end());
      charm::sort(values.begin(), values.end());
      ASSERT_EQ(values, expected) << count << " " << kind;
      std::reverse(expected.begin(), expected.end());
      charm::run([&] { charm::sort(values.begin(), values.end(), std::greater<>()); });
      ASSERT_EQ(values, expected) << count << " " << kind << ", downward";
    }
  }
}

TEST_P(Sort, SortsAnyVector) {
  EXPECT_TRUE(rc::check([](std::vector<std::uint8_t> values) {
    std::vector<std::uint8_t> expected = values;
    std::sort(expected.begin(), expected.end());
    charm::sort(values.begin(), values.end());
    RC_ASSERT(values == expected);
  }));
}

TEST_P(Sort, SortsStrings) {
  for (const std::string& kind : kinds) {
    std::vector<std::string> values;
    for (int value : input(kind, some_elements())) values.push_back("a common prefix, then " + std::to_string(value));
    std::vector<std::string> expected = values;
    std::sort(expected.begin(), expected.end());
    charm::sort(values.begin(), values.end());
    ASSERT_EQ(values, expected) << kind;
  }
}

TEST_P(Sort, SortsWhatCanOnlyBeMoved) {
  for (const std::string& kind : kinds) {
    std::vector<std::unique_ptr<int>> values;
    for (int value : input(kind, some_elements())) values.push_back(std::make_unique<int>(value));
    charm::sort(values.begin(), values.end(), [](const auto& a, const auto& b) { return *a < *b; });
    std::vector<int> sorted;
    for (const auto& value : values) sorted.push_back(*value);
    std::vector<int> expected = input(kind, some_elements());
    std::sort(expected.begin(), expected.end());
    ASSERT_EQ(sorted, expected) << kind;
  }
}

TEST_P(Sort, SortsByAnyIteratorAndComparison) {
  std::deque<std::pair<double, int>> values;
  for (int value : input("random", 50'000)) values.emplace_back(value / 3.0, value % 10);
  std::deque<std::pair<double, int>> expected = values;
  auto less = [](const auto& a, const auto& b) { return std::tie(a.second, a.first) < std::tie(b.second, b.first); };
  std::sort(expected.begin(), expected.end(), less);
  charm::sort(values.begin(), values.end(), less);
  EXPECT_EQ(values, expected);
  auto array = std::make_unique<int[]>(1000);
  charm::sort(array.get(), array.get() + 1000);
}

/// Throws at its n-th comparison.
struct Fragile {
  std::atomic<long>& left;
  template <class T>
  bool operator()(const T& a, const T& b) const {
    if (left.fetch_sub(1, std::memory_order_relaxed) == 1) throw std::runtime_error("comparison");
    return a < b;
  }
};

TEST_P(Sort, AComparisonThatThrowsLeavesAPermutation) {
  EXPECT_TRUE(rc::check("of numbers and of strings, wherever it throws", [] {
    auto kind = *rc::gen::elementOf(kinds);
    auto count = *rc::gen::inRange<std::size_t>(30, many_elements() / 2);
    auto comparisons = *rc::gen::inRange<long>(1, static_cast<long>(count));
    auto seed = *rc::gen::arbitrary<std::uint32_t>();
    const std::vector<int> numbers = input(kind, count, seed);
    auto check = [&](auto values) {
      auto expected = values;
      std::sort(expected.begin(), expected.end());
      std::atomic<long> left{comparisons};
      bool threw = false;
      try {
        charm::sort(values.begin(), values.end(), Fragile{left});
      } catch (const std::runtime_error&) {
        threw = true;
      }
      RC_ASSERT(threw == (left <= 0));
      std::sort(values.begin(), values.end());
      RC_ASSERT(values == expected);
    };
    check(numbers);
    std::vector<std::string> strings;
    for (std::size_t i = 0; i < count; i += 16)
      strings.push_back("a string that lies on the heap " + std::to_string(numbers[i]));
    check(strings);
  }));
}

TEST_P(Sort, IsStoppedWithItsGroup) {
  charm::run([] {
    std::vector<int> values = input("random", 500'000);
    std::vector<int> expected = values;
    std::atomic<long> comparisons{0};
    charm::task_group group;
    bool told = false;
    group.run([&] {
      try {
        charm::sort(values.begin(), values.end(), [&](int a, int b) {
          if (++comparisons == 600'000) group.cancel();
          return a < b;
        });
      } catch (const charm::Error& error) {
        told = error.code() == charm::Errc::cancelled;
      }
    });
    group.wait();
    EXPECT_TRUE(told);
    std::sort(values.begin(), values.end());
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(values, expected);
  });
}

TEST(SortLeaf, HeapsortIsThereForTheWorstCase) {
  for (std::size_t count : {0, 1, 2, 3, 10, 999, 1000}) {
    std::vector<int> values = input("random", count);
    std::vector<int> expected = values;
    std::sort(expected.begin(), expected.end());
    std::less<> less;
    charm::detail::sorting::intro_sort(values.begin(), values.end(), less, 0, false);
    EXPECT_EQ(values, expected);
  }
}

}  // namespace
