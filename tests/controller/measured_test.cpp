// What was measured of the machine (docs/design/probe.md) decides what the default controller tries first.
#include <gtest/gtest.h>

#include "controller/controller.hpp"
#include "controller/memory_bandwidth.hpp"
#include "placement/machines.hpp"
#include "placement/placement_policy.hpp"

using namespace charm::controller;

namespace {

charm::Machine with_profile() {
  charm::Machine machine = charm::test::uniform(1, 8, 8);
  machine.measured.profile = "a file";
  machine.measured.date = "2026-02-01T00:00:00Z";
  return machine;
}

/// The first move of eight workers. \param other_chiplet, memory lines in a tick.
Decision first_move(const charm::Machine& machine, double other_chiplet, double memory, int spread = 2) {
  const auto placement = charm::placement::policy("local").place(machine, {.workers = 8, .spread = spread});
  const auto controller = make_controller("adaptive", setup_for(machine, placement, traits_for(machine)));
  Signals signals;
  signals.elapsed = 0.05;
  signals.workers = 8;
  signals.counters = true;
  signals.busy = 0.4;
  signals.user_work = 1000;
  signals.instructions = 1e9;
  signals.fills[index_beyond_l2(FillSource::other_chiplet)] = other_chiplet;
  signals.fills[index_beyond_l2(FillSource::local_dram)] = memory;
  for (int tick = 1; tick < 1000 && controller->log().total() == 0; ++tick) {
    signals.time = tick * signals.elapsed;
    controller->tick(signals);
  }
  return controller->log().entries().empty() ? Decision{} : controller->log().entries().front();
}

TEST(MeasuredRates, AreBelievedTogetherOrNotAtAll) {
  charm::Machine machine = with_profile();
  const std::string unmeasured = traits_for(machine).rates_source;
  EXPECT_NE(unmeasured, "measured");
  machine.measured.chiplet_memory_gb_per_s = 40;
  EXPECT_EQ(traits_for(machine).rates_source, unmeasured);
  machine.measured.chiplet_memory_gb_per_s = 0;
  machine.measured.node_memory_gb_per_s = 160;
  EXPECT_EQ(traits_for(machine).rates_source, unmeasured);
  machine.measured.chiplet_memory_gb_per_s = 40;
  EXPECT_EQ(traits_for(machine).rates_source, "measured");
  EXPECT_EQ(traits_for(machine).link_gb_per_s, 40);
  EXPECT_EQ(traits_for(machine).node_gb_per_s, 160);
  machine.measured.node_memory_gb_per_s = 30;
  EXPECT_EQ(traits_for(machine).node_gb_per_s, 40) << "a node gives a chiplet what the chiplet got";
}

TEST(MeasuredLatencies, OfMemoryDecideWhetherToSpreadFirst) {
  charm::Machine machine = with_profile();
  EXPECT_EQ(first_move(machine, 1.2e6, 1e6).to, 1) << "on Milan both take as long, and more lines are others'";
  machine.measured.memory_latency_ns = {{190}};
  EXPECT_EQ(first_move(machine, 1.2e6, 1e6).to, 4);
  machine.measured.doubts = {"the machine was busy"};
  EXPECT_EQ(first_move(machine, 1.2e6, 1e6).to, 1);
}

TEST(MeasuredLatencies, OfOtherChipletsDecideWhetherToPackFirst) {
  charm::Machine machine = with_profile();
  EXPECT_EQ(first_move(machine, 0.9e6, 1e6).to, 4);
  machine.measured.chiplet_latency_ns = 160;
  EXPECT_EQ(first_move(machine, 0.9e6, 1e6).to, 1);
}

TEST(MeasuredLatencies, EachTellsItsSource) {
  charm::Machine machine = with_profile();
  EXPECT_EQ(traits_for(machine).source, "estimated, as on epyc-7713");
  machine.measured.l3_latency_ns = 15;
  machine.measured.memory_latency_ns = {{99}};
  Traits traits = traits_for(machine);
  EXPECT_EQ(traits.source,
            "measured on 2026-02-01T00:00:00Z: own_chiplet, local_dram; as on epyc-7713: other_chiplet, remote_cache, "
            "remote_dram");
  EXPECT_EQ(traits.measured, (std::array{true, false, false, true, false}));
  EXPECT_EQ(traits.latency_ns[0], 15);
  EXPECT_EQ(traits.latency_ns[3], 99);
}

/// Another socket's memory is meant, where there is one; a node without cpus is another kind of memory.
TEST(MeasuredLatencies, OfRemoteMemoryAreThoseOfOtherSockets) {
  charm::test::Shape shape;
  shape.sockets = {{{{8, 32 << 20}}, {{8, 32 << 20}}}, {{{8, 32 << 20}}, {{8, 32 << 20}}}};
  charm::Machine machine = charm::test::build(shape);
  machine.measured.profile = "a file";
  machine.measured.memory_latency_ns = {{100, 120, 210, 230}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}};
  EXPECT_EQ(traits_for(machine).latency_ns[3], 100);
  EXPECT_EQ(traits_for(machine).latency_ns[4], 220);
  machine.nodes[3].cpus = {};
  EXPECT_EQ(traits_for(machine).latency_ns[4], 210);
  machine.measured.memory_latency_ns = {{100, 120, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}};
  EXPECT_EQ(traits_for(machine).latency_ns[4], 120);
}

