// How a group stands out, computed on the codes of a row, against what the definition says in plain words.
#include "tools/probe/structure/level.hpp"

#include <algorithm>
#include <rapidcheck.h>

#include <gtest/gtest.h>

using namespace charm::probe;

namespace {

Distances any_distances(int n) {
  Distances d(n);
  // Few values, so that many distances are equal; some are unknown.
  const auto values = *rc::gen::container<std::vector<int>>(static_cast<std::size_t>(n) * static_cast<std::size_t>(n),
                                                            rc::gen::inRange(-1, 12));
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) {
      const int value = values[static_cast<std::size_t>(i) * static_cast<std::size_t>(n) + static_cast<std::size_t>(j)];
      if (value >= 0) d.set(i, j, 1 + 0.37 * value);
    }
  }
  return d;
}

struct Plain {
  std::vector<double> within, beyond;
};

/// Every member's known distances to its group, and the median of as many nearest outsiders as the group is large.
Plain described(const Distances& d, const Group& group) {
  Plain plain;
  for (int member : group) {
    std::vector<double> out;
    for (int j = 0; j < d.size(); ++j) {
      if (!d.known(member, j)) continue;
      const bool inside = std::find(group.begin(), group.end(), j) != group.end();
      (inside ? plain.within : out).push_back(d.at(member, j));
    }
    if (out.empty()) continue;
    std::sort(out.begin(), out.end());
    plain.beyond.push_back(out[std::min((group.size() - 1) / 2, (out.size() - 1) / 2)]);
  }
  std::sort(plain.within.begin(), plain.within.end());
  std::sort(plain.beyond.begin(), plain.beyond.end());
  return plain;
}

TEST(GroupDistances, AreTheMembersOwnAndTheMedianOfTheirNearestOutsiders) {
  EXPECT_TRUE(rc::check([] {
    const int n = *rc::gen::inRange(2, 100);
    const Distances d = any_distances(n);
    Group group;  // up to 64 members, of which all are looked at
    for (int i = 0; i < n && group.size() < 64; ++i) {
      if (*rc::gen::inRange(0, 3) > 0) group.push_back(i);
    }
    if (group.empty()) group.push_back(0);
    GroupDistances seen = distances_of(d, group);
    std::sort(seen.within.begin(), seen.within.end());
    std::sort(seen.beyond.begin(), seen.beyond.end());
    const Plain plain = described(d, group);
    RC_ASSERT(seen.within == plain.within);
    RC_ASSERT(seen.beyond == plain.beyond);
  }));
}

TEST(GroupDistances, OfALargeGroupAreThoseOfASampleOfItsMembers) {
  // 0..199 are 1 apart, 300 others are 3 away; a few outsiders are nearer, fewer than half as many as the group is
  // large.
  Distances d(500);
  for (int i = 0; i < 500; ++i) {
    for (int j = 0; j < i; ++j) d.set(i, j, i < 200 ? 1 : j < 200 && i < 290 ? 2 : 3);
  }
  Group group(200);
  for (int i = 0; i < 200; ++i) group[static_cast<std::size_t>(i)] = i;
  const GroupDistances seen = distances_of(d, group);
  EXPECT_EQ(seen.beyond.size(), 50U) << "every fourth";
  EXPECT_NEAR(*std::max_element(seen.beyond.begin(), seen.beyond.end()), 3, 1e-3);
  EXPECT_NEAR(step_of(d, group), 2, 1e-3);
}

TEST(Quantile, OfCodesIsThatOfTheirValues) {
  EXPECT_TRUE(rc::check([] {
    auto codes = *rc::gen::container<std::vector<Distances::Code>>(rc::gen::inRange<Distances::Code>(0, 65534));
    std::vector<double> values;
    for (const auto code : codes) values.push_back(Distances::value_of(code));
    for (const double q : {0.1, 0.25, 0.5, 0.75, 0.9}) {
      const double one = quantile(codes, q);
      const double other = quantile(values, q);
      const bool same = one == other || (std::isnan(one) && std::isnan(other));
      RC_ASSERT(same);
    }
  }));
}

TEST(Distances, AreRoundedAsTheNearestCode) {
  Distances d(2);
  for (double value = -6; value < 18; value += 0.000013) {
    d.set(0, 1, value);
    const double nearest = std::clamp(std::round((value + 5) * 3000), 0.0, 65534.0) / 3000 - 5;
    ASSERT_EQ(d.at(1, 0), nearest) << value;
  }
}

}  // namespace
