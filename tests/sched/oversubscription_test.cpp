#include "sched/run/oversubscription.hpp"

#include "assertion.hpp"

namespace {

using State = charm::sched::OversubscriptionState;

TEST(OversubscriptionState, ThatByLoadPassesWhenNobodyReportsIt) {
  State state;
  EXPECT_FALSE(state.is_on());
  EXPECT_TRUE(state.report(false, 1));
  EXPECT_FALSE(state.report(false, 1000)) << "it is on already, and prolonged";
  state.let_pass(1000 + State::load_lasts_ns);
  EXPECT_TRUE(state.is_on());
  state.let_pass(1001 + State::load_lasts_ns);
  EXPECT_FALSE(state.is_on());
}

TEST(OversubscriptionState, ThatOfTooManyWorkersStaysUntilTheRuntimeEnds) {
  State state;
  EXPECT_TRUE(state.report(true, 1));
  state.let_pass(2 + State::load_lasts_ns);
  EXPECT_TRUE(state.is_on());
  state.forget();
  EXPECT_FALSE(state.is_on());
}

TEST(OversubscriptionStateDeathTest, ReportsHaveATime) {
  NEEDS_ASSERTIONS();
  State state;
  EXPECT_ASSERTION(state.report(false, 0), "a report has a time");
  EXPECT_ASSERTION(state.let_pass(0), "time passes from a time on");
  charm::sched::PreemptionDetector detector;
  detector.at(2);
  EXPECT_ASSERTION(detector.at(1), "the time of a search does not run backwards");
}

}  // namespace
