// Where arrays of a workload are to lie: the runs of parts, and which choice places what. The pages themselves are the
// memory module's and the virtual machines' (tests/vm) to check; here the kernel is a book (FakePages).
#include "workloads/array_placement.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <numeric>
#include <rapidcheck.h>
#include <vector>

#include <gtest/gtest.h>

#include "memory/blocks.hpp"
#include "memory/fake_pages.hpp"

namespace charm::workloads::testing {
namespace {

constexpr std::size_t page = 4096;

std::vector<int> numbered(std::size_t count) {
  std::vector<int> order(count);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

ArrayPlacement on_nodes(std::vector<int> nodes, Memory memory = Memory::partitioned) {
  const auto order = numbered(nodes.size());
  return {memory, std::move(nodes), order};
}

TEST(ArrayPlacement, AreNamedAndAnUnknownNameIsRefused) {
  const auto names = memory_names();
  ASSERT_EQ(names.size(), 5U);
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(static_cast<std::size_t>(memory_named(names[i])), i);
  EXPECT_THROW(static_cast<void>(memory_named("far")), Error);
}

TEST(ArrayPlacement, OnOneNodePlaceNothingWhateverIsAskedFor) {
  for (const auto& name : memory_names()) {
    const ArrayPlacement placement = on_nodes({3, 3, 3}, memory_named(name));
    EXPECT_FALSE(placement.several()) << name;
    EXPECT_FALSE(placement.in_parts());
    EXPECT_FALSE(placement.replicated());
    EXPECT_EQ(placement.node_of(1), -1);
    EXPECT_EQ(placement.split<int>(1000).size(), 1000);  // without a runtime: nobody is asked for a place
    EXPECT_EQ(placement.shared<int>(1000).size(), 1000);
  }
  EXPECT_FALSE(on_nodes({0, 1}, Memory::touched).several());
}

TEST(ArrayPlacement, PartsAreInTheOrderInWhichLoopsHandThemOut) {
  const ArrayPlacement placement(Memory::partitioned, {0, 1, 0, 1}, {0, 2, 1, 3});
  EXPECT_EQ(placement.nodes(), (NodeSet{0, 1}));
  EXPECT_EQ(placement.node_of(1), 1);
  const auto bounds = placement.bounds(4 * page);
  EXPECT_EQ(bounds, (std::vector<std::int64_t>{0, page, 2 * page, 3 * page, 4 * page}));
  EXPECT_EQ(placement.runs(bounds, 1), (std::vector<PageRun>{{0, 2 * page, 0}, {2 * page, 2 * page, 1}}));
}

TEST(ArrayPlacement, BordersOfLargeArraysAreThoseOfHugePages) {
  constexpr std::size_t huge = std::size_t{2} << 20U;
  const ArrayPlacement placement = on_nodes({0, 1});
  const auto runs = placement.runs(std::vector<std::int64_t>{0, static_cast<std::int64_t>(huge + page), 3 * huge}, 1);
  EXPECT_EQ(runs, (std::vector<PageRun>{{0, huge, 0}, {huge, 2 * huge, 1}}));
}

TEST(ArrayPlacement, EveryPageLiesWhereItsMiddleBelongs) {
  EXPECT_TRUE(rc::check("pages of arrays in parts of any size", [] {
    const auto nodes = *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 4)));
    const ArrayPlacement placement = on_nodes(nodes);
    if (!placement.in_parts()) return;
    const auto element = *rc::gen::element<std::size_t>(1, 4, 8);
    std::vector<std::int64_t> bounds = {0};
    std::vector<int> owner;  // by byte
    for (const int node : nodes) {
      const auto size = *rc::gen::inRange<std::int64_t>(0, static_cast<std::int64_t>(3 * page / element));
      bounds.push_back(bounds.back() + size);
      owner.insert(owner.end(), static_cast<std::size_t>(size) * element, node);
    }
    const auto bytes = owner.size();
    Machine machine = Machine::from("pack:1 numa:4 l3:1 core:2 pu:1");
    machine.origin = "live";
    memory::FakePages pages;
    if (bytes == 0) return;
    const auto block = memory::map_block(pages, bytes, HugePages::no);
    RC_ASSERT(memory::place_runs(pages, &machine, block, placement.runs(bounds, element)));
    const auto first = reinterpret_cast<std::uintptr_t>(block.data) / page;
    for (std::size_t at = 0; at * page < bytes; ++at) {
      RC_ASSERT(pages.home.contains(first + at));
      const std::size_t middle = at * page + page / 2;
      if (middle >= bytes) continue;
      const int node = pages.home.at(first + at);
      RC_ASSERT(node == owner[middle] || node == owner[middle - 1]);  // halves are alike
    }
    RC_ASSERT(pages.home.size() == (bytes + page - 1) / page);
  }));
}

}  // namespace
}  // namespace charm::workloads::testing
