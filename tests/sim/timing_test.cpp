// Rates: nobody gets more bandwidth than there is, and farther is slower.
#include "tools/sim/timing.hpp"

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
