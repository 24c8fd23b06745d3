// Blocks of pages on machines of any number of nodes, with and without the kernel's help.
#include "memory/blocks.hpp"

#include <charm/error.hpp>
#include <charm/placed_array.hpp>

#include <cstring>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/notices.hpp"
#include "memory/fake_pages.hpp"

namespace charm::memory {
namespace {

Machine nodes(int count) {
  Machine machine = Machine::from("pack:1 numa:" + std::to_string(count) + " l3:1 core:2 pu:1");
  machine.origin = "live";
  return machine;
}

bool noticed(const std::string& words) {
  const auto all = base::notices();
  return std::any_of(all.begin(), all.end(), [&](const auto& one) { return one.find(words) != std::string::npos; });
}

struct OwnedBlock : Block {
  OwnedBlock(FakePages& system, std::size_t size, HugePages huge = HugePages::no)
      : Block(map_block(system, size, huge)), pages(system) {}
  ~OwnedBlock() {
    if (data != nullptr) pages.unmap(data, bytes);
  }
  OwnedBlock(const OwnedBlock&) = delete;
  OwnedBlock& operator=(const OwnedBlock&) = delete;
  FakePages& pages;
};

TEST(Block, IsWholePagesOfZeroes) {
  FakePages pages;
  const OwnedBlock block(pages, 5000);
  EXPECT_EQ(block.bytes, 8192U);
  for (std::size_t i = 0; i < block.bytes; ++i) ASSERT_EQ(static_cast<unsigned char*>(block.data)[i], 0);
  EXPECT_EQ(OwnedBlock(pages, 0).data, nullptr);
}

TEST(Block, IsRefusedWithTheSizeAndARemedy) {
  FakePages pages;
  pages.full = true;
  try {
    map_block(pages, std::size_t{64} << 20U, HugePages::advised);
    FAIL() << "there is no address space";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("64 MiB"), std::string::npos);
    EXPECT_FALSE(error.remedy().empty());
  }
}

TEST(HugePages, ThatAllProgramsGetBeginWhereTheBlockDoes) {
  FakePages pages;
  pages.always_huge = true;
  for (const std::size_t mib : {8U, 33U, 100U}) {
    const OwnedBlock block(pages, std::size_t{mib} << 20U);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block.data) % FakePages::huge, 0U) << mib;
    EXPECT_EQ(block.touched, mib < 32 ? FakePages::small : FakePages::huge) << mib;
    EXPECT_EQ(block.unit, FakePages::small) << mib;
  }
  EXPECT_TRUE(pages.advised.empty()) << "nobody asked for them";
}

TEST(Block, BeginsOnAnyBorderThatIsAskedFor) {
  FakePages pages;
  pages.reserved = true;
  for (const HugePages huge : {HugePages::no, HugePages::advised, HugePages::requested}) {
    for (const std::size_t alignment : {FakePages::small, FakePages::huge, 4 * FakePages::huge}) {
      const Block block = map_block(pages, 100, huge, alignment);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block.data) % alignment, 0U);
      EXPECT_EQ(pages.mapped.size(), block.bytes / FakePages::small) << "nothing is left over";
      pages.unmap(block.data, block.bytes);
    }
  }
}

TEST(HugePages, AreTakenFromThePoolFirst) {
  FakePages pages;
  pages.reserved = true;
  const OwnedBlock block(pages, 1, HugePages::requested);
  EXPECT_EQ(block.bytes, FakePages::huge);
  EXPECT_TRUE(pages.advised.empty());
}

TEST(HugePages, AreTransparentWhereThePoolIsEmpty) {
  FakePages pages;
  const OwnedBlock block(pages, FakePages::huge + 1, HugePages::requested);
  ASSERT_EQ(pages.advised.size(), 1U);
  EXPECT_EQ(pages.advised[0].first % FakePages::huge, 0U) << "on their own boundary";
  EXPECT_EQ(pages.advised[0].second, 2 * FakePages::huge);
  EXPECT_EQ(pages.mapped.size() * FakePages::small, block.bytes) << "what was mapped to align it is given back";
}

TEST(HugePages, ThatAreNotThereAreReportedWhereTheyWereRequested) {
  FakePages pages;
  pages.huge_error = EINVAL;
  const OwnedBlock advised(pages, FakePages::huge, HugePages::advised);
  EXPECT_FALSE(noticed("no huge pages"));
  const OwnedBlock requested(pages, FakePages::huge, HugePages::requested);
  EXPECT_NE(requested.data, nullptr);
  EXPECT_TRUE(noticed("there are no huge pages"));
}

TEST(HugePages, AreNotAdvisedForSmallBlocks) {
  FakePages pages;
  const OwnedBlock block(pages, 8192, HugePages::advised);
  EXPECT_EQ(block.bytes, 8192U);
  EXPECT_TRUE(pages.advised.empty());
}

