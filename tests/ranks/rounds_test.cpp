#include "ranks/rounds.hpp"

#include <gtest/gtest.h>

namespace charm::remote {
namespace {

TEST(Rounds, TwoQuietOnesAreTheEnd) {
  Rounds rounds;
  EXPECT_FALSE(rounds.ended({.active = false, .given = 3, .received = 3}));
  EXPECT_TRUE(rounds.ended({.active = false, .given = 3, .received = 3}));
}

TEST(Rounds, NothingHasEndedWhileTasksAreOnTheWay) {
  Rounds rounds;
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(rounds.ended({.active = false, .given = 4, .received = 3}));
  EXPECT_FALSE(rounds.ended({.active = false, .given = 4, .received = 4}));
  EXPECT_TRUE(rounds.ended({.active = false, .given = 4, .received = 4}));
}

// The second rank was asked before it got the tasks, and the third after it had given them: both had none.
TEST(Rounds, TasksThatMoveFromRankToRankBehindTheQuestionsAreSeen) {
  Rounds rounds;
  EXPECT_FALSE(rounds.ended({.active = false, .given = 1, .received = 0}));
  EXPECT_FALSE(rounds.ended({.active = false, .given = 2, .received = 1}));
  EXPECT_FALSE(rounds.ended({.active = false, .given = 3, .received = 2}));
}

TEST(Rounds, ARankThatWasActiveBeginsAnew) {
  Rounds rounds;
  EXPECT_FALSE(rounds.ended({.active = true, .given = 2, .received = 2}));
  EXPECT_FALSE(rounds.ended({.active = false, .given = 2, .received = 2}));
  EXPECT_FALSE(rounds.ended({.active = true, .given = 2, .received = 2}));
  EXPECT_FALSE(rounds.ended({.active = false, .given = 2, .received = 2}));
  EXPECT_TRUE(rounds.ended({.active = false, .given = 2, .received = 2}));
}

}  // namespace
}  // namespace charm::remote
