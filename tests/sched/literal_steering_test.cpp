// The paper's algorithm as printed in the running runtime: each worker for itself, and what happens where Algorithm 2
// refuses the cpus that are left.
#include <charm/charm.hpp>

#include <algorithm>
#include <memory>

#include <gtest/gtest.h>

#include "sched/steered.hpp"
#include "sched/work_until.hpp"

namespace {

using charm::test::Scripted;
using charm::test::Steered;
using charm::test::told;
using charm::test::work_until;

constexpr const char* sixteen_cores = "pack:1 l3:4 core:4 pu:1";

TEST(LiteralSteering, AsPrintedEachWorkerFollowsItsOwnCounts) {
  Scripted::Rates rates;
  rates.only_worker = 1;
  rates.other_chiplet = 1000000;
  Steered steered(2, sixteen_cores, "charm-alg1:period=0.01", 16, {}, std::make_unique<Scripted>(rates));
  auto& runtime = steered.runtime();
  const int quiet = runtime.placement.lookup(0, 1).cpu, spread = runtime.placement.lookup(1, 4).cpu;
  ASSERT_NE(spread, runtime.placement.lookup(1, 1).cpu);
  EXPECT_TRUE(work_until([&] {
    const auto at = charm::worker_cores();
    return at[0].cpu == quiet && at[1].cpu == spread;
  })) << told(charm::decisions());
  EXPECT_EQ(steered.kernel.collisions(), 0);
}

/// Algorithm 2 takes a core's number for a cpu's, so it refuses what is left when cpus in the middle go away.
TEST(LiteralSteering, APolicyThatRefusesTheCpusThatAreLeftSaysThatItIsReplacedAndComesBack) {
  for (const char* policy : {"literal", "charm-alg1"}) {
    Steered steered(3, sixteen_cores, policy, 16);
    const auto first = charm::worker_cores();
    const charm::CpuSet all = steered.runtime().machine.allowed_cpus;
    steered.kernel.set_cpuset({0, 2, 3, 5, 6, 7});
    ASSERT_TRUE(work_until([] { return charm::stats().cpu_changes == 1; }));
    EXPECT_NE(told(charm::decisions()).find("placed as 'local' instead"), std::string::npos)
        << policy << told(charm::decisions());
    const auto notices = charm::stats().notices;
    EXPECT_TRUE(std::any_of(notices.begin(), notices.end(),
                            [](const auto& n) { return n.find("placed as 'local' instead") != std::string::npos; }));
    steered.kernel.set_cpuset(all);
    ASSERT_TRUE(work_until([] { return charm::stats().cpu_changes == 2; }));
    EXPECT_TRUE(work_until([&] { return charm::worker_cores() == first; })) << policy;
    EXPECT_EQ(told(charm::decisions()).rfind("placed as 'local' instead"),
              told(charm::decisions()).find("placed as 'local' instead"))
        << "the second change was not refused";
  }
}

}  // namespace
