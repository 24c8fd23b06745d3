// Loops over containers.
#include <atomic>
#include <list>
#include <map>
#include <numeric>
#include <ranges>
#include <span>
#include <stdexcept>
#include <vector>

#include "algorithms/runtimes.hpp"

namespace {

using ForEach = OnShapes;
INSTANTIATE_TEST_SUITE_P(Shapes, ForEach, shapes());

TEST_P(ForEach, VisitsEveryElementOfAnyContainerOnce) {
  std::vector<int> vector(5000, 1);
  charm::parallel_for_each(vector, [](int& x) { ++x; });
  charm::parallel_for_each(vector.begin(), vector.end(), [](int& x) { ++x; }, {.grain = 10});
  EXPECT_EQ(vector, std::vector<int>(5000, 3));
  charm::parallel_for_each(std::span(vector).first(10), [](int& x) { x = 0; }, {.schedule = charm::Schedule::static_});
  EXPECT_EQ(std::accumulate(vector.begin(), vector.end(), 0), 4990 * 3);

  std::list<int> list(777, 1);
  charm::parallel_for_each(list, [](int& x) { x = 5; });
  EXPECT_EQ(list, std::list<int>(777, 5));

  std::map<int, int> map;
  for (int i = 0; i < 100; ++i) map[i] = 0;
  charm::parallel_for_each(map, [](auto& pair) { pair.second = pair.first * 2; });
  for (auto& [key, value] : map) EXPECT_EQ(value, key * 2);

  std::atomic<int> sum{0};
  charm::parallel_for_each(std::views::iota(0, 1000), [&](int i) { sum += i; });
  EXPECT_EQ(sum, 499500);
  const std::vector<int> constant(10, 4);
  charm::parallel_for_each(constant, [&](const int& x) { sum += x; });
  charm::parallel_for_each(std::vector<int>(), [&](int) { sum = 0; });
  EXPECT_EQ(sum, 499540);
}

TEST_P(ForEach, CallsMembers) {
  std::vector<std::vector<int>> vectors(100, std::vector<int>(3));
  charm::parallel_for_each(vectors, &std::vector<int>::clear);
  for (auto& vector : vectors) EXPECT_TRUE(vector.empty());
}

TEST_P(ForEach, Transforms) {
  std::vector<int> in(10000);
  std::iota(in.begin(), in.end(), 0);
  std::vector<long> out(in.size());
  auto end = charm::parallel_transform(in.begin(), in.end(), out.begin(), [](int x) { return 3L * x; });
  EXPECT_EQ(end, out.end());
  for (std::size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], 3L * static_cast<long>(i));
  charm::parallel_transform(in.begin(), in.end(), in.begin(), [](int x) { return -x; });
  EXPECT_EQ(in.back(), -9999);
}

TEST_P(ForEach, AnExceptionLeavesTheLoop) {
  std::list<int> list(100, 1);
  EXPECT_THROW(charm::parallel_for_each(list, [](int&) { throw std::domain_error("no"); }), std::domain_error);
}

}  // namespace
