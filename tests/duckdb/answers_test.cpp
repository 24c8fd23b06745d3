// Which answers to a query count as the same.
#include "workloads/olap/answers.hpp"

#include <gtest/gtest.h>

using charm::workloads::AnswerRows;
using charm::workloads::difference;
using charm::workloads::rows_of;

namespace {

TEST(Answers, AreReadWithoutTheLineOfNames) {
  EXPECT_EQ(rows_of("a|b\n1|x y\n2|\n"), (AnswerRows{{"1", "x y"}, {"2", ""}}));
  EXPECT_TRUE(rows_of("a|b\n").empty());
}

TEST(Answers, MayBeNullAlone) {
  EXPECT_EQ(rows_of("avg_yearly\n\n"), (AnswerRows{{""}}));
  EXPECT_EQ(difference({{"NULL"}}, rows_of("avg_yearly\n\n")), "");
  EXPECT_NE(difference({{"NULL"}}, {{"0"}}), "");
  EXPECT_NE(difference({{""}}, {{"NULL"}}), "");
}

TEST(Answers, NumbersMayBeWrittenDifferentlyAndDifferByRounding) {
  EXPECT_EQ(difference({{"312", "x"}}, {{"312.00", "x"}}), "");
  EXPECT_EQ(difference({{"0.30000000000000004"}}, {{"0.3"}}), "");
  EXPECT_NE(difference({{"1000001"}}, {{"1000003"}}), "");
  EXPECT_NE(difference({{"1995-03-01"}}, {{"1995-03-02"}}), "") << "no number";
  EXPECT_NE(difference({{"-1"}}, {{"1"}}), "");
}

TEST(Answers, RowsThatTieMayBeExchangedAndOthersNotReplaced) {
  EXPECT_EQ(difference({{"1", "b"}, {"1", "a"}}, {{"1", "a"}, {"1", "b"}}), "");
  EXPECT_EQ(difference({{"1", "b"}, {"1", "b"}}, {{"1", "a"}, {"1", "b"}}), "row 1 is 1|b and should be 1|a");
}

TEST(Answers, MissingRowsAndColumnsAreSeen) {
  EXPECT_EQ(difference({}, {{"1"}}), "0 rows where 1 are right");
  EXPECT_EQ(difference({{"1"}, {"2"}}, {{"1"}}), "2 rows where 1 are right");
  EXPECT_NE(difference({{"1", "2"}}, {{"1"}}), "");
  EXPECT_EQ(difference({}, {}), "");
}

}  // namespace