TEST(MeasuredLatencies, MakeEstimatesOfWhatIsFartherGiveWay) {
  charm::Machine machine = with_profile();
  machine.measured.memory_latency_ns = {{300}};
  EXPECT_EQ(traits_for(machine).latency_ns[4], 300) << "remote memory, 200 ns on Milan";
}

/// Lines in a tick of 50 ms.
double lines_of(double gb_per_s) { return gb_per_s * 1e9 * 0.05 / 64; }

charm::Machine with_rates(double core, double chiplet, double node) {
  charm::Machine machine = with_profile();
  machine.measured.node_gb_per_s = {{core}};
  machine.measured.chiplet_memory_gb_per_s = chiplet;
  machine.measured.node_memory_gb_per_s = node;
  return machine;
}

TEST(MemoryBandwidth, OfALevelIsWhatCoresLinksAndMemoryCarry) {
  using Rates = std::vector<double>;
  const auto rates = [](const charm::Machine& machine, int workers) {
    const auto placement = charm::placement::policy("local").place(machine, {.workers = workers});
    return setup_for(machine, placement, traits_for(machine)).memory_gb_per_s;
  };
  EXPECT_EQ(rates(charm::test::uniform(1, 8, 8), 8), (Rates{45, 90, 155, 155})) << "published, of Milan";
  EXPECT_EQ(rates(with_rates(12, 45, 155), 8), (Rates{45, 90, 96, 96})) << "eight cores read no more";
  EXPECT_EQ(rates(with_rates(30, 20, 155), 16), (Rates{40, 80, 155}));
  EXPECT_EQ(rates(charm::test::uniform(2, 8, 8), 64), (Rates{155, 310})) << "two sockets' memories";
  EXPECT_EQ(saturating_level({45, 90, 155, 155}), 2);
  EXPECT_EQ(saturating_level({45, 90, 96, 96}), 2);
}

TEST(MemoryBandwidth, SpreadsWorkThatIsBoundByItToAsManyChipletsAsAddSome) {
  const auto to = [](const charm::Machine& machine, double gb_per_s, int spread = 1) {
    return first_move(machine, 0, lines_of(gb_per_s), spread).to;
  };
  const charm::Machine milan = charm::test::uniform(1, 8, 8);
  EXPECT_EQ(to(milan, 40), 4);
  EXPECT_EQ(to(milan, 10), 2) << "it waits for memory, but not for its bandwidth";
  EXPECT_EQ(to(milan, 140, 4), 8) << "more add no bandwidth, but caches";
  EXPECT_EQ(to(with_rates(0, 20, 155), 18), 8);
  EXPECT_EQ(to(with_rates(0, 80, 150), 70), 2);
  EXPECT_EQ(to(with_rates(12, 45, 155), 40), 4);
}

TEST(MemoryBandwidth, IsNamedAsTheReasonWithItsSource) {
  EXPECT_EQ(first_move(charm::test::uniform(1, 8, 8), 0, lines_of(40), 1).reason,
            "100 % of the time on memory, 40 GB/s from memory of at most 45 by 1 chiplet, 155 by 4, as on epyc-7713");
  EXPECT_NE(first_move(with_rates(0, 20, 155), 0, lines_of(18), 1).reason.find(", measured"), std::string::npos);
}

/// How many chiplets of one socket saturate its memory, by the published rates of the most similar known machine.
TEST(MemoryBandwidth, SaturatesOnTheFilesOfRealMachinesWherePublishedRatesSay) {
  const auto chiplets = [](const char* file, int workers) {
    const auto machine = charm::Machine::from(std::string(CHARM_TEST_DATA "/topologies/") + file);
    const auto placement = charm::placement::policy("local").place(
        machine, {.workers = workers, .sockets = charm::placement::SocketOrder::fill});
    const struct Setup setup = setup_for(machine, placement, traits_for(machine));
    return setup.levels[static_cast<std::size_t>(saturating_level(setup.memory_gb_per_s))];
  };
  EXPECT_EQ(chiplets("AMD-19h-Zen3-2xEpyc-7763.xml", 8), 4) << "45 GB/s a chiplet, 155 a socket";
  EXPECT_EQ(chiplets("AMD-19h-Zen4-2xEpyc-9654.xml", 8), 8) << "62 GB/s a chiplet, 370 a socket";
}

}  // namespace
