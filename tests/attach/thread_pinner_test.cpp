// Threads on cpus from a list, of a program that is not there.
#include "tools/attach/thread_pinner.hpp"

#include <gtest/gtest.h>

#include "attach/fake_system.hpp"

namespace {

using namespace charm;
using attach::ThreadPinner;

const CpuSet whole = {0, 1, 2, 3, 8, 9};

TEST(ThreadPinner, PutsTheNthThreadOnTheNthCpuAndBeginsAgainAfterTheLast) {
  test::FakeProgram program(whole);
  const int first = program.start(1);
  ThreadPinner pinner(program, {3, 8, 0}, whole);
  pinner.step(0);
  EXPECT_EQ(program.at(first).mask, (CpuSet{3}));
  const int second = program.start(1, first);
  const int third = program.start(0, first);
  const int fourth = program.start(0, second);
  pinner.step(1);
  EXPECT_EQ(program.at(second).mask, (CpuSet{8}));
  EXPECT_EQ(program.at(third).mask, (CpuSet{0}));
  EXPECT_EQ(program.at(fourth).mask, (CpuSet{3}));
  EXPECT_EQ(pinner.pinned().size(), 4U);
}

TEST(ThreadPinner, BindsAThreadOnceAndLeavesWhatTheProgramDoesThen) {
  test::FakeProgram program(whole);
  const int first = program.start(1);
  ThreadPinner pinner(program, {3, 8}, whole);
  pinner.step(0);
  program.at(first).mask = {9};
  program.start(0, first);
  pinner.step(1);
  EXPECT_EQ(program.at(first).mask, (CpuSet{9}));
  pinner.restore();
  EXPECT_EQ(program.at(first).mask, (CpuSet{9})) << "it chose that";
}

TEST(ThreadPinner, ChildrenThatAreNotFollowedGetTheWholeListUnlessTheyChose) {
  test::FakeProgram program(whole);
  const int first = program.start(1);
  ThreadPinner pinner(program, {3, 8}, whole);
  pinner.step(0);
  const int child = program.start(1, first, 2);
  const int chosen = program.start(1, first, 3);
  program.at(child).followed = false;
  program.at(chosen).followed = false;
  program.at(chosen).mask = {0, 1};
  pinner.step(1);
  EXPECT_EQ(program.at(child).mask, (CpuSet{3, 8}));
  EXPECT_EQ(program.at(chosen).mask, (CpuSet{0, 1}));
  const int second = program.start(1, first);
  pinner.step(2);
  EXPECT_EQ(program.at(second).mask, (CpuSet{8})) << "such a child takes no place in the list";
}

TEST(ThreadPinner, GivesTheMasksBack) {
  test::FakeProgram program(whole);
  const int first = program.start(1);
  program.at(first).mask = {0, 1};
  ThreadPinner pinner(program, {3, 8}, whole);
  pinner.step(0);
  const int second = program.start(1, first);
  pinner.step(1);
  pinner.restore();
  EXPECT_EQ(program.at(first).mask, (CpuSet{0, 1}));
  EXPECT_EQ(program.at(second).mask, whole) << "and not the one cpu of the thread that made it";
}

TEST(ThreadPinner, SaysWhatTheKernelRefused) {
  test::FakeProgram program(whole);
  program.refused.insert(program.start(1));
  ThreadPinner pinner(program, {3}, whole);
  pinner.step(0);
  EXPECT_NE(pinner.trouble(), "");
  EXPECT_EQ(pinner.pinned().front().cpu, -1);
}

}  // namespace
