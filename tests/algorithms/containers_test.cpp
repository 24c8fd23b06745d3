// Whole containers, the stable sort, and loops over two dimensions.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "algorithms/runtimes.hpp"

namespace {

class Containers : public OnShapes {};
INSTANTIATE_TEST_SUITE_P(Shapes, Containers, shapes());

std::vector<int> random_numbers(std::size_t count, int below) {
  std::mt19937 random(static_cast<unsigned>(count));
  std::vector<int> numbers(count);
  for (int& number : numbers) number = static_cast<int>(random() % static_cast<unsigned>(below));
  return numbers;
}

TEST_P(Containers, AreReducedTransformedAndScanned) {
  const std::vector<int> numbers = random_numbers(100'000, 1000);
  const std::int64_t sum = std::accumulate(numbers.begin(), numbers.end(), std::int64_t{0});
  EXPECT_EQ(charm::parallel_reduce(numbers, std::int64_t{0}), sum);
  EXPECT_EQ(charm::parallel_reduce(numbers, std::int64_t{0}, std::plus<>(), {.deterministic = true}), sum);
  EXPECT_EQ(charm::parallel_reduce(numbers, 0, [](int a, int b) { return std::max(a, b); }),
            *std::max_element(numbers.begin(), numbers.end()));
  const std::array<std::string, 3> words{"a", "bc", "def"};
  EXPECT_EQ(charm::parallel_transform_reduce(words, std::size_t{0}, std::plus<>(), &std::string::size), 6U);
  std::deque<std::int64_t> squares(numbers.size());
  EXPECT_EQ(charm::parallel_transform(numbers, squares.begin(), [](int n) { return std::int64_t{n} * n; }),
            squares.end());
  EXPECT_EQ(squares[77], std::int64_t{numbers[77]} * numbers[77]);
  std::vector<std::int64_t> prefixes(numbers.size());
  const std::vector<std::int64_t> wide(numbers.begin(), numbers.end());
  charm::inclusive_scan(wide, prefixes.begin());
  EXPECT_EQ(prefixes.back(), sum);
  charm::exclusive_scan(wide, prefixes.begin(), std::int64_t{3});
  EXPECT_EQ(prefixes.front(), 3);
  EXPECT_EQ(prefixes.back(), sum + 3 - wide.back());
}

TEST_P(Containers, AreSorted) {
  std::vector<int> numbers = random_numbers(50'000, 1 << 20);
  std::vector<int> expected = numbers;
  std::sort(expected.begin(), expected.end());
  charm::sort(numbers);
  EXPECT_EQ(numbers, expected);
  charm::sort(numbers, std::greater<>());
  EXPECT_TRUE(std::is_sorted(numbers.rbegin(), numbers.rend()));
  int raw[5] = {3, 1, 2, 5, 4};
  charm::sort(raw);
  EXPECT_TRUE(std::is_sorted(raw, raw + 5));
  charm::sort(raw, raw + 5, std::greater<>());
  EXPECT_EQ(raw[0], 5);
}

TEST_P(Containers, StableSortKeepsTheOrderOfEquals) {
  for (const std::size_t count : {0U, 1U, 2U, 100U, 2049U, 10'000U, 200'000U}) {
    for (const int keys : {1, 7, 1'000'000}) {
      const std::vector<int> random = random_numbers(count, keys);
      std::vector<std::pair<int, std::size_t>> elements;
      for (std::size_t i = 0; i < count; ++i) elements.emplace_back(random[i], i);
      auto expected = elements;
      auto by_key = [](const auto& a, const auto& b) { return a.first < b.first; };
      std::sort(expected.begin(), expected.end());  // the second parts tell the order
      charm::stable_sort(elements, by_key);
      ASSERT_EQ(elements, expected) << count << " elements, " << keys << " keys";
    }
  }
}

TEST_P(Containers, StableSortMovesWhatCannotBeCopiedAndFreesWhatItMade) {
  std::vector<std::unique_ptr<int>> pointers;
  for (const int number : random_numbers(30'000, 100)) pointers.push_back(std::make_unique<int>(number));
  charm::stable_sort(pointers, [](const auto& a, const auto& b) { return *a < *b; });
  for (std::size_t i = 1; i < pointers.size(); ++i) ASSERT_LE(*pointers[i - 1], *pointers[i]);
  std::deque<std::string> words;
  for (const int number : random_numbers(20'000, 5000))
    words.push_back("a word of some length " + std::to_string(number));
  charm::stable_sort(words.begin(), words.end(), std::greater<>());
  EXPECT_TRUE(std::is_sorted(words.rbegin(), words.rend()));
}

TEST_P(Containers, StableSortPassesExceptionsAndCancellationOn) {
  std::vector<int> numbers = random_numbers(100'000, 1 << 20);
  std::atomic<int> calls{0};
  EXPECT_THROW(charm::stable_sort(numbers,
                                  [&](int a, int b) {
                                    if (++calls == 50'000) throw std::runtime_error("enough");
                                    return a < b;
                                  }),
               std::runtime_error);
  EXPECT_EQ(numbers.size(), 100'000U);
  charm::run([&] {
    charm::task_group group;
    std::atomic<bool> cancelled{false};
    group.run([&] {
      try {
        charm::stable_sort(numbers, [&](int a, int b) {
          group.cancel();
          return a < b;
        });
      } catch (const charm::Error& error) {
        cancelled = error.code() == charm::Errc::cancelled;
      }
    });
    group.wait();
    EXPECT_TRUE(cancelled);
  });
}

/// Counts the objects that live.
struct Living {
  static inline std::atomic<long> objects{0};
  int key = 0;
  explicit Living(int k) : key(k) { ++objects; }
  Living(Living&& other) noexcept : key(other.key) { ++objects; }
  Living& operator=(Living&& other) noexcept = default;
  ~Living() { --objects; }
};

TEST_P(Containers, ACancelledStableSortFreesAllItHasMoved) {
  charm::run([&] {
    for (int round = 0; round < 40; ++round) {
      std::vector<Living> elements;
      for (const int number : random_numbers(20'000, 1000)) elements.emplace_back(number);
      charm::task_group group;
      group.run([&] { charm::stable_sort(elements, [](const auto& a, const auto& b) { return a.key < b.key; }); });
      for (int i = 0; i < round; ++i) charm::yield();
      if (round % 2 == 0) charm::sleep_for(std::chrono::microseconds(round * 10));
      group.cancel();
      group.wait();
      ASSERT_EQ(Living::objects, 20'000);
    }
  });
  EXPECT_EQ(Living::objects, 0);
}

/// The group is cancelled by the move of an element, so at a moment when some are moved and others are not.
struct Cancels {
  static inline std::atomic<long> objects{0};
  static inline std::atomic<charm::task_group*> group{nullptr};
  int key = 0;
  Cancels() { ++objects; }
  Cancels(Cancels&& other) noexcept : key(other.key) {
    ++objects;
    if (charm::task_group* g = group.exchange(nullptr)) g->cancel();
  }
  Cancels& operator=(Cancels&& other) noexcept = default;
  ~Cancels() { --objects; }
};

TEST_P(Containers, AStableSortThatIsCancelledWhileItMovesElementsOutFreesThem) {
  charm::run([&] {
    std::vector<Cancels> elements(50'000);
    charm::task_group group;
    Cancels::group = &group;
    bool cancelled = false;
    group.run([&] {
      try {
        charm::stable_sort(elements, [](const auto& a, const auto& b) { return a.key < b.key; });
      } catch (const charm::Error& error) {
        cancelled = error.code() == charm::Errc::cancelled;
        throw;
      }
    });
    group.wait();
    EXPECT_TRUE(cancelled);
    EXPECT_EQ(Cancels::objects, 50'000);
  });
}

TEST_P(Containers, TwoDimensionsAreCoveredOnce) {
  struct Shape {
    std::int64_t rows, columns;
  };
  for (const Shape shape : {Shape{1, 1}, {1, 1000}, {1000, 1}, {129, 63}, {200, 300}}) {
    for (const charm::TileOptions& options : {charm::TileOptions{},
                                              {.rows = 1, .columns = 1},
                                              {.rows = 17, .columns = 5},
                                              {.rows = 1000, .columns = 0, .schedule = charm::Schedule::dynamic}}) {
      std::vector<std::atomic<int>> seen(static_cast<std::size_t>(shape.rows * shape.columns));
      const charm::range2d range{-5, shape.rows - 5, 7, shape.columns + 7};
      auto mark = [&](std::int64_t row, std::int64_t column) {
        ++seen[static_cast<std::size_t>((row + 5) * shape.columns + column - 7)];
      };
      charm::parallel_for(range, mark, options);
      charm::parallel_for(
          range,
          [&](const charm::range2d& tile) {
            EXPECT_LE(tile.rows(), options.rows > 0 ? options.rows : 64);
            EXPECT_LE(tile.columns(), options.columns > 0 ? options.columns : 64);
            for (std::int64_t row = tile.first_row; row < tile.last_row; ++row) {
              for (std::int64_t column = tile.first_column; column < tile.last_column; ++column) mark(row, column);
            }
          },
          options);
      EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](const auto& times) { return times == 2; }));
    }
  }
  auto never = [](std::int64_t, std::int64_t) { ADD_FAILURE(); };
  charm::parallel_for(charm::range2d{0, 0, 0, 5}, never);
  charm::parallel_for(charm::range2d{0, 5, 3, 3}, never);
  constexpr std::int64_t end = INT64_MAX;
  EXPECT_THROW(charm::parallel_for(charm::range2d{0, end, 0, end}, never), charm::Error);
}

TEST(Tiles, AreSmallEnoughForEveryWorkerToHaveSome) {
  for (const int workers : {1, 2, 64}) {
    const charm::detail::Tiles tiles = charm::detail::tiles_of({0, 256, 0, 256}, {}, workers);
    EXPECT_GE(tiles.down() * tiles.across(), 8 * workers) << workers;
  }
}

}  // namespace
