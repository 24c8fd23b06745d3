#include "tools/memory_traffic/kernel_weights.hpp"

#include <charm/error.hpp>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "base/folder.hpp"
#include "base/random.hpp"
#include "os/files/system_files.hpp"

namespace charm::memory_traffic::test {
namespace {

/// A sysfs of our own.
class KernelWeightsTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder()); }
  [[nodiscard]] std::string root() const { return directory_.root(); }
  [[nodiscard]] std::string folder() const { return directory_.path("sys/kernel/mm/mempolicy/weighted_interleave"); }
  void put(const std::string& name, const std::string& text) const { std::ofstream(folder() + "/" + name) << text; }
  [[nodiscard]] std::string get(const std::string& name) const {
    return os::first_line(folder() + "/" + name).value_or("");
  }

 private:
  charm::test::Folder directory_;
};

}  // namespace

TEST_F(KernelWeightsTest, AKernelWithoutTheFolderHasNone) {
  std::filesystem::remove(folder());
  EXPECT_FALSE(read_kernel_weights(root()));
}

TEST_F(KernelWeightsTest, AreReadByNode) {
  put("node0", "3\n");
  put("node10", "255\n");
  const auto weights = read_kernel_weights(root());
  ASSERT_TRUE(weights);
  EXPECT_EQ(weights->of_node, (std::map<int, int>{{0, 3}, {10, 255}}));
  EXPECT_FALSE(weights->automatic) << "this kernel chooses none";
}

TEST_F(KernelWeightsTest, WhoChoosesThemIsReadUnderBothNames) {
  put("node0", "1\n");
  for (const char* name : {"auto", "__auto_type"}) {
    for (const auto& [text, automatic] :
         std::map<std::string, bool>{{"Y", true}, {"true", true}, {"1", true}, {"N", false}, {"false", false}}) {
      put(name, text + "\n");
      EXPECT_EQ(read_kernel_weights(root())->automatic, automatic) << name << " " << text;
    }
    std::filesystem::remove(folder() + "/" + name);
  }
}

TEST_F(KernelWeightsTest, WhatIsWrittenIsReadAgain) {
  put("node0", "1\n");
  put("node2", "1\n");
  write_kernel_weights({{{0, 7}, {2, 2}}, {}}, root());
  EXPECT_EQ(read_kernel_weights(root())->of_node, (std::map<int, int>{{0, 7}, {2, 2}}));
}

TEST_F(KernelWeightsTest, TheKernelsOwnChoiceIsRestoredByItsSwitch) {
  for (const char* name : {"auto", "__auto_type"}) {
    put("node0", "7\n");
    put(name, "false\n");
    write_kernel_weights({{{0, 3}}, true}, root());
    EXPECT_EQ(get(name), "true");
    EXPECT_EQ(get("node0"), "7") << "the kernel itself writes these";
    std::filesystem::remove(folder() + "/" + name);
  }
}

TEST_F(KernelWeightsTest, AFileThatCannotBeWrittenIsNamed) {
  try {
    write_kernel_weights({{{0, 7}}, {}}, root() + "/nowhere");
    FAIL() << "nothing was refused";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("weighted_interleave/node0: No such file"), std::string::npos)
        << error.what();
    EXPECT_NE(std::string(error.what()).find("as root"), std::string::npos) << error.what();
  }
}

TEST(WholeWeights, AreTheSmallestNumbersThatAreNearEnough) {
  EXPECT_EQ(whole_weights({{0, .5}, {1, .5}}), (std::map<int, int>{{0, 1}, {1, 1}}));
  EXPECT_EQ(whole_weights({{0, 300}, {1, 100}}), (std::map<int, int>{{0, 3}, {1, 1}}));
  EXPECT_EQ(whole_weights({{0, 100}, {1, 60}, {2, 17}}), (std::map<int, int>{{0, 12}, {1, 7}, {2, 2}}));
  EXPECT_EQ(whole_weights({{0, 1}, {1, 0}}), (std::map<int, int>{{0, 1}})) << "no weight, no page";
  EXPECT_EQ(whole_weights({{0, 1000}, {1, 1}}), (std::map<int, int>{{0, 32}, {1, 1}})) << "the kernel knows no zero";
  EXPECT_TRUE(whole_weights({}).empty());
}

TEST(WholeWeights, OfAnyPartsAreWithinAHundredthWhereTheKernelsNumbersReach) {
  base::Random random(3);
  for (int i = 0; i < 2000; ++i) {
    NodeParts parts;
    double sum = 0;
    for (int node = 0; node < 2 + static_cast<int>(random.below(7)); ++node) sum += parts[node] = .05 + random.unit();
    for (auto& [node, part] : parts) part /= sum;
    const auto whole = whole_weights(parts);
    ASSERT_EQ(whole.size(), parts.size());
    for (const auto& [node, weight] : whole) {
      ASSERT_GE(weight, 1);
      ASSERT_LE(weight, 32);
    }
    EXPECT_LE(largest_difference(parts_by(whole, parts), parts), .0101);
  }
}

TEST(NodeParts, OfWeightsCountTheNodesThatAreAskedForAlone) {
  EXPECT_EQ(parts_by({{0, 3}, {1, 1}, {2, 9}}, {{0, 1}, {1, 1}}), (NodeParts{{0, .75}, {1, .25}}));
  EXPECT_EQ(parts_by({}, {{4, 1}, {5, 1}}), (NodeParts{{4, .5}, {5, .5}})) << "the kernel's default is one";
}

TEST(NodeParts, DifferByTheirLargestDifference) {
  EXPECT_DOUBLE_EQ(largest_difference({{0, .75}, {1, .25}}, {{0, .5}, {1, .5}}), .25);
  EXPECT_DOUBLE_EQ(largest_difference({{0, 1}}, {{0, .9}, {1, .1}}), .1);
  EXPECT_DOUBLE_EQ(largest_difference({{0, .9}, {1, .1}}, {{0, 1}}), .1);
  EXPECT_DOUBLE_EQ(largest_difference({}, {}), 0);
}

TEST(NodeParts, AreToldInPercent) { EXPECT_EQ(to_text({{0, .75}, {2, .25}}), "node 0 75.0 %, node 2 25.0 %"); }

}  // namespace charm::memory_traffic::test
