// Which cpus are left when other programs keep some busy.
#include "placement/quiet.hpp"

#include <algorithm>
#include <rapidcheck.h>

#include <gtest/gtest.h>

#include "placement/bins.hpp"
#include "placement/machines.hpp"
#include "placement/placement_policy.hpp"
#include "placement/restrict.hpp"

namespace {

using namespace charm;
using namespace charm::placement;

TEST(Quiet, BusyCoresAreLeftOutAsFarAsTheOthersSuffice) {
  const Machine machine = test::uniform(1, 2, 4);
  EXPECT_EQ(quiet_cpus(machine, {1, 4, 5}, 3, false), (CpuSet{0, 2, 3, 6, 7}));
  EXPECT_EQ(quiet_cpus(machine, {1, 4, 5}, 6, false), (CpuSet{0, 1, 2, 3, 6, 7})) << "its chiplet is the quieter";
  EXPECT_EQ(quiet_cpus(machine, {1, 4, 5}, 9, false), machine.allowed_cpus);
}

TEST(Quiet, ACoreIsAsBusyAsItsSecondThread) {
  const Machine machine = test::uniform(1, 1, 2, 2);  // cpus 0 and 2 are one core
  EXPECT_EQ(busy_cores(machine, {2}), CoreCpuSet{0});
  EXPECT_EQ(quiet_cpus(machine, {2}, 1, false), (CpuSet{1, 3}));
  EXPECT_EQ(quiet_cpus(machine, {2}, 2, true), (CpuSet{1, 3}));
  EXPECT_EQ(quiet_cpus(machine, {2}, 2, false), machine.allowed_cpus);
  EXPECT_EQ(quiet_cpus(machine, {0}, 3, true), (CpuSet{1, 2, 3})) << "of a busy core its quiet thread first";
  EXPECT_EQ(quiet_cpus(machine, {2}, 3, true), (CpuSet{0, 1, 3}));
}

TEST(Quiet, IsOnlyElsewhereWhereFewerWouldSuffer) {
  const Machine machine = test::uniform(1, 1, 4);
  EXPECT_TRUE(quieter_elsewhere(machine, {0}, {0}, false));
  EXPECT_FALSE(quieter_elsewhere(machine, {3}, {0}, false));
  EXPECT_FALSE(quieter_elsewhere(machine, {0}, {0, 1, 2, 3}, false));
  EXPECT_TRUE(quieter_elsewhere(machine, {0, 1}, {0, 1, 2}, false)) << "one of two";
  EXPECT_FALSE(quieter_elsewhere(machine, {0, 1}, {0, 2, 3}, false));
}

TEST(Quiet, HoldsEnoughAndNoMoreBusyOnesThanItMustAndIsWhereOneStays) {
  EXPECT_TRUE(rc::check([] {
    const Machine machine = *test::any_machine();
    const bool smt = *rc::gen::arbitrary<bool>();
    CpuSet busy;
    for (const int cpu : machine.allowed_cpus) {
      if (*rc::gen::inRange(0, 3) == 0) busy.insert(cpu);
    }
    const int most = capacity(machine, smt);
    const int workers = *rc::gen::inRange(1, most + 3);
    const auto cpus = quiet_cpus(machine, busy, workers, smt);
    RC_ASSERT(cpus.is_subset_of(machine.allowed_cpus));
    const Machine left = restricted(machine, cpus);
    RC_ASSERT(capacity(left, smt) >= std::min(workers, most));
    const auto quiet = quiet_cpus(machine, busy, 0, smt);
    RC_ASSERT(quiet.is_subset_of(cpus));
    const bool enough = !quiet.empty() && capacity(restricted(machine, quiet), smt) >= workers;
    RC_ASSERT((cpus == quiet) == (enough || quiet == machine.allowed_cpus));
    if (workers > most) return;
    Request request;
    request.workers = workers;
    request.smt = smt;
    const std::string name = *rc::gen::element<std::string>("local", "distributed", "numa");
    std::vector<int> worker_cores;
    const Placement placed = placement::policy(name).place(left, request);
    for (const WorkerCore& worker_core : placed.start()) worker_cores.push_back(worker_core.cpu);
    RC_ASSERT(!quieter_elsewhere(machine, busy, worker_cores, smt));
  }));
}

}  // namespace
