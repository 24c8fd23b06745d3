// The traffic-aware malloc on a kernel with several nodes: where the pages of its blocks really lie. The model gives
// node i a controller of 10 * (i + 1) GB/s, so that every node has a weight of its own.
#include <charm/machine.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <numeric>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "os/memory/node_memory.hpp"
#include "os/threads/affinity.hpp"
#include "vm/guest_model.hpp"

namespace {

using charm::test::gb_per_s;
using charm::test::write_model;
constexpr const char* library = "/bin/libcharm_malloc.so";
constexpr std::size_t page = 4096;

int under_the_malloc(const std::string& test) {
  return std::system(("LD_PRELOAD=" + std::string(library) +
                      " CHARM_MALLOC_WEIGHTS=/tmp/weights CHARM_MALLOC_STATS=stderr vm_guest_test --gtest_brief=1 "
                      "--gtest_also_run_disabled_tests --gtest_filter=" +
                      test)
                         .c_str());
}

class Malloc : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::ifstream(library)) GTEST_SKIP() << "this build has no " << library;
    write_model(charm::Machine::discover(), "/tmp/model.json");
    ASSERT_EQ(std::system("charm malloc weights --model /tmp/model.json --file /tmp/weights"), 0);
  }
};

constexpr const char* huge_pages = "/sys/kernel/mm/transparent_hugepage/enabled";

TEST_F(Malloc, PagesOfHugeBlocksFollowTheWeights) {
  std::ofstream(huge_pages) << "never";
  setenv("SMALLEST_BLOCK_MIB", "5", 1);
  setenv("TOLERANCE", "0.01", 1);
  EXPECT_EQ(under_the_malloc("MallocChild.DISABLED_HugeBlocksFollowTheWeights"), 0);
}

TEST_F(Malloc, HugePagesAreTheUnitWhereTheKernelUsesThem) {
  std::ofstream(huge_pages) << "always";
  setenv("SMALLEST_BLOCK_MIB", "100", 1);
  setenv("TOLERANCE", "0.03", 1);
  EXPECT_EQ(under_the_malloc("MallocChild.DISABLED_HugeBlocksFollowTheWeights"), 0);
}

TEST_F(Malloc, NormalBlocksLieOnTheNodeOfTheirThread) {
  EXPECT_EQ(under_the_malloc("MallocChild.DISABLED_NormalBlocksLieNearTheirThread"), 0);
}

TEST_F(Malloc, WithoutAModelWeightsFollowWhatTheFirmwareSays) {
  const char* expected = std::getenv("EXPECT_GB_PER_S");
  if (expected == nullptr) GTEST_SKIP() << "this shape's firmware says nothing of its memories";
  std::vector<double> gb_per_s;
  std::istringstream list(expected);
  for (std::string one; std::getline(list, one, ',');) gb_per_s.push_back(std::stod(one));
  const double sum = std::accumulate(gb_per_s.begin(), gb_per_s.end(), 0.0);
  ASSERT_EQ(std::system("charm malloc weights --json >/tmp/told.json"), 0);
  const auto json = nlohmann::json::parse(std::ifstream("/tmp/told.json"), nullptr, false);
  ASSERT_TRUE(json.is_object());
  for (const auto& root : json["roots"]) {
    ASSERT_EQ(root["weights"].size(), gb_per_s.size());
    for (std::size_t m = 0; m < gb_per_s.size(); ++m)
      EXPECT_NEAR(root["weights"][m]["weight"].get<double>(), gb_per_s[m] / sum, 0.01) << "node " << m;
  }
}

TEST_F(Malloc, ExplainTellsTheNodesOfEachBlock) {
  const int status = std::system(
      "LD_PRELOAD=/bin/libcharm_malloc.so CHARM_MALLOC_WEIGHTS=/tmp/weights "
      "vm_guest_test --gtest_also_run_disabled_tests --gtest_filter=MallocChild.DISABLED_ExplainsItself");
  EXPECT_EQ(status, 0);
}

// What follows runs under the malloc, in a process that the tests above start.

TEST(MallocChild, DISABLED_HugeBlocksFollowTheWeights) {
  const charm::Machine machine = charm::Machine::discover();
  double sum = 0;
  for (const charm::Node& node : machine.nodes) sum += gb_per_s(node.os_index);
  const double tolerance = std::atof(std::getenv("TOLERANCE"));
  for (const std::size_t mib : {5U, 32U, 100U}) {
    if (static_cast<int>(mib) < std::atoi(std::getenv("SMALLEST_BLOCK_MIB"))) continue;
    const std::size_t bytes = mib << 20U;
    auto* block = static_cast<char*>(std::malloc(bytes));
    ASSERT_NE(block, nullptr);
    std::map<int, double> pages;
    for (std::size_t at = 0; at < bytes; at += page) {
      block[at] = 1;
      pages[charm::os::page_home(block + at).node] += 1;
    }
    for (const charm::Node& node : machine.nodes) {
      EXPECT_NEAR(pages[node.os_index] / (static_cast<double>(bytes) / page), gb_per_s(node.os_index) / sum, tolerance)
          << "node " << node.os_index << " of a block of " << mib << " MiB";
    }
    std::free(block);
  }
}

TEST(MallocChild, DISABLED_NormalBlocksLieNearTheirThread) {
  const charm::Machine machine = charm::Machine::discover();
  for (const charm::Node& node : machine.nodes) {
    if (node.cpus.empty()) continue;
    std::thread thread([&] {
      ASSERT_TRUE(charm::os::bind_this_thread(charm::CpuSet{node.cpus[0]}));
      // The thread looks where it runs every 1,024 allocations, and may first use up what it has.
      std::vector<void*> blocks;
      for (int i = 0; i < 4000; ++i) {
        blocks.push_back(std::malloc(1000));
        std::memset(blocks.back(), 1, 1000);
      }
      std::size_t near = 0;
      for (std::size_t i = 2000; i < blocks.size(); ++i)
        near += charm::os::page_home(blocks[i]).node == node.os_index ? 1 : 0;
      EXPECT_EQ(near, 2000U) << "node " << node.os_index;
      for (void* block : blocks) std::free(block);
    });
    thread.join();
  }
}

TEST(MallocChild, DISABLED_ExplainsItself) {
  constexpr std::size_t bytes = std::size_t{64} << 20U;
  auto* block = static_cast<char*>(std::malloc(bytes));
  ASSERT_NE(block, nullptr);
  std::memset(block, 1, bytes);
  EXPECT_EQ(std::system("LD_PRELOAD= charm malloc explain $PPID | tee /tmp/explained | grep -q 'spread by weight'"), 0);
  std::system("cat /tmp/explained");
  std::free(block);
}

}  // namespace
