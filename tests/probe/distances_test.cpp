// Distances between groups of rows, taken from a copy of the matrix that lies group by group, against what the
// definition says in plain words.
#include "tools/probe/structure/distances.hpp"

#include <algorithm>
#include <cmath>
#include <rapidcheck.h>

#include <gtest/gtest.h>

using namespace charm::probe;

namespace {

/// The median logarithm of all that was measured between two groups; the mean of the middle two.
double plain_distance(const LatencyMatrix& matrix, const Group& a, const Group& b) {
  std::vector<double> values;
  for (int i : a) {
    for (int j : b) {
      if (matrix.measured(i, j)) values.push_back(std::log(matrix.at(i, j)));
    }
  }
  std::sort(values.begin(), values.end());
  if (values.empty()) return unknown_distance;
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half] + values[half - 1]) / 2;
}

TEST(Distances, BetweenGroupsOfAnySizesInAnyOrderAreMediansOfWhatWasMeasured) {
  rc::check([] {
    const int rows = *rc::gen::inRange(1, 24);
    const int most = *rc::gen::inRange(1, 8);
    LatencyMatrix matrix(rows);
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < i; ++j) {
        const int ns = *rc::gen::inRange(0, 20);
        if (ns > 0) matrix.set(i, j, 7.5 * ns);
      }
    }
    Partition groups(static_cast<std::size_t>(most));
    for (int i = 0; i < rows; ++i) {
      const int group = *rc::gen::inRange(0, most + 1);  // the last number: in none of them
      if (group < most) groups[static_cast<std::size_t>(group)].push_back(i);
    }
    std::erase_if(groups, [](const Group& group) { return group.empty(); });
    Distances wanted(static_cast<int>(groups.size()));
    for (std::size_t a = 0; a < groups.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b)
        wanted.set(static_cast<int>(a), static_cast<int>(b), plain_distance(matrix, groups[a], groups[b]));
    }
    const Distances seen = distances_between(matrix, groups);
    RC_ASSERT(seen.size() == wanted.size());
    for (int a = 0; a < seen.size(); ++a) RC_ASSERT(std::ranges::equal(seen.row(a), wanted.row(a)));
  });
}

}  // namespace
