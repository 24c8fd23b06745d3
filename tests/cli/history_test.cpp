// The report's time line: where the workers stood, each decision at its place with its sentence, and the signals below.
#include "tools/cli/report/history.hpp"

#include <string>

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace {

using namespace charm;
using cli::history_list;
using cli::history_picture;
using cli::PolicyHistory;

using charm::test::has;

Decision decision(double time, int from, int to) {
  Decision d;
  d.time = time;
  d.from = from;
  d.to = to;
  d.throughput = 5;
  d.reason = "95 % of the time on <memory>";
  d.outcome = "kept, +5.5 %";
  return d;
}

PolicyHistory two_ticks() {
  PolicyHistory history;
  history.policy = "adaptive";
  history.timeline = {{.time = 1, .seconds = 1, .spread = 1, .throughput = 4},
                      {.time = 2, .seconds = 1, .spread = 2, .throughput = 8}};
  history.decisions = {decision(1, 1, 2)};
  return history;
}

TEST(HistoryPicture, DrawsStepsOfTheSpreadAndMarksADecisionWhereItWasMade) {
  const std::string picture = history_picture(two_ticks());
  EXPECT_TRUE(has(picture, "<path class=\"spread\" d=\"M150.0 61.0H429.0L429.0 16.0H708.0\"/>")) << picture;
  EXPECT_TRUE(has(picture, "<circle class=\"decision\" cx=\"429\" cy=\"16\"")) << picture;
  EXPECT_TRUE(has(picture, "from 1 to 2 chiplets")) << "its sentence";
  EXPECT_TRUE(has(picture, "&lt;memory&gt;")) << "escaped";
  EXPECT_TRUE(has(picture, "work per second"));
  EXPECT_TRUE(has(picture, "0 to 8"));
}

TEST(HistoryPicture, HasStallsWhereTheyWereCountedAndAHoleWhereNot) {
  PolicyHistory history = two_ticks();
  EXPECT_FALSE(has(history_picture(history), "stalled on memory"));
  history.timeline[0].stall_dram = history.timeline[0].stall_other_chiplet = .5;
  const std::string picture = history_picture(history);
  EXPECT_TRUE(has(picture, "stalled on memory"));
  EXPECT_TRUE(has(picture, "on other chiplets"));
  // 184 is where the row begins, half of its height of 46 is half of the time; the second tick draws nothing.
  EXPECT_TRUE(has(picture, "<path class=\"signal\" d=\"M289.5 207.0\"/>")) << picture;
}

TEST(HistoryPicture, IsEmptyWithoutPoints) { EXPECT_EQ(history_picture({"local", {}, {}}), ""); }

TEST(HistoryList, HasTheFirstAndTheLastDecisionsOfMany) {
  PolicyHistory history = two_ticks();
  EXPECT_TRUE(has(history_list(history), "<li value=\"1\">"));
  EXPECT_FALSE(has(history_list(history), "more</li>"));
  for (int i = 2; i <= 50; ++i) history.decisions.push_back(decision(i, 1, 2));
  const std::string list = history_list(history);
  EXPECT_TRUE(has(list, "… and 10 more"));
  EXPECT_TRUE(has(list, "<li value=\"20\">"));
  EXPECT_TRUE(has(list, "<li value=\"31\">"));
  EXPECT_FALSE(has(list, "<li value=\"30\">"));
  EXPECT_TRUE(has(list, "<li value=\"50\">"));
  EXPECT_TRUE(has(history_list({"local", {}, {}}), "Nothing was decided"));
}

}  // namespace
