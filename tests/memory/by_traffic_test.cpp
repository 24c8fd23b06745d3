// Memory of the runtime by the weights that the malloc publishes.
#include "memory/by_traffic.hpp"

#include <charm/charm.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/folder.hpp"
#include "base/notices.hpp"
#include "memory/fake_pages.hpp"

namespace charm::memory {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20U;

Machine four_live_nodes() {
  Machine machine = Machine::from("pack:2 numa:2 l3:1 core:2 pu:1");
  machine.origin = "live";
  return machine;
}

/// 40, 40, 15, 15 for the first socket's cpus, mirrored for the second's.
memory::WeightPage four_memories() {
  memory::WeightPage page;
  page.magic = memory::page_magic;
  page.bytes = sizeof page;
  page.generation = 1;
  page.memories = page.roots = 4;
  page.root_of_cpu.fill(memory::no_root);
  for (std::size_t r = 0; r < 4; ++r) {
    page.os_node[r] = static_cast<int>(r);
    page.normal[r] = static_cast<std::int16_t>(r ^ 1U);
    for (std::size_t m = 0; m < 4; ++m) page.weights[r][m] = r / 2 == m / 2 ? 1000 : 375;
    page.root_of_cpu[2 * r] = page.root_of_cpu[2 * r + 1] = static_cast<std::uint8_t>(r);
  }
  return page;
}

std::string write(const charm::test::Folder& folder, const memory::WeightPage& page) {
  const std::string path = folder.file("weights", std::string(reinterpret_cast<const char*>(&page), sizeof page));
  chmod(path.c_str(), 0600);
  return path;
}

}  // namespace

TEST(ByTraffic, WeightsOfAllReadersAreTheMeanOfTheirs) {
  const auto page = four_memories();
  EXPECT_EQ(shared_weights(page, four_live_nodes(), {0}), (std::vector<std::uint16_t>{1000, 1000, 375, 375}));
  EXPECT_EQ(shared_weights(page, four_live_nodes(), {0, 3}), (std::vector<std::uint16_t>{1000, 1000, 1000, 1000}));
  EXPECT_EQ(shared_weights(page, four_live_nodes(), {}), (std::vector<std::uint16_t>{0, 0, 0, 0}));
}

TEST(ByTraffic, ABlockIsSpreadByWeightWithinOnePercent) {
  FakePages pages;
  const Machine machine = four_live_nodes();
  const Block block = map_block(pages, 32 * mib, HugePages::no);
  const auto page = four_memories();
  ASSERT_TRUE(place_by_weights(pages, &machine, block, page, shared_weights(page, machine, {1})));
  std::map<int, double> on;
  for (const auto& [at, node] : pages.home) on[node] += 1.0 / static_cast<double>(block.bytes / block.unit);
  EXPECT_NEAR(on[0], 40. / 110, 0.01);
  EXPECT_NEAR(on[2], 15. / 110, 0.01);
  pages.place_error = EPERM;
  EXPECT_FALSE(place_by_weights(pages, &machine, block, page, shared_weights(page, machine, {1})));
  Machine described = machine;
  described.origin = "synthetic";
  EXPECT_FALSE(place_by_weights(pages, &described, block, page, shared_weights(page, machine, {1})));
  pages.unmap(block.data, block.bytes);
}

TEST(ByTraffic, HugePagesAreNotCutApart) {
  FakePages pages;
  const Machine machine = four_live_nodes();
  for (const std::size_t bytes : {17 * mib, 33 * mib, 100 * mib}) {
    const Block block = map_block(pages, bytes, HugePages::advised);
    pages.placed.clear();
    ASSERT_TRUE(place_by_weights(pages, &machine, block, four_memories(), {1000, 900, 375, 100}));
    const std::size_t unit = bytes < 32 * mib ? FakePages::small : FakePages::huge;  // else they would be too few
    EXPECT_EQ(block.touched, unit);
    EXPECT_GE(pages.placed.size(), 4U);
    for (const std::uintptr_t begin : pages.placed) EXPECT_EQ(begin % unit, 0U) << bytes / mib << " MiB";
    pages.unmap(block.data, block.bytes);
  }
}

TEST(ByTraffic, ABlockForAllWorkersIsSpreadByThePublishedWeights) {
  const charm::test::Folder folder;
  auto page = four_memories();
  page.memories = 2;
  page.os_node = {};  // two memories, both of which are node 0
  page.roots = 1;
  page.normal = {};
  page.weights[0] = {1000, 375};
  page.root_of_cpu.fill(0);
  setenv("CHARM_MALLOC_WEIGHTS", write(folder, page).c_str(), 1);
  Config config;
  config.workers = 1;
  config.share_cores = true;
  config.home = "traffic";
  init(config);
  const bool live = machine().is_live();
  const PageBlock block(33 * mib, over_workers{});
  EXPECT_TRUE(block.placed() || !live);
  finalize();
  unsetenv("CHARM_MALLOC_WEIGHTS");
}

TEST(ByTraffic, SmallMemoryGoesWhereNormalBlocksDo) {
  auto page = four_memories();
  EXPECT_EQ(normal_node(page, four_live_nodes(), 2), 3);
  page.normal[2] = -1;
  EXPECT_EQ(normal_node(page, four_live_nodes(), 2), 2);
  page.root_of_cpu.fill(memory::no_root);
  EXPECT_EQ(normal_node(page, four_live_nodes(), 1), 1);
}

TEST(ByTraffic, ThePageIsReadAgainAndStaysWhenItsFileGoes) {
  const charm::test::Folder folder;
  auto page = four_memories();
  PublishedWeights weights({folder.path("none"), write(folder, page)});
  ASSERT_TRUE(weights.page(1));
  EXPECT_EQ(weights.page(1)->generation, 1U);
  page.generation = 2;
  write(folder, page);
  EXPECT_EQ(weights.page(1.05)->generation, 1U);
  EXPECT_EQ(weights.page(1.2)->generation, 2U);
  page.sequence = 7;  // somebody writes, and never ends
  page.generation = 3;
  write(folder, page);
  EXPECT_EQ(weights.page(2)->generation, 2U);
  std::filesystem::remove(folder.path("weights"));
  EXPECT_EQ(weights.page(3)->generation, 2U);
}

TEST(ByTraffic, WithoutAPageItSaysSoOnce) {
  const charm::test::Folder folder;
  PublishedWeights weights({folder.path("none")});
  EXPECT_FALSE(weights.page(1));
  EXPECT_FALSE(weights.page(2));
  const auto all = base::notices();
  EXPECT_EQ(std::count_if(all.begin(), all.end(),
                          [](const std::string& one) { return one.find("the setting home is traffic") != one.npos; }),
            1);
}

}  // namespace charm::memory