TEST(Placement, OnOneNodePutsEveryPageThere) {
  FakePages pages;
  const Machine machine = nodes(4);
  const OwnedBlock block(pages, 100 * FakePages::small);
  EXPECT_TRUE(place_in_turns(pages, &machine, block, {2}));
  const PageCensus census = memory::census(pages, machine, block.data, block.bytes);
  EXPECT_EQ(census.pages, (std::vector<std::size_t>{0, 0, 100, 0}));
  EXPECT_EQ(census.unknown, 0U);
}

TEST(Placement, InTurnsIsEven) {
  FakePages pages;
  const Machine machine = nodes(4);
  const OwnedBlock block(pages, 103 * FakePages::small);
  EXPECT_TRUE(place_in_turns(pages, &machine, block, {0, 1, 3}));
  EXPECT_EQ(memory::census(pages, machine, block.data, block.bytes).pages, (std::vector<std::size_t>{35, 34, 0, 34}));
}

TEST(Placement, SpeaksToTheKernelInItsOwnNumbers) {
  FakePages pages;
  pages.allowed_nodes = {0, 8};
  Machine machine = nodes(2);
  machine.nodes[1].os_index = 8;
  const OwnedBlock block(pages, FakePages::small);
  EXPECT_TRUE(place_in_turns(pages, &machine, block, {1}));
  EXPECT_EQ(pages.home.begin()->second, 8);
  EXPECT_EQ(memory::census(pages, machine, block.data, 1).pages[1], 1U);
}

TEST(Placement, OnANodeThatTheMachineLacksIsAnError) {
  FakePages pages;
  const Machine machine = nodes(2);
  const OwnedBlock block(pages, FakePages::small);
  EXPECT_THROW(place_in_turns(pages, &machine, block, {2}), Error);
  EXPECT_THROW(place_in_turns(pages, &machine, block, {-1}), Error);
  EXPECT_THROW(place_runs(pages, &machine, block, {{0, 1, 7}}), Error);
}

TEST(Placement, OnANodeThatTheCgroupForbidsIsSaidAndTheMemoryIsThere) {
  FakePages pages;
  pages.allowed_nodes = {0};
  const Machine machine = nodes(2);
  const OwnedBlock block(pages, FakePages::small);
  EXPECT_FALSE(place_in_turns(pages, &machine, block, {1}));
  EXPECT_TRUE(noticed("cpuset.mems"));
}

TEST(Placement, WithoutTheSystemCallIsSaidOnce) {
  FakePages pages;
  pages.place_error = EPERM;
  const Machine machine = nodes(2);
  const OwnedBlock block(pages, FakePages::small);
  EXPECT_FALSE(place_in_turns(pages, &machine, block, {0, 1}));
  EXPECT_FALSE(place_in_turns(pages, &machine, block, {1}));
  EXPECT_TRUE(noticed("mbind"));
  static_cast<char*>(block.data)[0] = 1;
}

TEST(Placement, OnAMachineOnPaperDoesNothing) {
  FakePages pages;
  const Machine paper = Machine::from("pack:1 numa:2 l3:1 core:2 pu:1");
  const OwnedBlock block(pages, FakePages::small);
  EXPECT_FALSE(place_in_turns(pages, &paper, block, {1}));
  EXPECT_TRUE(pages.home.empty());
}

TEST(Census, CountsUntouchedPagesAsUnknownAndSurvivesARefusal) {
  FakePages pages;
  const Machine machine = nodes(2);
  const OwnedBlock block(pages, 1000 * FakePages::small);
  place_runs(pages, &machine, block, {{0, 10 * FakePages::small, 1}});
  PageCensus census = memory::census(pages, machine, block.data, block.bytes);
  EXPECT_EQ(census.pages[1], 10U);
  EXPECT_EQ(census.unknown, 990U);
  pages.nodes_of_error = EPERM;
  census = memory::census(pages, machine, block.data, block.bytes);
  EXPECT_EQ(census.unknown, 1000U);
  EXPECT_TRUE(noticed("move_pages"));
}

TEST(Targets, BecomeTheirNode) {
  const Machine machine = Machine::from("pack:2 numa:2 l3:2 core:2 pu:1");
  const std::vector<WorkerCore> worker_cores = {{.core = 0, .node = 0}, {.core = 9, .node = 2}, {}};
  using Kind = detail::Target::Kind;
  EXPECT_EQ(node_of_target(machine, worker_cores, {Kind::worker, 1}), 2);
  EXPECT_EQ(node_of_target(machine, worker_cores, {Kind::worker, 2}), 0) << "a worker that floats";
  EXPECT_EQ(node_of_target(machine, worker_cores, {Kind::chiplet, 7}), 3);
  EXPECT_EQ(node_of_target(machine, worker_cores, {Kind::node, 1}), 1);
  EXPECT_THROW(node_of_target(machine, worker_cores, {Kind::worker, 3}), Error);
  EXPECT_THROW(node_of_target(machine, worker_cores, {Kind::chiplet, 8}), Error);
  EXPECT_THROW(node_of_target(machine, worker_cores, {Kind::node, -1}), Error);
}

