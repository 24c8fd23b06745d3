// What ranks do in a step, put together along the tree.
#include "ranks/doing.hpp"

#include <gtest/gtest.h>

namespace charm::remote {
namespace {

StepHead head_of(const Doing& doing) { return {doing, {}}; }

TEST(Doing, TheSameOfAllIsNoProblem) {
  StepHead head = head_of({0, StepKind::gather, -1, 0, 8});
  head.add(head_of({1, StepKind::gather, -1, 0, 8}));
  EXPECT_FALSE(head.differs());
}

TEST(Doing, NamesOneOfEachKind) {
  StepHead head = head_of({0, StepKind::barrier, -1, 0, 16});
  head.add(head_of({1, StepKind::barrier, -1, 0, 16}));
  head.add(head_of({2, StepKind::broadcast, 1, 0, 1}));
  head.add(head_of({3, StepKind::finalize, -1, 0, 16}));
  EXPECT_EQ(head.problem(),
            "the ranks do not take the same step: rank 0 calls barrier(), and rank 2 calls broadcast() of 1 byte from "
            "rank 1");
}

TEST(Doing, WhatWasFoundBelowGoesUp) {
  StepHead below = head_of({4, StepKind::barrier, -1, 0, 16});
  below.add(head_of({5, StepKind::finalize, -1, 0, 16}));
  StepHead head = head_of({0, StepKind::barrier, -1, 0, 16});
  head.add(below);
  EXPECT_EQ(head.problem(), "the ranks do not take the same step: rank 0 calls barrier(), and rank 5 calls finalize()");
}

TEST(Doing, ValuesOfDifferentSizesDiffer) {
  StepHead head = head_of({0, StepKind::gather, -1, 0, 8});
  head.add(head_of({1, StepKind::gather, -1, 0, 4}));
  EXPECT_TRUE(head.differs());
}

}  // namespace
}  // namespace charm::remote
