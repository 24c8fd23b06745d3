// `charm run --mem weighted` and `charm malloc weights --kernel` on a kernel that interleaves pages by weights, and
// their refusal on one that does not (before Linux 6.9).
#include <charm/machine.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "os/memory/node_memory.hpp"
#include "tools/memory_traffic/kernel_weights.hpp"
#include "vm/guest_model.hpp"

namespace {

using charm::memory_traffic::read_kernel_weights;
using charm::test::gb_per_s;

std::string contents(const char* path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

int pages_under(const std::string& word, const std::string& before = "") {
  return std::system((before + "charm run --mem " + word +
                      " -- vm_guest_test --gtest_brief=1 --gtest_also_run_disabled_tests "
                      "--gtest_filter=InterleaveChild.DISABLED_MappedPagesFollowTheWeights 2>/tmp/said")
                         .c_str());
}

TEST(Interleave, AnOlderKernelIsNamed) {
  if (read_kernel_weights()) GTEST_SKIP() << "this kernel interleaves by weights";
  EXPECT_NE(std::system("charm run --mem weighted -- true 2>/tmp/said"), 0);
  EXPECT_NE(contents("/tmp/said").find("Linux 6.9"), std::string::npos) << contents("/tmp/said");
  EXPECT_NE(std::system("charm malloc weights --kernel 2>/tmp/said"), 0);
  EXPECT_NE(contents("/tmp/said").find("Linux 6.9"), std::string::npos) << contents("/tmp/said");
}

class WeightedInterleave : public testing::Test {
 protected:
  void SetUp() override {
    before_ = read_kernel_weights();
    if (!before_) GTEST_SKIP() << "this kernel does not interleave by weights";
    if (charm::Machine::discover().nodes.size() < 2) GTEST_SKIP() << "one node leaves nothing to interleave";
    charm::test::write_model(charm::Machine::discover(), "/tmp/model.json");
  }
  void TearDown() override {
    if (before_) std::system("charm malloc weights --kernel --withdraw");
  }

  std::optional<charm::memory_traffic::KernelWeights> before_;
};

TEST_F(WeightedInterleave, PagesThatNoMallocReachesFollowTheKernelsWeights) {
  ASSERT_EQ(std::system("charm malloc weights --kernel --model /tmp/model.json"), 0);
  EXPECT_EQ(pages_under("weighted"), 0) << contents("/tmp/said");
  EXPECT_NE(contents("/tmp/said").find("(the kernel's weights)"), std::string::npos) << contents("/tmp/said");
}

TEST_F(WeightedInterleave, TheKernelsOwnWeightsComeBack) {
  for (int i = 0; i < 2; ++i) {  // the second call must not take the first one's weights for what was there
    ASSERT_EQ(std::system("charm malloc weights --kernel --model /tmp/model.json"), 0);
    EXPECT_NE(read_kernel_weights()->of_node, before_->of_node);
    EXPECT_FALSE(read_kernel_weights()->automatic.value_or(false));
  }
  ASSERT_EQ(std::system("charm malloc weights --kernel --withdraw"), 0);
  EXPECT_EQ(read_kernel_weights()->of_node, before_->of_node);
  if (std::getenv("EXPECT_GB_PER_S") != nullptr) {  // else the kernel has nothing to choose by
    EXPECT_EQ(read_kernel_weights()->automatic, before_->automatic);
  }
}

TEST_F(WeightedInterleave, WeightsThatTheKernelHasNotAreTold) {
  ASSERT_EQ(std::system("charm malloc weights --model /tmp/model.json --file /tmp/weights"), 0);
  ASSERT_EQ(std::system("charm run --mem weighted=/tmp/weights -- true 2>/tmp/said"), 0);
  EXPECT_NE(contents("/tmp/said").find("asked for were"), std::string::npos) << contents("/tmp/said");
  ASSERT_EQ(std::system("charm malloc weights --kernel --model /tmp/model.json"), 0);
  EXPECT_EQ(pages_under("weighted=/tmp/weights"), 0);
  EXPECT_EQ(contents("/tmp/said").find("asked for were"), std::string::npos) << contents("/tmp/said");
}

// Runs under `charm run`.
TEST(InterleaveChild, DISABLED_MappedPagesFollowTheWeights) {
  const charm::Machine machine = charm::Machine::discover();
  double sum = 0;
  for (const charm::Node& node : machine.nodes) sum += gb_per_s(node.os_index);
  constexpr std::size_t bytes = std::size_t{48} << 20U, page = 4096;
  auto* block = static_cast<char*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(block, MAP_FAILED);
  madvise(block, bytes, MADV_NOHUGEPAGE);
  std::map<int, double> pages;
  for (std::size_t at = 0; at < bytes; at += page) {
    block[at] = 1;
    pages[charm::os::page_home(block + at).node] += 1;
  }
  for (const charm::Node& node : machine.nodes) {
    EXPECT_NEAR(pages[node.os_index] / (static_cast<double>(bytes) / page), gb_per_s(node.os_index) / sum, .02)
        << "node " << node.os_index;
  }
  munmap(block, bytes);
}

}  // namespace
