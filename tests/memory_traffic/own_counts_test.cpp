// The programs' own traffic by counted fills: which events, the division of a reading, counts from made-up cores and a
// made-up /proc, and what the sampler makes of a program that computes more than it reads.
#include "tools/memory_traffic/own_counts.hpp"

#include <cerrno>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/folder.hpp"
#include "counters/fake_attached.hpp"
#include "memory_traffic/machines.hpp"
#include "memory_traffic/modelled_machine.hpp"
#include "tools/memory_traffic/sampler.hpp"
#include "tools/memory_traffic/source.hpp"

namespace charm::memory_traffic::test {
namespace {

using counters::FillSource;

Machine of_two_sockets() { return Machine::from("pack:2 numa:2 l3:1 core:4 pu:1"); }

memory::WeightPage near_page(const Model& model) { return Sampler(model, of_two_sockets(), policy("local")).page(); }

counters::EventPlan events_of(const std::string& model, const counters::Shape& shape) {
  return memory_events(counters::make_plan(counters::model_named(model), shape, {}));
}

counters::EventPlan near_and_far() {
  counters::EventPlan plan =
      charm::test::attached_plan({{FillSource::local_dram, false}, {FillSource::remote_dram, false}});
  plan.classes = {{FillSource::local_dram, {FillSource::local_dram}, ""},
                  {FillSource::remote_dram, {FillSource::remote_dram}, ""}};
  return plan;
}

Lines lines(std::vector<double> near, std::vector<double> far = {0, 0, 0, 0}) {
  return {std::move(near), std::move(far)};
}

/// A program under the malloc, process 42, whose only thread runs on cpu 1, of node 0.
class MadeUp {
 public:
  MadeUp() {
    folder_.file("proc/42/environ", std::string("LD_PRELOAD=/lib/libcharm_malloc.so\0", 35));
    ticks(0);
  }

  /// Both this thread and a cpu of others have been busy for so long.
  void ticks(int busy) {
    std::string fields = "42 (prog) R";
    for (int field = 4; field <= 39; ++field) fields += " " + std::to_string(field == 14 ? busy : field == 39 ? 1 : 0);
    folder_.line("proc/42/task/42/stat", fields);
    folder_.line("proc/42/stat", fields);
    std::string stat;
    for (int cpu = 0; cpu < 16; ++cpu) {
      const int mine = cpu < 2 ? busy : 0;
      stat += "cpu" + std::to_string(cpu) + " " + std::to_string(mine) + " 0 0 " + std::to_string(1000 + busy - mine) +
              " 0 0 0 0\n";
    }
    folder_.file("proc/stat", stat);
  }

  std::unique_ptr<OwnCounts> counts() {
    return std::make_unique<OwnCounts>(model, events, plan, os::PerfAccess{}, CpuSet{0, 1});
  }

  OwnTraffic traffic() { return {model, OwnPrograms(model, folder_.root()), counts()}; }

  /// The made-up count of an event (near 1, far 2) of a thread or cpu.
  void count(int thread, int cpu, std::uint64_t event, std::uint64_t value) {
    ++time_;
    for (std::size_t i = 0; i < events->opened.size(); ++i) {
      const auto& one = events->opened[i];
      if (one.tid == thread && one.cpu == cpu && one.config == event) events->values[i] = {value, time_, time_};
    }
  }

  Model model = kunpeng(30);
  counters::EventPlan plan = near_and_far();
  std::shared_ptr<charm::test::FakeAttached> events = std::make_shared<charm::test::FakeAttached>();

