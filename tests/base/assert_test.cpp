#include "assertion.hpp"

namespace {

TEST(AssertDeathTest, NamesThePlaceTheMeaningAndTheCondition) {
  NEEDS_ASSERTIONS();
  const int workers = 0;
  EXPECT_DEATH(CHARM_ASSERT(workers > 0, "a runtime has workers"),
               "charm: .*assert_test.cpp:[0-9]+: this must hold and does not: a runtime has workers \\(workers > 0\\)");
}

TEST(Assert, LetsTheProgramGoOnWhereItHolds) {
  CHARM_ASSERT(1 + 1 == 2, "numbers add up");
  SUCCEED();
}

TEST(Assert, EvaluatesNothingWhereItIsOff) {
#ifdef CHARM_ASSERTIONS
  const int expected = 1;
#else
  const int expected = 0;
#endif
  int looks = 0;
  const auto look = [&] { return ++looks > 0; };
  CHARM_ASSERT(look(), "the condition is looked at");
  EXPECT_EQ(looks, expected);
}

}  // namespace
