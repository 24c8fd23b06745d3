// Programs under `charm run` and `charm attach` while control groups, their partitions and quotas, and cpus change, as
// the kubelet and administrators change them.
#include <charm/machine.hpp>

#include <algorithm>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "vm/groups.hpp"
#include "vm/neighbours.hpp"

namespace {

using charm::CpuSet;
using charm::test::for_ever_ms;
using charm::test::Group;
using charm::test::in_the_end;
using charm::test::Neighbour;

/// Two threads that compute, in `group`; `charm run` is in it, too.
std::unique_ptr<Neighbour> program_in(Group& group) {
  EXPECT_TRUE(group.enter());  // and so does what is started now
  auto program =
      std::make_unique<Neighbour>(Neighbour::Kind::steered, Neighbour::Does{2, for_ever_ms, 0}, "off", "/tmp/grouped");
  EXPECT_TRUE(in_the_end([&] { return program->program() != 0; }));
  return program;
}

/// Whether both threads get a cpu of their own out of `cpus`, or share the only one; and stay there for a while.
bool placed_on(const Neighbour& program, const CpuSet& cpus) {
  int holds = 0;
  return in_the_end([&] {
    std::vector<CpuSet> masks;
    for (const auto& [thread, mask] : charm::test::masks_of(program)) masks.push_back(mask);
    bool good = masks.size() == 2;
    for (const CpuSet& mask : masks) good = good && mask.size() == 1 && (mask - cpus).empty();
    if (good && cpus.size() > 1) good = masks[0] != masks[1];
    holds = good ? holds + 1 : 0;
    return holds >= 20;
  });
}

std::string masks_now(const Neighbour& program) {
  std::string text;
  for (const auto& [thread, mask] : charm::test::masks_of(program)) text += " " + mask.to_text();
  return text;
}

class Cpusets : public testing::Test {
 protected:
  void SetUp() override {
    all_ = charm::os::allowed_cpus();
    if (all_.size() < 4) GTEST_SKIP() << "too few cpus";
    if (!group_.grant(all_)) GTEST_SKIP() << "no control group of cpus can be made here";
  }
  void expect_on(const Neighbour& program, const CpuSet& cpus, const char* when) {
    EXPECT_TRUE(placed_on(program, cpus)) << when << ": not on " << cpus.to_text() << ", but" << masks_now(program);
  }
  CpuSet all_;
  Group group_{"cpusets"};
};

TEST_F(Cpusets, ThatShrinkAndGrowLeaveNoThreadUnplaced) {
  const CpuSet two{all_[0], all_[1]};
  ASSERT_TRUE(group_.grant(two));
  const auto program = program_in(group_);
  expect_on(*program, two, "at first");
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(group_.grant(CpuSet{all_[1]}));
    expect_on(*program, CpuSet{all_[1]}, "after it has shrunk");
    ASSERT_TRUE(group_.grant(two));
    expect_on(*program, two, "after it has grown");
  }
}

TEST_F(Cpusets, OfOneCpuThatGrowAreUsed) {
  ASSERT_TRUE(group_.grant(CpuSet{all_[0]}));
  const auto program = program_in(group_);
  expect_on(*program, CpuSet{all_[0]}, "at first");
  ASSERT_TRUE(group_.grant(CpuSet{all_[2], all_[3]}));
  expect_on(*program, CpuSet{all_[2], all_[3]}, "on others");
  ASSERT_TRUE(group_.grant(all_));
  expect_on(*program, all_, "on all");
}

TEST_F(Cpusets, AreThoseOfTheProgramThatWasAttachedTo) {
  const CpuSet two{all_[0], all_[1]};
  ASSERT_TRUE(group_.grant(two));
  ASSERT_TRUE(group_.enter());
  // Threads of a program without charm: masks_of() lists those of any program of this kind.
  Neighbour program(Neighbour::Kind::plain, Neighbour::Does{2, for_ever_ms, 0}, "off", "/tmp/attached");
  ASSERT_TRUE(in_the_end([&] { return program.program() != 0; }));
  Group outside("outside");
  ASSERT_TRUE(outside.grant(all_));
  ASSERT_TRUE(outside.enter());
  const std::string attach =
      "charm attach -q --share off --policy local " + std::to_string(program.program()) + " & echo $! >/tmp/attach.pid";
  ASSERT_EQ(std::system(attach.c_str()), 0);
  expect_on(program, two, "attached");
  ASSERT_TRUE(group_.grant(CpuSet{all_[1]}));
  expect_on(program, CpuSet{all_[1]}, "after it has shrunk");
  ASSERT_TRUE(group_.grant(CpuSet{all_[2], all_[3]}));
  expect_on(program, CpuSet{all_[2], all_[3]}, "on others");
  std::system("kill $(cat /tmp/attach.pid)");
}

TEST_F(Cpusets, ThatBecomeAPartitionKeepTheProgram) {
  const CpuSet two{all_[2], all_[3]};
  ASSERT_TRUE(group_.grant(two));
  const auto program = program_in(group_);
  expect_on(*program, two, "at first");
  if (!group_.set("cpuset.cpus.partition", "root")) GTEST_SKIP() << "this kernel makes no partition of it";
  expect_on(*program, two, "as a partition");
  ASSERT_TRUE(group_.set("cpuset.cpus.partition", "member"));
  ASSERT_TRUE(group_.grant(all_));
  expect_on(*program, all_, "as a member again");
}

TEST_F(Cpusets, CpusThatAreSwitchedOffAreLeft) {
  const CpuSet two{all_[2], all_[3]};
  ASSERT_TRUE(group_.grant(two));
  const auto program = program_in(group_);
  expect_on(*program, two, "at first");
  charm::test::Switch cpu(all_[3]);
  if (!cpu.set(false)) GTEST_SKIP() << "cpu " << all_[3] << " cannot be switched off";
  expect_on(*program, CpuSet{all_[2]}, "without one");
  ASSERT_TRUE(cpu.set(true));
  expect_on(*program, two, "with it again");
}

/// A quota limits time and no cpu: the threads stay where they are.
TEST_F(Cpusets, AQuotaThatChangesMovesNobody) {
  const CpuSet two{all_[0], all_[1]};
  ASSERT_TRUE(group_.grant(two));
  const auto program = program_in(group_);
  expect_on(*program, two, "at first");
  for (const char* quota : {"100000 100000", "50000 100000", "max 100000"}) {
    if (!group_.set("cpu.max", quota)) GTEST_SKIP() << "no control group limits time here";
    expect_on(*program, two, quota);
  }
}

}  // namespace
