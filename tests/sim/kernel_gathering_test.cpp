// The kernel's rule against what Linux 7.3.4 did in a virtual machine (docs/design/simulator.md), and against what
// charm run leaves to it.
#include "tools/sim/kernel_gathering.hpp"

#include <algorithm>
#include <numeric>
#include <rapidcheck.h>

#include <gtest/gtest.h>

#include "placement/machines.hpp"
#include "tools/attach/gathering.hpp"
#include "tools/sim/generator.hpp"
#include "tools/sim/run.hpp"
#include "tools/sim/simulated_policy.hpp"

namespace charm::sim {
namespace {

using Shape = std::vector<int>;

/// Two caches of four cpus, as the virtual machine had.
KernelGathering two_caches(GatheringKnobs knobs = {}) { return {{4, 4}, {16e6, 16e6}, 1, knobs}; }

/// Threads held on both caches in turn, then let go for four seconds.
Shape shape_of(int threads, KernelGathering kernel, double share = 1, double footprint = 0) {
  const int process = kernel.add_process(footprint);
  for (int thread = 0; thread < threads; ++thread) kernel.add_thread(process, thread % 2, share);
  kernel.steps(500);
  Shape shape = kernel.shape(process);
  std::sort(shape.rbegin(), shape.rend());
  return shape;
}

TEST(KernelGathering, GivesTheShapesOfTheRealKernel) {
  EXPECT_EQ(shape_of(2, two_caches()), (Shape{2, 0}));
  EXPECT_EQ(shape_of(3, two_caches()), (Shape{3, 0}));
  EXPECT_EQ(shape_of(4, two_caches()), (Shape{3, 1}));
  EXPECT_EQ(shape_of(5, two_caches()), (Shape{3, 2})) << "too many, so as evenly as before";
  EXPECT_EQ(shape_of(6, two_caches()), (Shape{3, 3}));
  EXPECT_EQ(shape_of(8, two_caches()), (Shape{4, 4}));
}

TEST(KernelGathering, OfHalfBusyThreadsFindsRoomForMore) { EXPECT_EQ(shape_of(4, two_caches(), .5), (Shape{4, 0})); }

TEST(KernelGathering, ObeysItsSwitches) {
  GatheringKnobs off;
  off.enabled = false;
  EXPECT_EQ(shape_of(2, two_caches(off)), (Shape{1, 1}));
  GatheringKnobs none;
  none.aggr_tolerance = 0;
  EXPECT_EQ(shape_of(2, two_caches(none)), (Shape{1, 1}));
  GatheringKnobs all;
  all.aggr_tolerance = 100;
  EXPECT_EQ(shape_of(6, two_caches(all)), (Shape{4, 2})) << "no limit, and yet the home cache is half busy";
}

TEST(KernelGathering, LeavesLargeProcessesAloneWhereNumaBalancingHasSeenTheirPages) {
  GatheringKnobs knobs;
  EXPECT_EQ(shape_of(2, two_caches(knobs), 1, 64e6), (Shape{2, 0})) << "nobody counts its pages";
  knobs.numa_balancing = true;
  EXPECT_EQ(shape_of(2, two_caches(knobs), 1, 64e6), (Shape{1, 1}));
  EXPECT_EQ(shape_of(2, two_caches(knobs), 1, 8e6), (Shape{2, 0}));
}

TEST(KernelGathering, DoesNotForgetThatAProcessWasTooLarge) {
  KernelGathering kernel = two_caches();
  const int process = kernel.add_process();
  std::vector<std::size_t> threads;
  for (int thread = 0; thread < 6; ++thread) threads.push_back(kernel.add_thread(process, thread % 2));
  kernel.steps(500);
  for (std::size_t thread = 2; thread < 6; ++thread) kernel.end_thread(threads[thread]);
  kernel.steps(500);
  EXPECT_EQ(kernel.shape(process), (Shape{1, 1}));
  EXPECT_EQ(kernel.preferred(process), -1);
}

/// As in the virtual machine: each was free before both were held on both caches.
TEST(KernelGathering, RemembersWhereEachOfTwoProcessesWas) {
  KernelGathering kernel = two_caches();
  std::vector<std::size_t> threads;
  for (const int cache : {0, 1}) {
    const int process = kernel.add_process();
    for (int thread = 0; thread < 3; ++thread) threads.push_back(kernel.add_thread(process, cache));
    kernel.steps(50);
  }
  for (std::size_t thread = 0; thread < threads.size(); ++thread)
    kernel.hold_thread(threads[thread], static_cast<int>(thread) % 3 % 2);
  kernel.steps(50);
  EXPECT_EQ(kernel.shape(0), (Shape{2, 1})) << "held";
  for (const std::size_t thread : threads) kernel.release_thread(thread);
  kernel.steps(200);
  EXPECT_EQ(kernel.shape(0), (Shape{3, 0}));
  EXPECT_EQ(kernel.shape(1), (Shape{0, 3}));
}

TEST(KernelGathering, OfTwoProcessesKeepsNobodyApart) {
  KernelGathering kernel = two_caches();
  const int one = kernel.add_process(), two = kernel.add_process();
  for (int thread = 0; thread < 2; ++thread) {
    kernel.add_thread(one, thread % 2);
    kernel.add_thread(two, thread % 2);
  }
  kernel.steps(500);
  EXPECT_EQ(kernel.preferred(one), kernel.preferred(two)) << "both take the first cache for the best";
}

TEST(KernelGathering, LosesNoThreadAndLeavesNoCpuIdleBesideAQueueOfBusyOnes) {
  EXPECT_TRUE(rc::check([] {
    const int caches = *rc::gen::inRange(1, 9), cpus = *rc::gen::inRange(1, 17);
    GatheringKnobs knobs;
    knobs.aggr_tolerance = *rc::gen::element(0, 1, 2, 100);
    knobs.numa_balancing = *rc::gen::arbitrary<bool>();
    KernelGathering kernel(Shape(static_cast<std::size_t>(caches), cpus),
                           std::vector<double>(static_cast<std::size_t>(caches), 16e6), *rc::gen::element(1, 2), knobs);
    Shape sizes;
    for (int p = 0; p < *rc::gen::inRange(1, 4); ++p) {
      const int process = kernel.add_process(*rc::gen::element(0.0, 1e6, 1e9));
      sizes.push_back(*rc::gen::inRange(1, 12));
      for (int thread = 0; thread < sizes.back(); ++thread) kernel.add_thread(process, *rc::gen::inRange(0, caches));
    }
    kernel.steps(300);
    Shape on(static_cast<std::size_t>(caches), 0);
    for (std::size_t p = 0; p < sizes.size(); ++p) {
      const Shape shape = kernel.shape(static_cast<int>(p));
      RC_ASSERT(std::accumulate(shape.begin(), shape.end(), 0) == sizes[p]);
      for (std::size_t cache = 0; cache < shape.size(); ++cache) on[cache] += shape[cache];
    }
    const auto [least, most] = std::minmax_element(on.begin(), on.end());
    if (*most > cpus) RC_ASSERT(*least >= cpus - 1);
  }));
}

/// What `charm run` leaves to the kernel, the kernel does.
TEST(KernelGathering, IsTrustedOnlyWhereItGathersAll) {
  for (const int smt : {1, 2}) {
    for (const int chiplets : {2, 4, 8}) {
      for (const int cores : {2, 3, 4, 6, 8, 12, 16}) {
        const Machine machine = charm::test::uniform(1, chiplets, cores, smt);
        for (int workers = 2; workers <= cores; ++workers) {
          if (!attach::kernel_would_gather(machine, workers, {placement::SocketOrder::fill, 1})) continue;
          KernelGathering kernel(Shape(static_cast<std::size_t>(chiplets), cores * smt),
                                 std::vector<double>(static_cast<std::size_t>(chiplets), 32e6), smt, {});
          const int process = kernel.add_process();
          for (int w = 0; w < workers; ++w) kernel.add_thread(process, w % chiplets);
          kernel.steps(1000);
          const Shape shape = kernel.shape(process);
          EXPECT_EQ(*std::max_element(shape.begin(), shape.end()), workers)
              << chiplets << " caches of " << cores << " cores with " << smt << " threads";
        }
      }
    }
  }
}

TEST(LinuxPolicies, StandApartAndTogether) {
  const Model milan = model("epyc-7713");
  const Workload small = workload("uniform:total_mb=8", 4);
  const auto chiplets = [&](const char* policy) {
    std::vector<int> found;
    const SimulationPlan plan = plan_for(policy, milan, small, 4);
    for (const WorkerCore& one : plan.placement.start()) found.push_back(one.chiplet);
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found.size();
  };
  EXPECT_EQ(chiplets("linux-6"), 4U);
  EXPECT_EQ(chiplets("linux-7.2"), 1U);
  EXPECT_EQ(chiplets("linux-7.2:tolerance=0"), 4U);
}

TEST(LinuxPolicies, GiveEachThreadACoreOfItsOwn) {
  for (const Model& machine : models()) {
    for (const int workers : {2, 3, 5, 8}) {
      if (workers > static_cast<int>(machine.machine.cores.size())) continue;
      for (const char* policy : {"linux-6", "linux-7.2"}) {
        std::vector<int> cores;
        const SimulationPlan plan = plan_for(policy, machine, workload("sweep:mb=1", workers), workers);
        for (const WorkerCore& one : plan.placement.start()) cores.push_back(one.core);
        std::sort(cores.begin(), cores.end());
        EXPECT_EQ(std::unique(cores.begin(), cores.end()), cores.end()) << machine.name << ", " << workers;
      }
    }
  }
}

}  // namespace
}  // namespace charm::sim
