// Loops whose function adds elements.
#include <atomic>
#include <list>
#include <memory>
#include <set>
#include <stdexcept>
#include <vector>

#include "algorithms/runtimes.hpp"

namespace {

using Feeder = OnShapes;
INSTANTIATE_TEST_SUITE_P(Shapes, Feeder, shapes());

TEST_P(Feeder, VisitsWhatIsAddedToAnyDepth) {
  std::atomic<int> visited{0};
  charm::parallel_for_each(std::vector<int>{10, 11}, [&](int depth, charm::feeder<int>& more) {
    ++visited;
    if (depth == 0) return;
    more.add(depth - 1);
    more.add(depth - 1);
  });
  EXPECT_EQ(visited, (1 << 11) - 1 + (1 << 12) - 1);
  visited = 0;
  const std::list<long> chain{100'000, 3};  // one after the other; a range without random access
  charm::parallel_for_each(chain, [&](long left, charm::feeder<long>& more) {
    ++visited;
    if (left > 0) more.add(left - 1);
  });
  EXPECT_EQ(visited, 100'001 + 4);
  charm::parallel_for_each(std::vector<int>(), [&](int, charm::feeder<int>&) { visited = 0; });
  EXPECT_NE(visited, 0);
}

TEST_P(Feeder, TakesElementsThatCanOnlyBeMoved) {
  std::vector<std::unique_ptr<int>> first;
  for (int i = 0; i < 100; ++i) first.push_back(std::make_unique<int>(3));
  std::atomic<int> sum{0};
  charm::parallel_for_each(first, [&](std::unique_ptr<int>& item, charm::feeder<std::unique_ptr<int>>& more) {
    sum += *item;
    if (*item > 0) more.add(std::make_unique<int>(*item - 1));
  });
  EXPECT_EQ(sum, 100 * (3 + 2 + 1));
  EXPECT_EQ(*first[99], 3);  // the elements of the range themselves, not copies
}

TEST_P(Feeder, AnExceptionDropsTheRest) {
  const auto endless = [](int i, charm::feeder<int>& more) {
    if (i == 1000) throw std::runtime_error("enough");
    more.add(i + 1);
  };
  EXPECT_THROW(charm::parallel_for_each(std::vector<int>{0, 500'000}, endless), std::runtime_error);
  std::vector<int> first(1000, 0);
  std::atomic<int> visited{0};
  const auto at_once = [&](int, charm::feeder<int>&) {
    ++visited;
    throw std::runtime_error("at once");
  };
  EXPECT_THROW(charm::parallel_for_each(first, at_once, {.grain = 1}), std::runtime_error);
  EXPECT_LE(visited, charm::num_workers());
}

TEST_P(Feeder, ACancelledGroupEndsIt) {
  std::atomic<int> visited{0};
  charm::run([&] {
    charm::task_group group;
    group.run([&] {
      charm::parallel_for_each(std::vector<int>{0, 0}, [&](int i, charm::feeder<int>& more) {
        if (++visited == 500) group.cancel();
        more.add(i);  // for ever
      });
    });
    group.wait();
  });
  EXPECT_GE(visited, 500);
}

}  // namespace
