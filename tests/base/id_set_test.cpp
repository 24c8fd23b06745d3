// Sets of cpus, cores, chiplets and nodes: the algebra of sets, the kernel's list notation, and that kinds do not mix.
#include <charm/error.hpp>
#include <charm/id_set.hpp>

#include <algorithm>
#include <iterator>
#include <rapidcheck.h>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/id_sets.hpp"

namespace {

using charm::CoreCpuSet;
using charm::CoreSet;
using charm::CpuSet;
using charm::NodeSet;
using charm::OsNodeSet;
using Reference = std::set<int>;

// ---- what must not compile ----

template <class A, class B>
concept Mix =
    requires(A a, B b) { a = b; } || requires(A a, B b) { a | b; } || requires(A a, B b) { a &= b; } ||
    requires(A a, B b) { a - b; } || requires(A a, B b) { a == b; } || requires(A a, B b) { a.is_subset_of(b); } ||
    requires(A a, B b) { a.intersects(b); } || std::is_constructible_v<A, B>;

static_assert(Mix<CpuSet, CpuSet>, "or the concept would prove nothing");
static_assert(!Mix<CpuSet, NodeSet> && !Mix<NodeSet, CpuSet> && !Mix<CpuSet, CoreSet> && !Mix<CoreSet, CpuSet>);
static_assert(!Mix<NodeSet, OsNodeSet> && !Mix<OsNodeSet, NodeSet>, "ids of nodes are not the system's numbers");
static_assert(!Mix<CpuSet, CoreCpuSet> && !Mix<CoreCpuSet, CoreSet>, "a core's first cpu is not all of its cpus");
static_assert(!std::is_convertible_v<std::vector<int>, CpuSet>, "a list becomes a set where somebody says so");
static_assert(std::is_constructible_v<CpuSet, std::vector<int>>);
static_assert(!std::is_constructible_v<CpuSet, int, int>, "a range is of iterators");

// ---- algebra ----

/// What a caller may have: any order, with repetitions.
std::vector<int> any_numbers() { return *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 40)); }

Reference reference(const std::vector<int>& numbers) { return {numbers.begin(), numbers.end()}; }

bool same(const CpuSet& set, const Reference& expected) {
  return std::equal(set.begin(), set.end(), expected.begin(), expected.end()) && set.size() == expected.size() &&
         set.empty() == expected.empty() &&
         (expected.empty() || (set.front() == *expected.begin() && set.back() == *expected.rbegin()));
}

TEST(IdSet, IsTheSetOfTheNumbersInWhateverOrderTheyCome) {
  EXPECT_TRUE(rc::check([] {
    const auto numbers = any_numbers();
    const Reference expected = reference(numbers);
    RC_ASSERT(same(CpuSet(numbers), expected));
    RC_ASSERT(same(CpuSet(numbers.rbegin(), numbers.rend()), expected));
    CpuSet one_by_one;
    Reference grown;
    for (const int number : numbers) {
      const auto [at, is_new] = one_by_one.insert(number);
      RC_ASSERT(*at == number);
      RC_ASSERT(is_new == grown.insert(number).second);
      RC_ASSERT(same(one_by_one, grown));
    }
    CpuSet copied;
    std::copy(numbers.begin(), numbers.end(), std::inserter(copied, copied.end()));
    RC_ASSERT(copied == one_by_one);
    RC_ASSERT(CpuSet(one_by_one.values()) == one_by_one);
    for (std::size_t i = 0; i < copied.size(); ++i)
      RC_ASSERT(copied[i] == *std::next(expected.begin(), static_cast<std::ptrdiff_t>(i)));
  }));
}

TEST(IdSet, ItsAlgebraIsThatOfSets) {
  EXPECT_TRUE(rc::check([] {
    const auto left = any_numbers(), right = any_numbers();
    const CpuSet a(left), b(right);
    const Reference in_a = reference(left), in_b = reference(right);
    Reference both, either, only_a;
    std::set_intersection(in_a.begin(), in_a.end(), in_b.begin(), in_b.end(), std::inserter(both, both.end()));
    std::set_union(in_a.begin(), in_a.end(), in_b.begin(), in_b.end(), std::inserter(either, either.end()));
    std::set_difference(in_a.begin(), in_a.end(), in_b.begin(), in_b.end(), std::inserter(only_a, only_a.end()));
    RC_ASSERT(same(a & b, both));
    RC_ASSERT(same(a | b, either));
    RC_ASSERT(same(a - b, only_a));
    RC_ASSERT(a.intersects(b) == !both.empty());
    RC_ASSERT(a.is_subset_of(b) == only_a.empty());
    RC_ASSERT((a == b) == (in_a == in_b));
    RC_ASSERT((a < b) == (in_a < in_b));
    for (int id = 0; id < 40; ++id) {
      RC_ASSERT(a.contains(id) == in_a.contains(id));
      CpuSet without = a;
      RC_ASSERT(without.erase(id) == (in_a.contains(id) ? 1U : 0U));
      RC_ASSERT(without == a - CpuSet{id});
    }
  }));
}

