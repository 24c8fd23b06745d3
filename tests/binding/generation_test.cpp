// A placement on what is left of a machine: what happens where cpus are few, unknown, or refused by the policy.
#include "binding/generation.hpp"

#include <utility>

#include <gtest/gtest.h>

#include "base/notices.hpp"
#include "placement/machines.hpp"

namespace {

using charm::binding::make_generation;
using ByWorker = std::vector<int>;  // cpus

struct Asked {
  charm::Machine machine = charm::test::uniform(1, 4, 4);
  std::string spec = "local";
  int workers = 4;
  bool share = false;
  charm::CpuSet cpus = machine.allowed_cpus, preferred;

  [[nodiscard]] charm::binding::PlacementGeneration made() const {
    charm::placement::Request request;
    request.workers = workers;
    request.share_cores = share;
    return make_generation(
        {machine, spec, request, cpus, preferred, std::vector<charm::WorkerCore>(static_cast<std::size_t>(workers))});
  }
  [[nodiscard]] ByWorker cores() const {
    ByWorker cores;
    const auto generation = made();
    for (const charm::WorkerCore& core : generation.placement.start()) cores.push_back(core.cpu);
    return cores;
  }
};

TEST(Generation, StaysOnTheCpusThatMayBeUsed) {
  Asked asked;
  asked.cpus = {5, 6, 7, 9, 10, 11};
  EXPECT_EQ(asked.cores(), (ByWorker{5, 6, 9, 10}));
  EXPECT_EQ(asked.made().placement.start()[2].chiplet, 2) << "ids are the whole machine's";
}

TEST(Generation, WithFewerCoresThanWorkersTheLastRestOrAllTakeTurns) {
  Asked asked;
  asked.cpus = {4, 5};
  auto rests = asked.made();
  EXPECT_EQ(rests.placed, 2);
  EXPECT_FALSE(rests.shared);
  EXPECT_NE(rests.worker_core(1, 1), nullptr);
  EXPECT_EQ(rests.worker_core(2, 1), nullptr);
  asked.share = true;
  auto turns = asked.made();
  EXPECT_TRUE(turns.shared);
  ASSERT_NE(turns.worker_core(3, 1), nullptr);
  EXPECT_EQ(turns.worker_core(3, 1)->cpu, turns.worker_core(1, 1)->cpu);
}

TEST(Generation, CpusThatTheMachineDoesNotListAreUsedOneAWorker) {
  Asked asked;
  asked.cpus = {4, 5, 20, 21};
  EXPECT_EQ(asked.cores(), (ByWorker{4, 5, 20, 21}));
  const auto made = asked.made();
  EXPECT_EQ(made.placement.start()[2].core, -1) << "which core it is is not known";
  asked.share = true;
  asked.workers = 6;
  EXPECT_TRUE(asked.made().shared) << "share_cores holds for these as for the others";
  EXPECT_EQ(asked.cores(), (ByWorker{4, 5, 20, 21, 4, 5}));
}

TEST(Generation, NobodyTakesTurnsWhereEachHasACpu) {
  Asked asked;
  asked.share = true;
  asked.cpus = {4, 5, 20, 21};
  EXPECT_FALSE(asked.made().shared);
  asked.cpus = {4, 5, 6, 7};
  EXPECT_FALSE(asked.made().shared);
  EXPECT_EQ(asked.made().number, 0);
}

TEST(Generation, CpusThatTheMachineListsHaveTheirCoresAlsoWhereTheyAreTooFew) {
  Asked asked;
  asked.cpus = {4, 5};
  const auto made = asked.made();
  for (const charm::WorkerCore& core : made.placement.start()) {
    EXPECT_EQ(core.core, core.cpu);
    EXPECT_EQ(core.chiplet, 1);
  }
}

/// Cpu 0 may be anywhere: here on the last chiplet of the second socket.
TEST(Generation, IdsAreTheMachinesForEveryCpu) {
  Asked asked;
  asked.machine = charm::test::uniform(2, 2, 2);
  for (charm::Core& core : asked.machine.cores) {
    core.cpu = 7 - core.cpu;
    core.siblings = {core.cpu};
  }
  std::swap(asked.machine.nodes[0].cpus, asked.machine.nodes[1].cpus);
  asked.cpus = {0, 1, 2};
  asked.workers = 3;
  const auto made = asked.made();
  for (const charm::WorkerCore& core : made.placement.start()) {
    EXPECT_EQ(core.core, 7 - core.cpu);
    EXPECT_EQ(core.chiplet, (7 - core.cpu) / 2);
    EXPECT_EQ(core.node, 1);
    EXPECT_EQ(core.socket, 1);
  }
}

TEST(Generation, PreferredCpusAreTakenWhereThePolicyCan) {
  Asked asked;
  asked.preferred = {8, 9, 10, 11};
  EXPECT_EQ(asked.cores(), (ByWorker{8, 9, 10, 11}));
  EXPECT_EQ(asked.made().cpus, asked.cpus);
}

TEST(Generation, APolicyThatRefusesIsReplacedAndSaysSo) {
  Asked asked;
  asked.spec = "literal";
  asked.workers = 3;
  EXPECT_EQ(asked.made().fallback, "");
  asked.preferred = {0, 1, 2, 5};  // Algorithm 2 is printed for equal chiplets
  EXPECT_EQ(asked.made().fallback, "") << "all cpus do";
  asked.cpus = {0, 1, 2, 5, 9};
  asked.preferred.clear();
  const auto placed = asked.made();
  EXPECT_NE(placed.fallback.find("placed as 'local' instead"), std::string::npos) << placed.fallback;
  EXPECT_EQ(placed.placed, 3);
}

TEST(Generation, HasAControlGroupWhereThereIsSomethingToDecide) {
  using charm::binding::make_control_group;
  Asked asked;
  const auto generation = asked.made();
  ASSERT_GT(generation.placement.levels.size(), 0U);
  EXPECT_EQ(make_control_group("local", asked.machine, generation.placement, 0), nullptr);
  EXPECT_FALSE(charm::binding::has_choice("local", generation.placement));
  EXPECT_TRUE(charm::binding::has_choice("local", generation.placement, true)) << "how many run";
  asked.workers = 2;
  EXPECT_TRUE(charm::binding::has_choice("local", asked.made().placement, true));
  asked.workers = 1;
  EXPECT_FALSE(charm::binding::has_choice("local", asked.made().placement, true)) << "one worker always runs";
  asked.workers = 4;
  asked.spec = "adaptive";
  const auto moving = asked.made();
  ASSERT_GT(moving.placement.levels.size(), 1U);
  const auto group = make_control_group("adaptive", asked.machine, moving.placement, 0);
  ASSERT_NE(group, nullptr);
  EXPECT_EQ(group->spread(), moving.spread());
  const auto decided = [&](bool only_regions) {
    const auto deciding = only_regions ? make_control_group("adaptive", asked.machine, moving.placement, 0, true)
                                       : make_control_group("adaptive", asked.machine, moving.placement, 0);
    charm::controller::WorkerTotals totals;
    totals.counters = true;
    for (int tick = 1; tick < 200; ++tick) {
      totals.instructions += 1e6;
      totals.busy += deciding->period();
      totals.fills[charm::controller::index_beyond_l2(charm::controller::FillSource::local_dram)] += 1e5;
      for (int worker = 0; worker < asked.workers; ++worker) deciding->poll(worker, totals, tick * deciding->period());
    }
    return deciding->changes() > 0;
  };
  EXPECT_TRUE(decided(false));
  EXPECT_FALSE(decided(true)) << "not outside of regions";
  const std::size_t before = charm::base::notices().size();
  EXPECT_NE(make_control_group("adaptive", asked.machine, moving.placement, 0, false, true), nullptr);
  EXPECT_EQ(charm::base::notices().size(), before);
  EXPECT_NE(make_control_group("charm-alg1", asked.machine, moving.placement, 0, false, true), nullptr);
  ASSERT_EQ(charm::base::notices().size(), before + 1);
  EXPECT_NE(charm::base::notices().back().find("under 'charm-alg1' each worker decides for itself"), std::string::npos);
  asked.cpus = {0, 1, 2, 3};
  EXPECT_EQ(make_control_group("adaptive", asked.machine, asked.made().placement, 0), nullptr) << "one chiplet";
}

}  // namespace
