// What is placed and how it is counted, refreshed weights, and the degraded modes, each with its one line.
#include <algorithm>

#include "malloc/under.hpp"

namespace charm::shim::test {
namespace {

class Placing : public UnderTheShim {
 protected:
  Placing() { publish(two_memories()); }
};

long lines_of(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

}  // namespace

TEST_F(Placing, HugeBlocksAreSpreadByWeightInFewCalls) {
  publish(two_memories(0, 0));
  const Said said = run(CHARM_CLIENT_C " again 10", "CHARM_MALLOC_STATS=stderr");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  EXPECT_NE(said.err.find("policy test"), std::string::npos) << said.err;
  EXPECT_EQ(number_behind(said.err, "huge blocks"), 10U);
  EXPECT_EQ(number_behind(said.err, "refused"), 0U);
  const std::size_t at = said.err.find("huge bytes by node 0:");
  ASSERT_NE(at, std::string::npos) << said.err;
  const double first = std::stod(said.err.substr(at + 21));
  const double second = std::stod(said.err.substr(said.err.rfind(":") + 1));
  EXPECT_NEAR(first / (first + second), 0.8, 0.01);
  // Two layers for each block, and the normal chunks and jemalloc's own.
  EXPECT_LE(number_behind(said.err, "calls that placed"), 20 + number_behind(said.err, "normal chunks") + 4);
}

TEST_F(Placing, NormalBlocksComeFromTheArenaOfTheNode) {
  const Said said = run(CHARM_CLIENT_C " again 1", "CHARM_MALLOC_STATS=stderr");
  EXPECT_GE(number_behind(said.err, "normal chunks"), 1U) << said.err;
}

TEST_F(Placing, TheLimitIsASetting) {
  EXPECT_EQ(number_behind(run(CHARM_CLIENT_C " again 10", "CHARM_MALLOC_STATS=stderr CHARM_MALLOC_HUGE=8M").err,
                          "huge blocks"),
            0U);
  EXPECT_GE(number_behind(run(CHARM_CLIENT_C " again 10", "CHARM_MALLOC_STATS=stderr CHARM_MALLOC_HUGE=100K").err,
                          "huge blocks"),
            10U);
  const Said wrong = run("true", "CHARM_MALLOC_HUGE=4Q");
  EXPECT_EQ(wrong.err,
            "charm: malloc: CHARM_MALLOC_HUGE = '4Q' is not usable; give a size of at least 64K, such as 4M\n");
}

TEST_F(Placing, NewWeightsConcernNewBlocks) {
  traffic::WeightPage other = two_memories();
  other.generation = 2;
  std::swap(other.weights[0], other.weights[1]);
  const std::string fresh = folder_.file("other", traffic::page_bytes(other));
  chmod(fresh.c_str(), 0600);
  const Said said = run("sh -c '" CHARM_CLIENT_C " again 100 & sleep 0.2; mv " + fresh + " " + weights_ + "; wait'",
                        "CHARM_MALLOC_STATS=stderr");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  EXPECT_NE(said.err.find("weights read again 1"), std::string::npos) << said.err;
}

TEST_F(Placing, StatisticsGoToAFileOnRequest) {
  const std::string file = folder_.path("statistics");
  EXPECT_EQ(run("true", "CHARM_MALLOC_STATS=" + file).err, "");
  EXPECT_NE(content(file).find("policy test"), std::string::npos);
}

TEST_F(Placing, OptionsOfJemallocCannotBreakIt) {
  const Said said = run(CHARM_CLIENT_C " contract", "MALLOC_CONF=retain:true,narenas:3,oversize_threshold:1M");
  EXPECT_EQ(said.exit_code, 0) << said.err;
}

TEST_F(Placing, ANodeThatMayNotBeUsedIsOneLine) {
  publish(two_memories(9, 1));
  const Said said = run(CHARM_CLIENT_C " contract", "CHARM_MALLOC_STATS=");
  EXPECT_EQ(said.exit_code, 0);
  EXPECT_EQ(lines_of(said.err), 1) << said.err;
  EXPECT_NE(said.err.find("may not use a NUMA node"), std::string::npos) << said.err;
  EXPECT_EQ(run("true", "CHARM_QUIET=1").err, "");
}

TEST_F(Placing, AKernelThatRefusesIsOneLine) {
  const Said said = run(CHARM_REFUSING " " CHARM_CLIENT_C " contract");
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_NE(said.err.find("the kernel refuses to place memory (mbind: error 1)"), std::string::npos) << said.err;
  EXPECT_EQ(lines_of(said.err), 1) << said.err;
}

TEST_F(Placing, WeightsThatCannotBeTrustedAreOneLineAndNoPlacement) {
  const auto expect_unusable = [&](const char* what) {
    const Said said = run(CHARM_CLIENT_C " again 1", "CHARM_MALLOC_STATS=stderr");
    EXPECT_EQ(said.exit_code, 0) << what << said.err;
    EXPECT_NE(said.err.find("no usable weights in '" + weights_ + "'"), std::string::npos) << what << said.err;
    EXPECT_NE(said.err.find("memory was not placed"), std::string::npos) << what << said.err;
  };
  chmod(weights_.c_str(), 0666);
  expect_unusable("others may write it");
  std::ofstream(weights_) << "short";
  chmod(weights_.c_str(), 0600);
  expect_unusable("short");
  traffic::WeightPage page = two_memories();
  page.memories = 1000;
  publish(page);
  expect_unusable("unsound");
  std::filesystem::remove(weights_);
  expect_unusable("missing");
  std::filesystem::create_directory(weights_);
  expect_unusable("a folder");
}

TEST_F(Placing, DamagedWeightsAfterTheStartLeaveTheOldOnes) {
  const Said said = run("sh -c '" CHARM_CLIENT_C " again 60 & sleep 0.1; echo > " + weights_ + "; wait'",
                        "CHARM_MALLOC_STATS=stderr");
  EXPECT_EQ(said.exit_code, 0);
  EXPECT_NE(said.err.find("huge blocks 60"), std::string::npos) << said.err;
}

}  // namespace charm::shim::test