TEST(IdSet, WithItselfTheAlgebraHoldsToo) {
  CpuSet set = {1, 4, 9};
  set |= set;
  EXPECT_EQ(set, (CpuSet{1, 4, 9}));
  set &= set;
  EXPECT_EQ(set, (CpuSet{9, 4, 1, 4}));
  set -= set;
  EXPECT_TRUE(set.empty());
}

TEST(IdSet, NegativeNumbersAreRefusedByName) {
  const auto refused = [](auto&& make) -> std::string {
    try {
      make();
    } catch (const charm::Error& error) {
      EXPECT_EQ(error.code(), charm::Errc::bad_input);
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refused([] { CpuSet{3, -1}; }), "there is no -1 among the cpus; give numbers from 0 up");
  EXPECT_EQ(refused([] { CpuSet(std::vector<int>{-7}); }), "there is no -7 among the cpus; give numbers from 0 up");
  NodeSet nodes = {2};
  EXPECT_EQ(refused([&] { nodes.insert(-1); }), "there is no -1 among the NUMA nodes; give numbers from 0 up");
  EXPECT_EQ(nodes, NodeSet{2});
}

// ---- text ----

TEST(IdSetText, IsWhatTheKernelWrites) {
  EXPECT_EQ(CpuSet::parse("0-3,8\n"), (CpuSet{0, 1, 2, 3, 8}));
  EXPECT_EQ(CpuSet::parse("0-7:3,9,20-21:5"), (CpuSet{0, 3, 6, 9, 20})) << "strides, as taskset has them";
  for (const char* wrong : {"0-3:0", "0-3:", "0-3:x", "1:2", "0-3:-1", "0-3:2:2", "0-3:99999999999"})
    EXPECT_FALSE(CpuSet::try_parse(wrong)) << wrong;
  EXPECT_EQ(CpuSet::parse("5"), CpuSet{5});
  EXPECT_EQ(CpuSet::parse(""), CpuSet{});
  EXPECT_EQ(CpuSet::parse("\n"), CpuSet{});
  EXPECT_EQ(CpuSet::parse("2,0-2"), (CpuSet{0, 1, 2}));
  EXPECT_EQ((CpuSet{0, 1, 2, 3, 8, 10, 11}).to_text(), "0-3,8,10-11");
  EXPECT_EQ(CpuSet{}.to_text(), "");
}

TEST(IdSetText, WritingAndReadingAreInverse) {
  EXPECT_TRUE(rc::check([] {
    const CpuSet set(any_numbers());
    RC_ASSERT(CpuSet::parse(set.to_text()) == set);
    RC_ASSERT(CpuSet::try_parse(set.to_text() + "\n") == set);
  }));
}

TEST(IdSetText, WhatIsNoListIsRefusedWithTheReason) {
  const std::vector<std::pair<std::string, std::string>> refused = {
      {"a", "'a' is no number"},
      {"1-", "a number is missing"},
      {"-1", "a number is missing"},
      {"3-1", "'3-1' ends before it begins"},
      {"1,", "a number is missing"},
      {",1", "a number is missing"},
      {"1,,2", "a number is missing"},
      {"1 2", "'1 2' is no number"},
      {"0x3", "'0x3' is no number"},
      {"99999999999", "'99999999999' is more than 1048576"},
      {"0-999999999", "'999999999' is more than 1048576"}};
  for (const auto& [text, why] : refused) {
    EXPECT_FALSE(CpuSet::try_parse(text)) << text;
    try {
      static_cast<void>(CpuSet::parse(text, "--cpus"));
      ADD_FAILURE() << text;
    } catch (const charm::Error& error) {
      EXPECT_EQ(error.code(), charm::Errc::bad_input);
      EXPECT_EQ(error.what(), "--cpus '" + text + "' is no list of cpus: " + why + "; write it as 0-3,8");
    }
  }
}

}  // namespace
