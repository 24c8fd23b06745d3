// Rates: nobody gets more bandwidth than there is, and farther is slower.
#include "tools/sim/timing.hpp"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "tools/sim/backend.hpp"
#include "tools/sim/generator.hpp"
#include "tools/sim/simulated_policy.hpp"

using namespace charm::sim;

namespace {

Rates rates(const std::string& machine_name, const std::string& spec, const std::string& policy, int workers) {
  const Model machine = model(machine_name);
  const Workload work = workload(spec, workers);
  const SimulationPlan plan = plan_for(policy, machine, work, workers);
  const Job job{&machine, plan.placement.start(), &work.phases.front(), plan.habits};
  return rates_of(job, analytic_mixes(job));
}

TEST(Rates, OfASweepFromMemoryAreThoseOfTheLinkAndOfTheControllers) {
  // One chiplet reads 45 GB/s, eight of them read what the socket's memory gives.
  EXPECT_NEAR(rates("7713", "sweep:mb=1024,writes=0", "local", 8).operations_per_s * 64 / 1e9, 45, 2);
  EXPECT_NEAR(rates("7713", "sweep:mb=1024,writes=0", "local", 64).operations_per_s * 64 / 1e9, 155, 6);
}

TEST(Rates, NeverExceedTheMemoryOfAnyMachine) {
  for (const Model& m : models()) {
    const int workers = static_cast<int>(m.machine.cores.size());
    const Rates r = rates(m.name, "sweep:mb=4096,writes=0", "distributed", workers);
    double nodes = 0;
    for (const auto& node : m.machine.nodes) nodes += node.cpus.empty() ? 0 : 1;
    EXPECT_LE((r.fills_per_s[4] + r.fills_per_s[5]) * 64 / 1e9, m.costs.memory_read.value * nodes * 1.01) << m.name;
  }
}

TEST(Rates, BarriersCostMoreAcrossChiplets) {
  const Model m = model("7713");
  const Workload work = workload("copy", 8);
  const auto near = plan_for("local", m, work, 8), far = plan_for("distributed", m, work, 8);
  const Phase& phase = work.phases.front();
  EXPECT_NEAR(barrier_ns(m, near.placement.start(), phase, false), m.costs.barrier_ns.value + 8 * 24, 1);
  EXPECT_NEAR(barrier_ns(m, far.placement.start(), phase, false), m.costs.barrier_ns.value + 8 * 106, 1);
  const auto all = plan_for("local", m, work, 64);
  EXPECT_LT(barrier_ns(m, all.placement.start(), phase, true),
            0.5 * barrier_ns(m, all.placement.start(), phase, false));
}

TEST(Rates, SlowerKindsOfCoresComputeLongerAndReadAsFast) {
  const std::string hybrid = CHARM_TEST_DATA "/topologies/Intel-MeteorLake-CoreUltra155H.xml";
  const Model m = model(hybrid);
  const Rates computed = rates(hybrid, "compute", "local", 14),
              read = rates(hybrid, "sweep:mb=1024,writes=0", "local", 14);
  const auto ratio = [&](const Rates& r) { return r.workers[13].ns_per_operation / r.workers[0].ns_per_operation; };
  const int slow =
      m.machine
          .cores[static_cast<std::size_t>(plan_for("local", m, workload("compute", 14), 14).placement.start()[13].core)]
          .capacity;
  EXPECT_NEAR(ratio(computed), 1024.0 / slow, .02);
  EXPECT_LT(ratio(read), 1 + .5 * (1024.0 / slow - 1));
}

// The bar of the static schedule: no more than 5 % behind a loop in which nobody waits for anybody.
TEST(Rates, StaticPartsThatFollowTheSpeedLoseLittleOnUnequalCores) {
  for (const std::string file : {"Intel-MeteorLake-CoreUltra155H.xml", "AMD-1Ah-Zen5StrixPoint-RyzenAI9HX370.xml"}) {
    const std::string machine = CHARM_TEST_DATA "/topologies/" + file;
    const int cores = static_cast<int>(model(machine).machine.cores.size());
    for (const int workers : {cores, cores - 2, cores / 2 + 1}) {
      for (const std::string work : {"compute:barriers=1", "compute:barriers=1,compute_ns=20", "triad:total_mb=384",
                                     "triad:total_mb=8", "triad:total_mb=48"}) {
        const auto speed = [&](int parts) {
          return rates(machine, work + ",parts=" + std::to_string(parts), "local", workers).operations_per_s;
        };
        EXPECT_GE(speed(3), .95 * speed(0)) << file << ' ' << work << ' ' << workers;
        EXPECT_LE(std::max({speed(1), speed(2), speed(3)}), 1.0001 * speed(0)) << file << ' ' << work;
      }
    }
  }
  const std::string hybrid = CHARM_TEST_DATA "/topologies/Intel-MeteorLake-CoreUltra155H.xml";
  const auto loss = [&](const std::string& work, int parts) {
    return 1 - rates(hybrid, work + ",parts=" + std::to_string(parts), "local", 14).operations_per_s /
                   rates(hybrid, work + ",parts=0", "local", 14).operations_per_s;
  };
  EXPECT_GT(loss("compute:barriers=1", 1), .15) << "equal parts";
  EXPECT_LT(loss("compute:barriers=1", 2), .01);
  EXPECT_GT(loss("triad:total_mb=384", 2), .10) << "by capacity, where memory is what all wait for";
}

TEST(Rates, DataOnMemoryOnlyNodesIsSlower) {
  const Model m = model("cxl");
  const Workload work = workload("gups", 24);
  const SimulationPlan plan = plan_for("local", m, work, 24);
  Job job{&m, plan.placement.start(), &work.phases.front(), plan.habits};
  const double near = rates_of(job, analytic_mixes(job)).operations_per_s;
  job.habits.far_share = 0.5;
  EXPECT_LT(rates_of(job, analytic_mixes(job)).operations_per_s, 0.8 * near);
}

}  // namespace
