// Pages that follow the workers: when, how fast, and when no longer.
#include "tools/attach/page_follower.hpp"

#include <algorithm>
#include <map>
#include <rapidcheck.h>

#include <gtest/gtest.h>

namespace {

using charm::OsNodeSet;
using charm::attach::PageFollower;
using charm::attach::PagesWish;
using When = PagesWish::When;

constexpr std::uint64_t mb = 1'000'000;

class FakePages final : public charm::attach::ProgramPages {
 public:
  std::uint64_t find(const OsNodeSet& nodes) override {
    ++searches;
    to_ = nodes;
    left_ = 0;
    for (const auto& [node, bytes] : on) left_ += nodes.contains(node) ? 0 : bytes;
    return left_;
  }
  Moved move(std::uint64_t most) override {
    const std::uint64_t bytes = std::min(most, left_);
    left_ -= bytes;
    if (refuses) return {0, bytes, left_ == 0};
    std::uint64_t rest = bytes;
    for (auto& [node, there] : on) {
      if (to_.contains(node)) continue;
      const std::uint64_t some = std::min(rest, there);
      there -= some;
      rest -= some;
    }
    on[to_.front()] += bytes;
    return {bytes, 0, left_ == 0};
  }
  bool balanced_by_kernel() override { return balanced; }

  std::map<int, std::uint64_t> on;
  bool refuses = false, balanced = false;
  int searches = 0;

 private:
  OsNodeSet to_;
  std::uint64_t left_ = 0;
};

struct PagedProgram {
  explicit PagedProgram(PagesWish wish, std::map<int, std::uint64_t> on = {{0, 100 * mb}, {1, 0}})
      : follower(pages, wish) {
    pages.on = std::move(on);
  }
  /// The workers stand on a node for so long.
  void stand(int node, double seconds) {
    for (const double end = now + seconds; now < end; now += .01) {
      if (now < due && node == at) continue;
      at = node;
      due = follower.step(now, node < 0 ? OsNodeSet() : OsNodeSet{node});
    }
  }
  FakePages pages;
  PageFollower follower;
  double now = 0, due = 0;
  int at = -2;
};

TEST(PageFollower, KeepsPagesUnlessItIsAsked) {
  PagedProgram program({});
  program.stand(1, 60);
  EXPECT_EQ(program.pages.searches, 0);
  EXPECT_EQ(program.follower.summary(), "");
}

TEST(PageFollower, MovesThemOnceTheWorkersStandStill) {
  PagedProgram program({When::once, 1});
  program.stand(1, 2.9);
  EXPECT_EQ(program.pages.on[0], 100 * mb) << "not before three seconds";
  program.stand(1, 2);
  EXPECT_EQ(program.pages.on[0], 0U);
  EXPECT_EQ(program.follower.summary(), "pages: 100 MB moved to the workers' nodes");
}

TEST(PageFollower, OnceIsOnce) {
  PagedProgram program({When::once, 1});
  program.stand(1, 10);
  program.stand(0, 100);
  EXPECT_EQ(program.pages.on[1], 100 * mb);
}

TEST(PageFollower, FollowsEachMoveThatLasts) {
  PagedProgram program({When::follow, 1});
  for (int round = 0; round < 4; ++round) {
    const int node = round % 2 == 0 ? 1 : 0;
    program.stand(node, 60);
    EXPECT_EQ(program.pages.on[node], 100 * mb) << round;
  }
  EXPECT_EQ(program.follower.moved(), 400 * mb);
}

TEST(PageFollower, TakesTheTimeThatItsRateAllows) {
  PagedProgram program({When::once, .01});  // ten seconds for all of it, after as long a stand
  program.stand(1, 9.9);
  EXPECT_EQ(program.pages.on[0], 100 * mb) << "moving takes ten seconds, so it waits as long";
  program.stand(1, 5);
  EXPECT_NEAR(static_cast<double>(program.pages.on[1]), 50e6, 10e6);
  program.stand(1, 7);
  EXPECT_EQ(program.pages.on[1], 100 * mb);
}

TEST(PageFollower, LeavesThePagesOfWorkersThatGoToAndFro) {
  PagedProgram program({When::follow, 1}, {{0, 10'000 * mb}, {1, 0}});
  for (int round = 0; round < 50; ++round) program.stand(round % 2, 9);
  EXPECT_EQ(program.follower.moved(), 0U) << "moving 10 GB takes ten seconds, and they never stand for so long";
}

TEST(PageFollower, LeavesItToTheKernelWhereThatBalances) {
  PagedProgram program({When::follow, 1});
  program.pages.balanced = true;
  program.stand(1, 60);
  EXPECT_EQ(program.follower.moved(), 0U);
  EXPECT_NE(program.follower.summary().find("NUMA balancing"), std::string::npos);
}

TEST(PageFollower, StopsWhereTheKernelLeavesThemWhereTheyAre) {
  PagedProgram program({When::follow, 1});
  program.pages.refuses = true;
  program.stand(1, 10);
  const int searches = program.pages.searches;
  program.stand(0, 100);
  program.stand(1, 100);
  EXPECT_EQ(program.pages.searches, searches);
  EXPECT_NE(program.follower.summary().find("left 100 MB where they were"), std::string::npos)
      << program.follower.summary();
}

TEST(PageFollower, StopsWherePagesComeBack) {
  PagedProgram program({When::follow, 1});
  program.stand(1, 10);
  EXPECT_EQ(program.pages.on[1], 100 * mb);
  program.pages.on = {{0, 90 * mb}, {1, 10 * mb}};
  program.stand(1, 40);
  EXPECT_NE(program.follower.summary().find("lie elsewhere again"), std::string::npos) << program.follower.summary();
  program.stand(0, 100);
  EXPECT_EQ(program.pages.on[0], 90 * mb);
}

TEST(PageFollower, OfWorkersThatAreNotPlacedDoesNothing) {
  PagedProgram program({When::follow, 1});
  program.stand(-1, 60);
  EXPECT_EQ(program.pages.searches, 0);
}

/// Only for workers that stay, and within the rate, whatever the workers do.
TEST(PageFollower, NeverMovesMoreThanTheRateAllows) {
  EXPECT_TRUE(rc::check([] {
    const double rate = *rc::gen::element(.01, .1, 1.0, 10.0);
    PagedProgram program(
        {*rc::gen::element(When::once, When::follow), rate},
        {{0, *rc::gen::inRange<std::uint64_t>(0, 5000) * mb}, {1, *rc::gen::inRange<std::uint64_t>(0, 500) * mb}});
    for (int round = 0; round < 6; ++round) {
      const std::uint64_t before = program.follower.moved();
      const double seconds = *rc::gen::inRange(1, 60);
      program.stand(*rc::gen::inRange(-1, 2), seconds);
      const auto moved = static_cast<double>(program.follower.moved() - before);
      RC_ASSERT(moved <= (seconds + .12) * rate * 1e9);
    }
    const auto all = static_cast<double>(program.follower.moved());
    RC_ASSERT(all <= (program.now / 2 + .2) * rate * 1e9);  // it waits as long as it moves
  }));
}

}  // namespace