 private:
  charm::test::Folder folder_;
  std::uint64_t time_ = 0;
};

}  // namespace

TEST(OwnCounts, TakeTheEventsOfMemoryAlone) {
  const counters::Shape two{2, 2, 2};
  for (const std::string model : {"zen2", "zen4", "icx", "spr", "kunpeng920"}) {
    const counters::EventPlan plan = events_of(model, two);
    ASSERT_FALSE(plan.groups.empty()) << model;
    for (const auto& group : plan.groups) {
      for (const counters::Planned& one : group)
        EXPECT_TRUE(one.source == FillSource::local_dram || one.source == FillSource::remote_dram ||
                    one.source == FillSource::other)
            << model << " " << one.name;
    }
  }
  EXPECT_TRUE(events_of("zen4", {1, 1, 1}).groups.empty()) << "one node: nothing is far";
}

TEST(OwnCounts, DivideAReadingByLinesAndNotByBusyCores) {
  const Model model = kunpeng(30);
  const memory::WeightPage page = near_page(model);
  Bandwidths reading = no_traffic(model);
  reading.memory[0] = 30;
  // Near: the programs have a tenth of the lines of node 0's memory, of which the page has nine tenths and more.
  EXPECT_NEAR(own_flow(model, page, reading, {lines({10, 0, 0, 0}), lines({90, 0, 0, 0})}).memory[0], 3, 1e-9);
  EXPECT_NEAR(own_flow(model, page, reading, {lines({10, 0, 0, 0}), lines({0, 0, 0, 0})}).memory[0], 30, 1e-9);
  EXPECT_EQ(own_flow(model, page, reading, {lines({0, 0, 0, 0}), lines({0, 0, 0, 0})}).memory[0], 0);
}

TEST(OwnCounts, LinesFromFarAreNotTakenForNearOnes) {
  const Model model = kunpeng(30);
  memory::WeightPage page = near_page(model);
  page.weights[0] = {500, 0, 500, 0};  // the own node and one of the other socket
  Bandwidths reading = no_traffic(model);
  reading.memory = {20, 0, 20, 0};
  // Others on node 0 read all of theirs from elsewhere: evenly from the three other memories.
  const Bandwidths own =
      own_flow(model, page, reading, {lines({10, 0, 0, 0}, {10, 0, 0, 0}), lines({0, 0, 0, 0}, {30, 0, 0, 0})});
  EXPECT_NEAR(own.memory[0], 20, 1e-9) << "nobody else reads there";
  EXPECT_GT(own.memory[2], 6);
  EXPECT_LT(own.memory[2], 11);
}

TEST(OwnCounts, WhereCoresTellOnlySocketsApartNearIsTheSocket) {
  const Model model = kunpeng(30);
  memory::WeightPage page = near_page(model);
  page.weights[0] = {500, 500, 0, 0};
  Bandwidths reading = no_traffic(model);
  reading.memory = {10, 10, 0, 0};
  CountedLines counted{lines({10, 0, 0, 0}), lines({0, 0, 0, 10}), true};
  const Bandwidths own = own_flow(model, page, reading, counted);
  EXPECT_NEAR(own.memory[0], 10, 1e-9);
  EXPECT_NEAR(own.memory[1], 10, 1e-9);
  counted.near_is_socket = false;
  EXPECT_NEAR(own_flow(model, page, reading, counted).memory[1], 0, 1e-9);
}

TEST(OwnTraffic, IsCountedOnThreadsAndCpus) {
  MadeUp machine;
  OwnTraffic traffic = machine.traffic();
  const memory::WeightPage page = near_page(machine.model);
  Bandwidths reading = no_traffic(machine.model);
  reading.memory[0] = 20;
  EXPECT_EQ(traffic.part_of(reading, 10, page).memory[0], 0);
  EXPECT_FALSE(traffic.is_counted());
  // The thread was as busy as the others together, but had a tenth of the lines.
  machine.ticks(200);
  machine.count(42, -1, 1, 1000);
  machine.count(-1, 0, 1, 9000);
  machine.count(-1, 1, 1, 1000);
  EXPECT_NEAR(traffic.part_of(reading, 12, page).memory[0], 2, 1e-6);
  EXPECT_TRUE(traffic.is_counted());
  EXPECT_EQ(traffic.why_not_counted(), "");
  // What was counted before does not count again.
  machine.ticks(400);
  machine.count(42, -1, 1, 2000);
  machine.count(-1, 0, 1, 9000);
  machine.count(-1, 1, 1, 2000);
  EXPECT_NEAR(traffic.part_of(reading, 14, page).memory[0], 20, 1e-6);
}

TEST(OwnTraffic, IsEstimatedWhereTheKernelCountsNothing) {
  MadeUp machine;
  machine.events->refuse = EACCES;
  OwnTraffic traffic = machine.traffic();
  const memory::WeightPage page = near_page(machine.model);
  Bandwidths reading = no_traffic(machine.model);
  reading.memory[0] = 20;
  traffic.part_of(reading, 10, page);
  machine.ticks(200);
  EXPECT_NEAR(traffic.part_of(reading, 12, page).memory[0], 10, 0.1);
  EXPECT_FALSE(traffic.is_counted());
  EXPECT_NE(traffic.why_not_counted(), "");
  EXPECT_TRUE(machine.events->opened.empty());
}

TEST(OwnTraffic, IsEstimatedWhereNotAllCanBeCounted) {
  MadeUp machine;
  machine.events->room_for = 35;  // for the events of one cpu
  OwnTraffic traffic = machine.traffic();
  const memory::WeightPage page = near_page(machine.model);
  Bandwidths reading = no_traffic(machine.model);
  reading.memory[0] = 20;
  traffic.part_of(reading, 10, page);
  machine.events->room_for = 33;
  machine.ticks(200);
  EXPECT_NEAR(traffic.part_of(reading, 12, page).memory[0], 10, 0.1);
  EXPECT_FALSE(traffic.is_counted());
}

TEST(OwnTraffic, IsOfTheSocketWhereCoresTellNothingBelow) {
  MadeUp machine;
  machine.plan.classes[1].covers.add(FillSource::remote_cache);  // as on 64-bit Arm
  OwnTraffic traffic = machine.traffic();
  memory::WeightPage page = near_page(machine.model);
  page.weights[0] = {500, 500, 0, 0};
  Bandwidths reading = no_traffic(machine.model);
  reading.memory[1] = 20;
  traffic.part_of(reading, 10, page);
  machine.ticks(200);
  machine.count(42, -1, 1, 1000);
  machine.count(-1, 1, 1, 1000);
  EXPECT_NEAR(traffic.part_of(reading, 12, page).memory[1], 20, 1e-6);
}

TEST(OwnTraffic, AProgramThatComputesLeavesAMemoryThatOthersRead) {
  // Six busy cores that read 1 GB/s, and one core of others that reads 30 of the 40 GB/s of node 0.
  Model model = kunpeng(30);
  model.core_gb_per_s = 5;
  for (const bool counted : {false, true}) {
    SamplerOptions options;
    options.demand_gb_per_s = 30;
    Sampler sampler(model, of_two_sockets(), policy("exact"), options);
    for (int i = 0; i < 60; ++i) {
      const auto parts = memory::weights_of(sampler.page(), 0);
      const Weights layout = normalised(Weights(parts.begin(), parts.end()));
      Bandwidths reading = flow_of(model, {sccl0, 1, layout}, 1);
      reading += flow_of(model, {sccl0, 30, {1, 0, 0, 0}}, 30);
      const CountedLines seen{lines({layout[0], 0, 0, 0}, {1 - layout[0], 0, 0, 0}), lines({30, 0, 0, 0})};
      const BusyCores busy{{6, 0, 0, 0}, {1, 0, 0, 0}};
      sampler.add(reading, counted ? own_flow(model, sampler.page(), reading, seen)
                                   : own_flow(model, sampler.page(), reading, busy));
    }
    const auto parts = memory::weights_of(sampler.page(), 0);
    const double near = normalised(Weights(parts.begin(), parts.end()))[0];
    if (counted) {
      EXPECT_LT(near, 0.45) << "10 of its 30 GB/s are left there";
    } else {
      EXPECT_GT(near, 0.8) << "so the model can show what counting is for";
    }
  }
}

}  // namespace charm::memory_traffic::test
