// Masks that the program chose: they are its own, in all its threads and children.
#include <optional>

#include <gtest/gtest.h>

#include "attach/steered_program.hpp"

namespace {

using namespace charm::attach;

using Program = charm::test::SteeredProgram;

TEST(ChosenMasks, MasksThatTheProgramSetsItselfAreLeftAlone) {
  Program run(charm::test::uniform(1, 2, 4), "local");
  const int own = run.program.start(1.0);
  run.program.start(1.0);
  run.program.at(own).mask = {2, 5};
  run.pass(3);
  EXPECT_EQ(run.program.at(own).mask, (charm::CpuSet{2, 5}));
  EXPECT_EQ(run.thread_placer.workers(), 1);

  const int later = run.program.start(1.0);
  run.pass(2);
  run.program.at(later).mask = {1, 6};
  run.pass(3);
  EXPECT_EQ(run.program.at(later).mask, (charm::CpuSet{1, 6}));
  EXPECT_EQ(run.thread_placer.tally().left_alone, 2U);
}

TEST(ChosenMasks, ACpuThatTheProgramChoseIsItsOwnFromTheFirstMoment) {
  Program run(charm::test::uniform(1, 2, 4), "local");
  const int one = run.program.start(1.0);
  run.program.start(1.0);
  run.pass(2);
  ASSERT_NE(run.program.at(one).mask, charm::CpuSet{3});
  run.program.at(one).mask = {3};
  run.pass(1);
  EXPECT_EQ(run.program.at(one).mask, charm::CpuSet{3});
  EXPECT_EQ(run.thread_placer.tally().left_alone, 1U);
  const int child = run.program.start(1.0, one);
  run.pass(3);
  EXPECT_EQ(run.program.at(child).mask, charm::CpuSet{3}) << "inherited from one that chose it";
  EXPECT_EQ(run.thread_placer.tally().left_alone, 2U);
  run.thread_placer.use(narrowed(run.thread_placer.plan(), {4, 5}), run.now);
  run.thread_placer.restore();
  EXPECT_EQ(run.program.at(one).mask, charm::CpuSet{3});
  EXPECT_EQ(run.program.at(child).mask, charm::CpuSet{3});
}

TEST(ChosenMasks, APinThatIsSetJustBeforeThePlanChangesIsSeen) {
  Program run(charm::test::uniform(1, 2, 4), "local");
  const int one = run.program.start(1.0);
  run.program.start(1.0);
  run.pass(2);
  run.program.at(one).mask = {3};
  run.thread_placer.use(narrowed(run.thread_placer.plan(), {4, 5}), run.now);
  EXPECT_EQ(run.program.at(one).mask, charm::CpuSet{3});
}

TEST(ChosenMasks, ChildrenThatAreLeftToThemselvesKeepTheirPinsToo) {
  Program run(charm::test::uniform(1, 2, 4), "local");
  const int first = run.program.start(1.0);
  run.program.start(1.0);
  run.pass(2);
  const auto child_of = [&](int parent, int process) {
    const int child = run.program.start(1.0, parent, process);
    run.program.at(child).followed = false;
    return child;
  };
  const int late = child_of(first, 2);  // pins itself after it was found, as taskset does in a slow moment
  run.pass(0.1);
  run.program.at(late).mask = {6};
  const int early = child_of(first, 3);  // and before
  run.program.at(early).mask = {7};
  run.pass(1);
  EXPECT_EQ(run.program.at(late).mask, charm::CpuSet{6});
  EXPECT_EQ(run.program.at(early).mask, charm::CpuSet{7});
  EXPECT_EQ(run.thread_placer.tally().left_alone, 2U);
  const int grandchild = child_of(early, 4);
  run.pass(1);
  EXPECT_EQ(run.program.at(grandchild).mask, charm::CpuSet{7});
  run.thread_placer.use(narrowed(run.thread_placer.plan(), {4, 5}), run.now);
  EXPECT_EQ(run.program.at(late).mask, charm::CpuSet{6}) << "a change of the share does not undo it";
  run.thread_placer.restore();
  EXPECT_EQ(run.program.at(late).mask, charm::CpuSet{6});
  EXPECT_EQ(run.program.at(grandchild).mask, charm::CpuSet{7});
}

TEST(ChosenMasks, AMaskThatTheProgramWasToldToSetIsAnObedientLibrarysOnceAndAWishTheSecondTime) {
  Program run(charm::test::uniform(1, 2, 4), "local");
  run.thread_placer.expect({{2}, {3}});
  const int one = run.program.start(1.0);
  run.program.start(1.0);
  run.pass(2);
  const charm::CpuSet worker_core = run.program.at(one).mask;
  const int born_bound = run.program.start(0.0, one);
  run.program.at(born_bound).mask = {2};
  run.program.at(one).mask = {3};
  run.pass(1);
  EXPECT_EQ(run.program.at(one).mask, worker_core);
  EXPECT_NE(run.program.at(born_bound).mask, charm::CpuSet{2});
  EXPECT_EQ(run.thread_placer.tally().left_alone, 0U);
  run.program.at(one).mask = {3};
  run.pass(1);
  EXPECT_EQ(run.program.at(one).mask, charm::CpuSet{3});
  EXPECT_EQ(run.thread_placer.tally().left_alone, 1U);
}

TEST(ChosenMasks, AThreadThatTookThePlaceThatItWasToldStaysThere) {
  Program run(charm::test::uniform(1, 2, 4), "distributed");
  run.thread_placer.expect({{0}, {4}, {1}});
  const int one = run.program.start(1.0);
  const int two = run.program.start(1.0);
  const int three = run.program.start(1.0);
  run.program.at(one).mask = {0};
  run.program.at(two).mask = {4};
  run.program.at(three).mask = {1};
  run.pass(2);
  EXPECT_EQ(run.program.at(one).mask, charm::CpuSet{0});
  EXPECT_EQ(run.program.at(two).mask, charm::CpuSet{4});
  EXPECT_EQ(run.program.at(three).mask, charm::CpuSet{1});
  EXPECT_EQ(run.thread_placer.tally().left_alone, 0U);
}

TEST(ChosenMasks, WhatACgroupLeavesOfAMaskIsNobodysWish) {
  Program run(charm::test::uniform(1, 2, 4), "local");
  std::optional<charm::CpuSet> changed;
  run.thread_placer.explain_masks_by([&] { return changed; });
  const int one = run.program.start(1.0);
  run.program.start(1.0);
  run.pass(2);
  changed = charm::CpuSet{4, 5, 6, 7};
  for (auto& [id, thread] : run.program.all) thread.mask = *changed;
  run.pass(0.5);
  EXPECT_EQ(run.thread_placer.tally().left_alone, 0U);
  run.thread_placer.use(narrowed(run.thread_placer.plan(), {4, 5, 6, 7}), run.now);
  run.pass(1);
  EXPECT_EQ(run.program.at(one).mask.size(), 1U);
  EXPECT_EQ(run.cpus_of_workers(), (std::vector{4, 5}));
}

}  // namespace