TEST(WorkersNodes, AreThoseOfTheirCoresAndAllNodesForThoseThatFloat) {
  const Machine machine = Machine::from("pack:2 numa:1 l3:2 core:2 pu:1");
  const WorkerCore bound{.core = 5, .node = 1};
  const WorkerCore floating;
  EXPECT_EQ(nodes_of_workers(machine, {bound, bound}), (std::vector<int>{1, 1}));
  EXPECT_EQ(nodes_with_workers(machine, {bound, bound}), charm::NodeSet{1});
  EXPECT_EQ(nodes_of_workers(machine, {floating, floating, floating, floating}), (std::vector<int>{0, 0, 1, 1}));
  EXPECT_EQ(nodes_with_workers(machine, {bound, floating}), (charm::NodeSet{0, 1}));
}

RC_GTEST_PROP(Parts, CoverEveryElementOnceAndEvenly, ()) {
  const auto size = *rc::gen::inRange<std::size_t>(0, 100000);
  const auto parts = *rc::gen::inRange<std::size_t>(1, 300);
  std::size_t next = 0;
  for (std::size_t part = 0; part < parts; ++part) {
    const PartRange range = part_of(size, part, parts);
    RC_ASSERT(range.first == next);
    RC_ASSERT(range.size() == size / parts || range.size() == size / parts + 1);
    next = range.last;
  }
  RC_ASSERT(next == size);
}

RC_GTEST_PROP(PartitionRuns, GiveEveryPageToThePartThatOwnsMostOfIt, ()) {
  const auto size = *rc::gen::inRange<std::size_t>(0, 50000);
  const auto element = *rc::gen::inRange<std::size_t>(1, 64);
  const auto nodes_of_parts = *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 4)));
  constexpr std::size_t page = 4096;
  const auto runs = detail::partition_runs(size, element, nodes_of_parts, page);
  const std::size_t bytes = (size * element + page - 1) / page * page;
  // Whole pages, in order, without gaps or overlaps.
  std::vector<int> node_of_page;
  for (const PageRun& run : runs) {
    RC_ASSERT(run.offset == node_of_page.size() * page);
    RC_ASSERT(run.bytes % page == 0);
    RC_ASSERT(run.bytes > 0);
    for (std::size_t at = 0; at < run.bytes; at += page) node_of_page.push_back(run.node);
  }
  RC_ASSERT(node_of_page.size() * page == bytes);
  // A node that owns more than half of a page has it.
  std::vector<std::map<int, std::size_t>> owned(node_of_page.size());
  for (std::size_t part = 0; part < nodes_of_parts.size(); ++part) {
    const PartRange range = part_of(size, part, nodes_of_parts.size());
    for (std::size_t at = range.first * element; at < range.last * element;) {
      const std::size_t end = std::min(range.last * element, (at / page + 1) * page);
      owned[at / page][nodes_of_parts[part]] += end - at;
      at = end;
    }
  }
  // Parts that are smaller than half a page share pages; only parts of a page and more can be told.
  if (size / nodes_of_parts.size() * element >= page) {
    for (std::size_t at = 0; at + 1 < owned.size(); ++at) {
      for (const auto& [node, share] : owned[at]) {
        if (share > page / 2) RC_ASSERT(node_of_page[at] == node);
      }
    }
  }
}

RC_GTEST_PROP(Placement, OfAPartitionedArrayFollowsItsParts, ()) {
  FakePages pages;
  const int count = *rc::gen::inRange(1, 9);
  const Machine machine = nodes(count);
  std::vector<int> nodes_of_parts;
  for (int part = 0; part < *rc::gen::inRange(1, 20); ++part) nodes_of_parts.push_back(*rc::gen::inRange(0, count));
  if (nodes_of_parts.empty()) nodes_of_parts.push_back(0);
  const std::size_t per_part = 16 * FakePages::small;
  const std::size_t size = per_part * nodes_of_parts.size();
  const OwnedBlock block(pages, size);
  RC_ASSERT(place_runs(pages, &machine, block, detail::partition_runs(size, 1, nodes_of_parts, FakePages::small)));
  for (std::size_t part = 0; part < nodes_of_parts.size(); ++part) {
    const PageCensus census =
        memory::census(pages, machine, static_cast<char*>(block.data) + part * per_part, per_part);
    RC_ASSERT(census.pages[static_cast<std::size_t>(nodes_of_parts[part])] == 16U);
  }
}

}  // namespace
}  // namespace charm::memory
