// Cpusets that change while a program is steered, as the kubelet's static policy changes those of pods beside it.
#include <memory>
#include <optional>

#include <gtest/gtest.h>

#include "attach/steered_program.hpp"
#include "placement/restrict.hpp"
#include "tools/attach/attachment.hpp"

namespace {

using charm::CpuSet;
using charm::attach::Attachment;
using charm::test::FakeProgram;

class Grants final : public charm::os::CpuWatch {
 public:
  explicit Grants(const FakeProgram& program) : program_(program) {}
  std::optional<CpuSet> granted() override { return program_.cpuset; }
  CpuSet mask() override { return program_.cpuset; }
  bool bind(const CpuSet& /*cpus*/) override { return true; }

 private:
  const FakeProgram& program_;
};

/// Two threads that compute, and main, which waits.
class Cpusets : public testing::TestWithParam<bool> {
 protected:
  Cpusets() {
    program.cpuset = machine.allowed_cpus;
    const int main = program.start(0.0);
    one = program.start(1.0, main);
    other = program.start(1.0, main);
    attachment = std::make_unique<Attachment>(program, charm::test::plan_on(machine, "local"), 0, machine.allowed_cpus,
                                              false, nullptr, std::make_unique<Grants>(program), 0);
  }
  void grant(const CpuSet& cpus, double seconds) {
    program.set_cpuset(cpus, GetParam());
    pass(seconds);
  }
  void pass(double seconds) {
    for (const double end = now + seconds; now < end; now += 0.01) {
      program.pass(0.01);
      if (now >= due) due = attachment->step(now);
    }
  }
  /// Each has a core of its own.
  void expect_placed(const char* when) {
    const CpuSet first = program.at(one).mask;
    const CpuSet second = program.at(other).mask;
    EXPECT_EQ(first.size(), 1U) << when << ": " << first.to_text();
    EXPECT_EQ(second.size(), 1U) << when << ": " << second.to_text();
    EXPECT_NE(first, second) << when;
    EXPECT_EQ(attachment->thread_placer().tally().left_alone, 0U) << when;
  }

  charm::Machine machine = charm::test::uniform(1, 2, 1);
  FakeProgram program{machine.allowed_cpus};
  std::unique_ptr<Attachment> attachment;
  int one = 0, other = 0;
  double now = 0, due = 0;
};

TEST_P(Cpusets, ThatShrinkAndGrowAgainLeaveNoThreadUnplaced) {
  pass(3);
  expect_placed("before");
  for (const int left : {1, 0, 1}) {
    grant({left}, 3);
    EXPECT_EQ(program.at(one).mask, CpuSet{left});
    EXPECT_EQ(program.at(other).mask, CpuSet{left});
    grant({0, 1}, 3);
    expect_placed("after it has grown");
  }
}

TEST_P(Cpusets, ThatChangeAtEveryMomentLeaveNoThreadUnplaced) {
  pass(3);
  // Kernels that do not remember leave no trace of a cpuset that has shrunk and grown again between two looks at it.
  const double least = GetParam() ? 0 : 0.51;
  for (int moment = 0; moment < 60; ++moment) {
    grant({moment % 2}, least + 0.03 * moment);
    if (moment % 3 == 0) continue;
    grant({0, 1}, 0.55 + 0.02 * (moment % 7));
  }
  pass(3);
  expect_placed("at the end");
}

TEST_P(Cpusets, AMaskThatTheProgramChoseMeanwhileIsItsOwn) {
  pass(3);
  grant({1}, 3);
  grant({0, 1}, 3);
  const CpuSet chosen = program.at(one).mask == CpuSet{0} ? CpuSet{1} : CpuSet{0};
  program.bind({1, one}, chosen);
  pass(3);
  EXPECT_EQ(program.at(one).mask, chosen);
  EXPECT_EQ(attachment->thread_placer().tally().left_alone, 1U);
}

/// Plans on whatever is granted, and counts how often it is asked.
class PlansOnGrants final : public charm::attach::Growth {
 public:
  PlansOnGrants(CpuSet known, int& asked) : known_(std::move(known)), asked_(asked) {}
  [[nodiscard]] const CpuSet& known() const override { return known_; }
  std::optional<charm::attach::AttachPlan> plan_on(const CpuSet& granted) override {
    ++asked_;
    return charm::test::plan_on(charm::placement::restricted(charm::test::uniform(1, 2, 1), granted), "local");
  }
  std::unique_ptr<charm::lease::Lease> lease_on(const charm::attach::AttachPlan& /*plan*/) override { return nullptr; }

 private:
  CpuSet known_;
  int& asked_;
};

/// As Cpusets, but the cpuset has one cpu when the program starts.
class GrowingCpusets : public Cpusets {
 protected:
  GrowingCpusets() {
    const CpuSet first{0};
    program.set_cpuset(first, GetParam());
    attachment = std::make_unique<Attachment>(
        program, charm::test::plan_on(charm::placement::restricted(machine, first), "local"), 0, first, false, nullptr,
        std::make_unique<Grants>(program), 0);
  }
  int asked = 0;
};

TEST_P(GrowingCpusets, GiveTheProgramWhatItWasNotGrantedAtFirst) {
  attachment->may_grow(std::make_unique<PlansOnGrants>(CpuSet{0}, asked));
  pass(3);
  EXPECT_EQ(program.at(one).mask, CpuSet{0});
  EXPECT_EQ(asked, 0);
  for (int round = 0; round < 3; ++round) {
    grant({0, 1}, 3);
    expect_placed("after it has grown");
    grant({0}, 3);
    EXPECT_EQ(program.at(one).mask, CpuSet{0});
    EXPECT_EQ(program.at(other).mask, CpuSet{0});
  }
  EXPECT_EQ(asked, 1) << "what was planned once is known";
  grant({0, 1}, 3);
  attachment->thread_placer().restore();
  EXPECT_EQ(program.at(one).mask, (CpuSet{0, 1})) << "as it would be without all this";
}

TEST_P(GrowingCpusets, ChangeNothingWhereTheUserHasNamedTheCpus) {
  const int child = program.start(1.0, one, 2);  // of a process that is not followed
  program.at(child).followed = false;
  pass(3);
  grant({0, 1}, 3);
  EXPECT_EQ(program.at(one).mask, CpuSet{0});
  EXPECT_EQ(program.at(other).mask, CpuSet{0});
  EXPECT_EQ(program.at(child).mask, CpuSet{0});
}

INSTANTIATE_TEST_SUITE_P(Kernels, GrowingCpusets, testing::Bool(),
                         [](const auto& info) { return info.param ? "ThatRemember" : "BeforeLinux62"; });
INSTANTIATE_TEST_SUITE_P(Kernels, Cpusets, testing::Bool(),
                         [](const auto& info) { return info.param ? "ThatRemember" : "BeforeLinux62"; });

}  // namespace
